# shellcheck shell=bash disable=SC2154 # work, cache, KEEP are set elsewhere
# The real HIP library and rocminfo, with /dev/kfd in five states. HIP says
# hipErrorNoDevice to all of them; doctor tells them apart.

needs+=(debootstrap:debootstrap cc:gcc)

prepare_hip() {
	sid_chroot >"$cache/sid.why" || echo "scripts/real: no HIP library: $(cat "$cache/sid.why")"
}

run_hip() {
	local root=$cache/sid sys=$work/hip/sys dev=$work/hip/dev
	if [[ ! -e $root/usr/bin/rocminfo ]]; then
		skip "HIP" "$(cat "$cache/sid.why")"
		return
	fi
	library=$(basename "$(find "$root/usr/lib" -name 'libamdhip64.so.[0-9]' | sort | tail -n 1)")
	cc -O1 -o "$work/hip-count" scripts/real.d/hipcount.c -ldl
	plant_sys "$sys" 234:0
	mkdir -p "$dev"
	kfd_state "missing" "No such file or directory" "1 fail access/nodes device-node-missing" 0 0
	plant_node "$dev/kfd" 234 0 660 110
	plant_node "$dev/dri/renderD128" 226 128 660 110
	kfd_state "dead node" "No such device or address" "1 fail access/kfd kfd-bad-state" 0 0
	kfd_state "no group" "Permission denied" "1 fail access/kfd device-permission-group" 1000 ""
	kfd_state "with group" "No such device or address" "1 fail access/kfd kfd-bad-state" 1000 110
	plant_node "$dev/kfd" 1 3 666 110
	kfd_state "another device" "HSA_STATUS_ERROR_OUT_OF_RESOURCES" "1 fail access/kfd device-node-missing" 0 0
}

# kfd_state NAME ROCMINFO_SAYS DOCTOR_WANT UID GROUPS: the tools' words, then doctor's.
kfd_state() {
	local name=$1 says=$2 want=$3 uid=$4 groups=$5 start=$EPOCHREALTIME log got
	log=$work/hip/$(tr ' ' - <<<"$name").log
	{
		in_sid "$uid" "$groups" /usr/bin/rocminfo || true
		in_sid "$uid" "$groups" /mnt/hip-count "$library" || true
	} 2>&1 | sed -E 's/\x1b\[[0-9;]*m//g' >"$log"
	cp "$log" "$work/err.txt"
	got="$(grep -oE 'hipGetDeviceCount: [0-9]+' "$log") $(grep -oF "$says" "$log" | sed -n 1p)"
	verify "HIP, $name" "hipGetDeviceCount: 100 $says" "$got" "$start"
	judge "doctor, $name" "$want" in_sid "$uid" "$groups" /mnt/rocsmith doctor --format json
	if [[ -n ${KEEP:-} ]]; then
		mkdir -p testdata/logs
		cp "$log" "testdata/logs/kfd-$(basename "$log")"
	fi
}
