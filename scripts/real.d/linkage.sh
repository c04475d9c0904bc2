# shellcheck shell=bash disable=SC2154 # work and cache are set elsewhere
# Every binary of this machine, and some that are built to be difficult, loaded
# by us and by the real ld.so: the same files, in the same order, found in the
# same way, and the same words where something is missing.

needs+=(gcc:gcc ldd:libc-bin debootstrap:debootstrap)

prepare_linkage() {
	sid_chroot >"$cache/sid.why" || echo "scripts/real: no HIP library: $(cat "$cache/sid.why")"
}

# compare_linkage NAME TEST runs one comparison of internal/linkage.
compare_linkage() {
	local start=$EPOCHREALTIME got=differs
	: >"$work/err.txt"
	if ROCSMITH_REAL=1 go test -count=1 -v -run "^$2\$" ./internal/linkage >"$work/out.txt" 2>&1; then
		got="same $(grep -oE '[0-9]+ (binaries|modules|cases).*' "$work/out.txt" | sed -n 1p)"
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
	run_linkage_hip
}

# put_library ROOT PATH puts a library of the chroot into a root, and what it is a
# link to.
put_library() {
	mkdir -p "$1/usr/lib/x86_64-linux-gnu"
	cp -a "$cache/sid$2" "$(readlink -f "$cache/sid$2")" "$1/usr/lib/x86_64-linux-gnu/" 2>/dev/null || true # one and the same, where it is no link
}

# ld_says NAME WORDS LIBRARY holds the real ld.so to its words.
ld_says() {
	local start=$EPOCHREALTIME got
	got=$(chroot "$root" /lib64/ld-linux-x86-64.so.2 --list "$3" 2>&1) || true
	[[ $got == *"$2"* ]] && got=$2
	verify "$1: ld.so" "$2" "${got//$'\n'/ }" "$start"
}

# run_linkage_hip takes libraries away from the real HIP runtime, one by one.
run_linkage_hip() {
	local root=$work/linkage/root sys=$work/linkage/sys dev=$work/linkage/dev folder=/usr/lib/x86_64-linux-gnu hip comgr library
	comgr=$(basename "$(find "$cache/sid$folder" -name 'libamd_comgr.so.[0-9]' 2>/dev/null)")
	hip=$(basename "$(find "$cache/sid$folder" -name 'libamdhip64.so.[0-9]' 2>/dev/null | sort | tail -n 1)")
	if [[ -z $hip ]]; then
		skip "the real HIP" "$(cat "$cache/sid.why")"
		return
	fi
	plant_sys "$sys" 1:3
	plant_node "$dev/kfd" 1 3 666 110
	plant_node "$dev/dri/renderD128" 1 3 666 110
	small_root "$root"
	mkdir -p "$root/usr/lib" "$root/opt"
	ln -s usr/lib "$root/lib"
	ln -s usr/lib64 "$root/lib64"
	mkdir "$root/usr/lib64"
	cp -aL "$cache/sid/lib64/ld-linux-x86-64.so.2" "$root/usr/lib64/"
	for library in $(chroot "$cache/sid" ldd "$folder/$hip" "$folder/$comgr" | grep -oE '=> /[^ ]+' | cut -c4-); do
		[[ $library == */libLLVM* ]] || put_library "$root" "$library"
	done
	put_library "$root" "$folder/$hip"
	judge "HIP without comgr" "1 fail runtime/comgr comgr-missing" in_root "$root" "$sys" "$dev" 1000 110
	ld_says "HIP without comgr" "libhsa-runtime64.so.1 => /" "$folder/$hip"

	put_library "$root" "$folder/$comgr"
	judge "comgr without LLVM" "1 fail runtime/libraries library-not-found" in_root "$root" "$sys" "$dev" 1000 110
	says "comgr without LLVM: chain" "libLLVM.so.* is not found, and libamd_comgr.so.. needs it"
	ld_says "comgr without LLVM" "cannot open shared object file" "$folder/$comgr"

	put_library "$root" "$(chroot "$cache/sid" ldd "$folder/$comgr" | grep -oE '/[^ ]*libLLVM[^ ]*')"
	judge "all there" "0 ok" in_root "$root" "$sys" "$dev" 1000 110
	rm "$root$folder"/libdrm_amdgpu.so*
	judge "without libdrm_amdgpu" "1 fail runtime/libraries library-not-found" in_root "$root" "$sys" "$dev" 1000 110
	says "without libdrm_amdgpu: chain" "libdrm_amdgpu.so.1 is not found, and libhsa-runtime64.so.1 needs it"
	ld_says "without libdrm_amdgpu" "libdrm_amdgpu.so.1: cannot open shared object file" "$folder/$hip"
}
