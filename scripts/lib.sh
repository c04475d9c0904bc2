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
	for try in 1 2 3 4 5; do
		# Where work is done side by side, coverage differs from run to run, and to
		# make an input smaller takes for ever: ten tries are enough.
		if go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$package" >"$log" 2>&1; then
			sed -nE 's/^fuzz: elapsed: .*(execs: [0-9]+).*/\1/p' "$log" | tail -n 1
			rm -f "$log"
			return 0
		fi
		# The fuzzer of the standard library at times reports its own end of
		# time as a failure, without an input that fails; that is no finding.
		if [[ $try == 5 ]] || grep -q 'Failing input written' "$log" || ! grep -q 'context deadline exceeded' "$log"; then
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

# microseconds COMMAND… prints how long a command takes, whatever its end.
microseconds() {
	local start=$EPOCHREALTIME end
	"$@" >/dev/null 2>&1 </dev/null || true
	end=$EPOCHREALTIME
	echo $((${end/./} - ${start/./}))
}

# build FILE makes the binary as it is released.
build() {
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${ROCSMITH_VERSION:-devel}" -o "$1" ./cmd/rocsmith
}

# build_probe FILE makes the child of a probe as it is released.
build_probe() {
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$1" ./cmd/rocsmith-probe
}

# patiently COMMAND… tries what needs the network up to three times: a server or a proxy may
# refuse for a moment, and another run hold the lock of apt.
patiently() {
	local pause rc
	for pause in 5 20 0; do
		rc=0
		"$@" || rc=$?
		[[ $rc != 0 && $pause != 0 ]] || return "$rc"
		echo "$1 ${2:-}: exit $rc; once more in $pause s" >&2
		sleep "$pause"
	done
}

# mirror prints the archive that apt is set up with for this release of Debian.
mirror() {
	local codename
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	apt-get indextargets --format "\$(CODENAME) \$(REPO_URI)" 'Identifier: Packages' |
		awk -v codename="$codename" '$1 == codename && $2 ~ /\/debian\/?$/ { print $2; exit }'
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# suite_apt SUITE COMMAND… runs apt-get or apt-cache on another suite of Debian,
# with lists and books of its own. Signatures are checked; the date until which
# a Release file is valid is not, because the unstable suite's may have passed.
suite_apt() {
	local suite=$1 command=("$2") dir=$cache/apt/$1
	[[ $2 != apt-get ]] || command=(patiently apt-get)
	shift 2
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	echo "deb [signed-by=$keyring] $(mirror) $suite main" >"$dir/sources.list"
	"${command[@]}" -q -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$dir/lists" \
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none "$@"
}

# sid_chroot makes $cache/sid, a chroot of Debian's unstable suite with rocminfo,
# amd-smi and the newest HIP library there. Where it cannot be made, it prints
# why and fails. debootstrap checks the archive's signature but not its date.
sid_chroot() {
	local new=$cache/sid.new log=$cache/debootstrap.log hip
	[[ ! -e $cache/sid/usr/bin/rocminfo ]] || return 0
	[[ $(id -u) == 0 ]] || { echo "a chroot needs root" && return 1; }
	command -v debootstrap >/dev/null || { echo "debootstrap is not installed" && return 1; }
	[[ -e $keyring ]] || { echo "there is no $keyring to check the archive with" && return 1; }
	[[ -n $(mirror) ]] || { echo "apt knows no Debian archive; try apt-get update" && return 1; }
	mkdir -p "$cache"
	suite_apt sid apt-get update >"$log" 2>&1 || { echo "apt-get update failed: $(tail -n 1 "$log")" && return 1; }
	hip=$(suite_apt sid apt-cache search --names-only '^libamdhip64-[0-9]+$' | awk '{ print $1 }' | sort -V | tail -n 1)
	if ! patiently debootstrap_new sid "$new" "rocminfo,amd-smi,${hip:?}" >"$log" 2>&1; then
		echo "debootstrap failed: $(tail -n 1 "$log")"
		return 1
	fi
	rm -rf --one-file-system "$cache/sid"
	mv "$new" "$cache/sid"
}

# debootstrap_new SUITE DIR PACKAGES makes a chroot, in place of what was begun there.
debootstrap_new() {
	rm -rf --one-file-system "$2"
	debootstrap --force-check-gpg --keyring="$keyring" --variant=minbase --include="$3" "$1" "$2" "$(mirror)"
}
