#!/usr/bin/env bash
# Makes the archives here with the real 7-Zip (Debian: 7zip, 26.02).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
mkdir -p all/library all/folder one nothing
cp "$here/calls.bin" all/library/calls.bin
for i in 1 2 3 4 5 6; do echo "line $i of a text that packs well"; done >all/library/text.dat
: >all/empty
echo umlauts >'all/süß 日本 😀.txt'
echo hello >one/hello.txt
ln -s hello.txt one/link
rm -f "$here"/*.7z

# pack NAME FOLDER OPTION…
pack() {
	local name=$1
	(cd "$2" && 7zz a -bso0 -bsp0 -mtm- -snl "$here/$name.7z" "${@:3}" .)
}
pack lzma2 all -m0=lzma2
pack lzma all -m0=lzma
pack bcj all -m0=bcj -m1=lzma2
pack bcj2 all -m0=bcj2 -m1=lzma -m2=lzma -m3=lzma
pack bcj2-copy all -m0=bcj2 -m1=copy
pack copy all -m0=copy -mhc=off
pack deflate all -m0=deflate
pack bzip2 all -m0=bzip2
pack separate all -ms=off
pack link one
rm one/link
pack ppmd one -m0=ppmd
pack deflate64 one -m0=deflate64
mkdir -p apart/library
echo MZ >apart/rocblas.dll
echo x >apart/library/TensileLibrary_lazy_gfx1010.dat
(cd apart && 7zz a -bso0 -bsp0 -mtm- "$here/apart.7z" -m0=ppmd rocblas.dll)
(cd apart && 7zz a -bso0 -bsp0 -mtm- "$here/apart.7z" -m0=lzma2 library)
pack delta one -m0=delta -m1=lzma
pack arm64 one -m0=arm64 -m1=lzma
pack aes one -psecret
pack sealed one -psecret -mhe=on
(cd nothing && 7zz a -bso0 -bsp0 "$here/nothing.7z" '-ir!none*') || true
