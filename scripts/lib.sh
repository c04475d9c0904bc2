# shellcheck shell=bash
# What .ci/run and the scripts share. Sourced, from the repository's root.

# cache is where tools and chroots are kept between runs.
# shellcheck disable=SC2034 # for those who source this
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rocsmith-ci

# fuzz_targets prints "PACKAGE TARGET" for every fuzz target that runs here.
fuzz_targets() {
	local host
	host=$(go env GOOS)
	grep -rEno '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' --exclude-dir=testdata --exclude-dir='.?*' . |
		sed -E 's|^(.*)/([^/:]*):[0-9]+:func (.*)$|\1 \2 \3|' |
		while read -r package file target; do
			case $file in
			*_windows_test.go | *_darwin_test.go | *_linux_test.go)
				[[ $file == *_"${host}"_test.go ]] || continue
				;;
			esac
			echo "$package $target"
		done | sort -u
}

# fuzz PACKAGE TARGET TIME runs one fuzz target.
fuzz() {
	local package=$1 target=$2 time=$3 log
	log=$(mktemp)
	for try in 1 2; do
		if go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" >"$log" 2>&1; then
			sed -nE 's/^fuzz: elapsed: .*(execs: [0-9]+).*/\1/p' "$log" | tail -n 1
			rm -f "$log"
			return 0
		fi
		# The fuzzer of the standard library at times reports its own end of
		# time as a failure, without an input that fails; that is no finding.
		if [[ $try == 2 ]] || grep -q 'Failing input written' "$log" || ! grep -q 'context deadline exceeded' "$log"; then
			break
		fi
	done
	cat "$log" >&2
	rm -f "$log"
	return 1
}

# fuzz_all TIME runs every fuzz target for that long, and fails when there are
# none: then the search is broken.
fuzz_all() {
	local time=$1 targets package target count=0
	targets=$(fuzz_targets)
	while read -r package target; do
		[[ -n $target ]] || continue
		printf '%s %s, %s, ' "$package" "$target" "$time"
		fuzz "$package" "$target" "$time"
		count=$((count + 1))
	done <<<"$targets"
	if [[ $count == 0 ]]; then
		echo "no fuzz targets were found" >&2
		return 1
	fi
	echo "$count fuzz targets, no failing input"
}

# build FILE makes the binary as it is released.
build() {
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${ROCSMITH_VERSION:-devel}" -o "$1" ./cmd/rocsmith
}
