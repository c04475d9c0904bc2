# shellcheck shell=bash
# Every binary of this machine, and some that are built to be difficult, loaded
# by us and by the real ld.so: the same files, in the same order, found in the
# same way, and the same words where something is missing.

needs+=(gcc:gcc ldd:libc-bin)

prepare_linkage() { :; }

# compare_linkage NAME TEST runs one comparison of internal/linkage.
compare_linkage() {
	local start=$EPOCHREALTIME got=differs
	# shellcheck disable=SC2154 # set in lib.sh
	: >"$work/err.txt"
	if ROCSMITH_REAL=1 go test -count=1 -v -run "^$2\$" ./internal/linkage >"$work/out.txt" 2>&1; then
		got="same $(grep -oE '[0-9]+ (binaries|modules|cases).*' "$work/out.txt" | head -n 1)"
	else
		cp "$work/out.txt" "$work/err.txt"
	fi
	verify "$1" same "$got" "$start"
}

run_linkage() {
	compare_linkage "real binaries" TestRealBinaries
	compare_linkage "built to be difficult" TestRealSearch
	compare_linkage "modules of Python" TestRealModules
	compare_linkage "programs of Windows" TestRealWindows
}
