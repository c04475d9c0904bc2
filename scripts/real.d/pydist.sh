# shellcheck shell=bash
# The reader of Python environments against pip: specifiers, markers and pip
# check itself, on generated questions and a real virtual environment.

needs+=(python3:python3 pip3:python3-pip)

prepare_pydist() { :; }

run_pydist() {
	local start python name
	# pip of the same Python brings the library that pip check judges with.
	python=$(python3 -c 'import sys, pip, venv; print(sys.executable)' 2>/dev/null) || {
		skip "pip check" "there is no python3 with pip and venv"
		return
	}
	for name in TestLikePackaging TestMarkersLikePackaging TestLikePipCheck; do
		start=$EPOCHREALTIME
		# shellcheck disable=SC2154 # set in lib.sh
		ROCSMITH_REAL_PYTHON=$python go test -count=1 ./internal/pydist -run "^$name\$" >"$work/err.txt" 2>&1 || true
		verify "$name" "ok" "$(awk '/^(ok|FAIL)/ { print $1; exit }' "$work/err.txt")" "$start"
	done
}
