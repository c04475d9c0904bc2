# escape=`
FROM mcr.microsoft.com/windows/servercore
COPY a.txt C:\a\
RUN dir `
  C:\a\ && `
  echo "q`"uote"
