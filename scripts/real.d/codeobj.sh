# shellcheck shell=bash disable=SC2154 # work and cache are set elsewhere
# GPU code in packages of Debian, plain and compressed, in libraries and in
# folders of kernels, against numbers that other tools agreed on.

needs+=(dpkg-deb:dpkg)

code_packages=(trixie:librocrand1 trixie:librocblas0 sid:libhipblaslt1)

prepare_codeobj() {
	local pair
	for pair in "${code_packages[@]}"; do
		fetch_code "${pair%%:*}" "${pair##*:}" >"$cache/code.log" 2>&1 || {
			echo "scripts/real: no package ${pair##*:}: $(tail -n 1 "$cache/code.log")"
			return 0
		}
	done
}

# fetch_code SUITE PACKAGE unpacks a package below the cache.
fetch_code() {
	local suite=$1 package=$2 dir=$cache/code new=$cache/code.new deb
	[[ ! -e $dir/$package.version ]] || return 0
	rm -rf "$new" "${dir:?}/$package"
	mkdir -p "$dir" "$new"
	suite_apt "$suite" apt-get update || return 1
	(cd "$new" && suite_apt "$suite" apt-get download "$package") || return 1
	deb=$(find "$new" -name '*.deb')
	dpkg-deb -x "$deb" "$dir/$package" || return 1
	dpkg-deb -f "$deb" Version >"$new/version" && mv "$new/version" "$dir/$package.version"
	rm -rf "$new"
}

run_codeobj() {
	local pair
	for pair in "${code_packages[@]}"; do
		if [[ ! -e $cache/code/${pair##*:}.version ]]; then
			skip "GPU code" "$(tail -n 1 "$cache/code.log")"
			return
		fi
	done
	read_code "libraries" TestRealLibraries
	read_code "folders of kernels" TestRealFolders
}

# read_code NAME TEST runs one comparison of internal/codeobj.
read_code() {
	local start=$EPOCHREALTIME got=differs
	: >"$work/err.txt"
	if ROCSMITH_REAL_CODE=$cache/code go test -count=1 -v -run "^$2\$" ./internal/codeobj >"$work/out.txt" 2>&1; then
		got="same $(grep -oE '[0-9]+ (objects|files).*' "$work/out.txt" | tail -n 1)"
	else
		cp "$work/out.txt" "$work/err.txt"
	fi
	verify "$1" same "$got" "$start"
}
