FROM rocm/dev-ubuntu-24.04:7.2-complete
RUN <<EOF
set -e
pip install --index-url https://download.pytorch.org/whl/rocm7.2 torch
# COPY is no instruction here
EOF
RUN <<-'A' bash
	echo "$HOME"
	A
COPY <<one.txt <<"two.txt" /etc/
1
one.txt
2
two.txt
RUN python3 - 3<<PY && echo done
print("<<NOT")
PY
RUN echo "a << b" && cat <<< "here"
CMD ["bash", "-c", "cat <<EOF"]
