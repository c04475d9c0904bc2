# shellcheck shell=bash disable=SC2154 # work and cache are set elsewhere
# GPU code in packages of Debian, plain and compressed, in libraries and in
# folders of kernels, against numbers that other tools agreed on; and in files
# that the newest clang makes, beside what LLVM's own tools say of them.

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
	fetch_clang >"$cache/clang.log" 2>&1 || echo "scripts/real: no clang: $(tail -n 1 "$cache/clang.log")"
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

# fetch_clang unpacks the newest clang of the unstable suite, with all that it
# needs, as a root of its own: nothing of it is installed.
fetch_clang() {
	local dir=$cache/clang new=$cache/clang.new newest names
	[[ ! -e $cache/clang.version ]] || return 0
	suite_apt sid apt-get update || return 1
	newest=$(suite_apt sid apt-cache search --names-only '^clang-[0-9]+$' | awk '{ print $1 }' | sort -V | tail -n 1)
	newest=${newest#clang-}
	names=$(suite_apt sid apt-get install -y --no-install-recommends --print-uris coreutils dash "clang-${newest:?}" "clang-tools-$newest" "lld-$newest" "llvm-$newest" |
		sed -nE "s/^'.*' ([^_ ]+)_.*/\\1/p")
	rm -rf "$new" "$dir"
	mkdir -p "$new/debs" "$new/root"/{dev,tmp,usr/lib64}
	# shellcheck disable=SC2086 # names of packages
	(cd "$new/debs" && suite_apt sid apt-get download $names) || return 1
	find "$new/debs" -name '*.deb' -exec dpkg-deb -x {} "$new/root" \; || return 1
	ln -s usr/bin usr/lib usr/lib64 "$new/root"
	mknod -m 666 "$new/root/dev/null" c 1 3 || return 1
	mv "$new/root" "$dir"
	rm -rf "$new"
	echo "$newest" >"$cache/clang.version"
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
	read_code "the HSA runtime's own kernels" TestRealRuntime
	run_compiled
}

# read_code NAME TEST runs one comparison of internal/codeobj.
read_code() {
	local start=$EPOCHREALTIME got=differs
	: >"$work/err.txt"
	if ROCSMITH_REAL_CODE=$cache/code ROCSMITH_REAL_MORE=$cache/scan go test -count=1 -v -run "^$2\$" ./internal/codeobj >"$work/out.txt" 2>&1; then
		if grep -q '^--- SKIP' "$work/out.txt"; then
			skip "$1" "$(sed -nE 's/.*_test.go:[0-9]+: //p' "$work/out.txt")"
			return
		fi
		got="same $(grep -oE '[0-9]+ (objects|files).*' "$work/out.txt" | tail -n 1)"
	else
		cp "$work/out.txt" "$work/err.txt"
	fi
	verify "$1" same "$got" "$start"
}

# run_compiled makes each kind of file that holds GPU code, and compares the
# number of its entries with what LLVM's tools see.
run_compiled() {
	local dir=$cache/clang/tmp/fat.$$ file truth
	if [[ ! -e $cache/clang.version ]]; then
		skip "code of the newest clang" "$(tail -n 1 "$cache/clang.log")"
		return
	fi
	mkdir "$dir"
	if ! fat_files | in_clang "$dir" dash -e >"$work/err.txt" 2>&1; then
		verify "code of the newest clang" made "not made" "$EPOCHREALTIME"
	else
		while read -r file truth; do
			compare_peers "$dir" "$file" "$truth"
		done <<-'END'
			plain.so 12
			ccob3.so 12
			ccob2.so 12
			mixed.so 12
			mixed2.so 12
			generic.o 6
			spirv.o 2
			rdc.o 6
			old_rdc.o 6
			libfat.a 12
			thin.a 12
			a.obj 6
			both.dll 12
			bundle.hsaco 6
			packed.hsaco 6
			raw.hsaco 1
		END
	fi
	rm -rf "$dir"
}

# in_clang DIR COMMAND… runs a command in a folder of clang's root.
in_clang() {
	local dir=${1#"$cache/clang"}
	shift
	chroot "$cache/clang" /usr/bin/env -i -C "$dir" PATH="/usr/lib/llvm-$(<"$cache/clang.version")/bin:/usr/bin" "$@"
}

# compare_peers DIR FILE TRUTH counts the entries for GPUs three ways. Only ours
# is held to the truth: what the others say is written down as it is.
compare_peers() {
	local start=$EPOCHREALTIME ours objdump bundler
	(cd "$1" && "$work/rocsmith" scan --format json "$2") >"$work/out.json" 2>"$work/err.txt" || true
	ours=$(jq -r '"\([.items[].targets[].count] | add // 0)\(.problems[0] | if . then ", " + .what else "" end)"' "$work/out.json")
	mkdir "$1/peer"
	cp "$1"/*.* "$1/peer" # llvm-objdump unpacks beside its input
	objdump=$(count_entries "$1/peer" llvm-objdump --offloading "$2")
	bundler=$(count_entries "$1/peer" clang-offload-bundler --list --type=o "--input=$2")
	rm -r "$1/peer"
	verify "$2" "$3" "$ours (llvm-objdump $objdump, clang-offload-bundler $bundler)" "$start"
}

count_entries() {
	local dir=$1 code=0
	shift
	in_clang "$dir" "$@" >"$work/peer.txt" 2>&1 || code=$?
	echo "$(grep -cE '(hip|hipv4)-(amdgcn|spirv64)-|^triple' "$work/peer.txt")$([[ $code == 0 ]] || echo " with exit code $code")"
}

# fat_files prints the script that makes the files, for the shell of clang's root.
fat_files() {
	cat <<-'END'
		cat >a.hip <<'HIP'
		struct dim3 { unsigned x, y, z; };
		typedef struct ihipStream_t *hipStream_t;
		extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, __SIZE_TYPE__, hipStream_t);
		__attribute__((global)) void NAME(int *p) { *p = 1; }
		HIP
		all='-x hip -nogpulib -nogpuinc -nostdinc -O1'
		six='--offload-arch=gfx906:sramecc+:xnack- --offload-arch=gfx90a:xnack+ --offload-arch=gfx942 --offload-arch=gfx1030 --offload-arch=gfx1100 --offload-arch=gfx1201'
		make() { out=$1 name=$2 && shift 2 && clang $all -DNAME=$name "$@" -c a.hip -o $out; }
		make a.o ka $six -fPIC
		make b.o kb $six -fPIC
		make az.o ka $six -fPIC --offload-compress
		make bz.o kb $six -fPIC --offload-compress
		export COMPRESSED_BUNDLE_FORMAT_VERSION=2
		make az2.o ka $six -fPIC --offload-compress
		make bz2.o kb $six -fPIC --offload-compress
		unset COMPRESSED_BUNDLE_FORMAT_VERSION
		link() { out=$1 && shift && ld.lld -shared -z undefs "$@" -o $out; }
		link plain.so a.o b.o
		link ccob3.so az.o bz.o
		link ccob2.so az2.o bz2.o
		link mixed.so a.o bz.o
		link mixed2.so bz.o a.o
		make rdc.o ka $six -fPIC -fgpu-rdc
		make old_rdc.o ka $six -fPIC -fgpu-rdc --no-offload-new-driver
		llvm-ar rc libfat.a a.o bz.o
		llvm-ar rcT thin.a a.o bz.o
		make a.obj ka $six --target=x86_64-pc-windows-msvc
		make bz.obj kb $six --target=x86_64-pc-windows-msvc --offload-compress
		lld-link /dll /noentry /force /out:both.dll a.obj bz.obj
		make bundle.hsaco ka $six --offload-device-only
		make packed.hsaco ka $six --offload-device-only --offload-compress
		make raw.hsaco ka --offload-arch=gfx1100 --offload-device-only --no-gpu-bundle-output
		make spirv.o ka --offload-arch=amdgcnspirv --offload-arch=gfx1100
		generic=
		for family in 9 9-4 10-1 10-3 11 12; do generic="$generic --offload-arch=gfx$family-generic"; done
		make generic.o ka $generic
	END
}
