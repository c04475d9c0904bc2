# shellcheck shell=bash disable=SC2154 # work and cache are set elsewhere
# The child of a probe with the real HIP library, and /dev/kfd in five states:
# the library says hipErrorNoDevice to all of them, the child why that is.

needs+=(debootstrap:debootstrap cc:gcc)

prepare_probe() {
	sid_chroot >"$cache/sid.why" || echo "scripts/real: no HIP library: $(cat "$cache/sid.why")"
}

run_probe() {
	local sys=$work/hip/sys dev=$work/hip/dev
	if [[ ! -e $cache/sid/usr/bin/rocminfo ]]; then
		skip "probe" "$(cat "$cache/sid.why")"
		return
	fi
	build_probe "$work/rocsmith-probe"
	plant_sys "$sys" 234:0
	rm -rf --one-file-system "$dev"
	mkdir -p "$dev"
	probe_state "missing" no-device "open /dev/kfd: no such file or directory" 0 0
	plant_node "$dev/kfd" 234 0 660 110
	plant_node "$dev/dri/renderD128" 226 128 660 110
	probe_state "dead node" no-device "open /dev/kfd: no such device or address" 0 0
	probe_state "no group" no-permission "open /dev/kfd: permission denied" 1000 ""
	probe_state "with group" no-device "open /dev/kfd: no such device or address" 1000 110
	plant_node "$dev/kfd" 1 3 666 110
	probe_state "another device" no-device "open /dev/dri/renderD128: no such device or address" 0 0
	probe_library "of a folder" no-device "/usr/lib/x86_64-linux-gnu/libamdhip64.so" --library-path /usr/lib/x86_64-linux-gnu
	probe_library "of a folder without it" no-device "/usr/lib/x86_64-linux-gnu/libamdhip64.so" --library-path /usr/bin
	probe_library "NVIDIA's, which is not there" no-library "null" --backend cuda
	probe_kernels gfx906 gfx90a:sramecc+:xnack- gfx1010 gfx1030 gfx1100
}

# probe_state NAME VERDICT WORDS UID GROUPS asks the child to start the runtime.
probe_state() {
	local start=$EPOCHREALTIME
	in_sid "$4" "$5" /mnt/rocsmith-probe <<<'{"task":"init"}' >"$work/out.json" 2>"$work/err.txt" || true
	verify "probe, $1" "$2 hipInit returned 100: hipErrorNoDevice (no ROCm-capable device is detected); $3" \
		"$(jq -r 'select(.verdict != "started") | "\(.verdict) \(.why)"' "$work/out.json")" "$start"
}

# probe_library NAME VERDICT FILE FLAG… asks which file was loaded.
probe_library() {
	local name=$1 want="$2 $3" start=$EPOCHREALTIME got
	shift 3
	in_sid 0 0 /mnt/rocsmith-probe "$@" <<<'{"task":"init"}' >"$work/out.json" 2>"$work/err.txt" || true
	got=$(jq -r 'select(.verdict != "started") | "\(.verdict) \(.library)"' "$work/out.json")
	verify "probe, library $name" "$want" "${got/.so.*/.so}" "$start"
}

# probe_kernels TARGET… compiles the child's kernels by the real compiler, which
# needs no GPU, for wavefronts of 64 and of 32.
probe_kernels() {
	local start=$EPOCHREALTIME library target
	library=$(basename "$(find "$cache/sid/usr/lib" -name 'libamdhip64.so.[0-9]' | sort | tail -n 1)")
	cc -O1 -o "$work/hiprtc" scripts/real.d/hiprtc.c -ldl
	cp internal/device/data/kernels.cu "$work"
	in_sid 0 0 /mnt/hiprtc "$library" /mnt/kernels.cu "$@" >"$work/out.txt" 2>"$work/err.txt" || true
	for target in "$@"; do
		verify "probe, kernels for $target" "$target: 0" "$(grep -F "$target: " "$work/out.txt" || echo none)" "$start"
	done
}
