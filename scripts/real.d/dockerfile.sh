# shellcheck shell=bash
# The reader of Dockerfiles against BuildKit's parser: on its own test files, on
# ours, and on ones that are made up.

prepare_dockerfile() {
	(cd scripts/_oracle/dockerfile && go mod download)
}

run_dockerfile() {
	local start=$EPOCHREALTIME parser files
	parser=$(cd scripts/_oracle/dockerfile && go list -m -f '{{.Dir}}' github.com/moby/buildkit 2>/dev/null)/frontend/dockerfile/parser
	[[ -d $parser ]] || {
		skip "BuildKit's parser" "its module cannot be had"
		return
	}
	files=("$PWD"/scripts/_oracle/dockerfile/testdata/*.Dockerfile "$parser"/testfiles*/*/Dockerfile)
	# shellcheck disable=SC2154 # work is set in lib.sh
	(cd scripts/_oracle/dockerfile && go run . -n 5000 "${files[@]}") >"$work/out.txt" 2>"$work/err.txt" || true
	verify "BuildKit's parser" "Dockerfiles: ${#files[@]} given and 5000 made up are read as BuildKit reads them;" "$(head -n 1 "$work/out.txt")" "$start"
}
