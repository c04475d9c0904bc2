# shellcheck shell=bash disable=SC2154 # work and cache are set elsewhere
# rocsmith probe itself: with the real HIP library, which calls five states of
# /dev/kfd hipErrorNoDevice, and in a root where its child cannot start.

needs+=(debootstrap:debootstrap)

prepare_probed() {
	sid_chroot >"$cache/sid.why" || echo "scripts/real: no HIP library: $(cat "$cache/sid.why")"
}

run_probed() {
	local sys=$work/hip/sys dev=$work/hip/dev
	build_probe "$work/rocsmith-probe"
	plant_sys "$sys" 234:0
	rm -rf --one-file-system "$dev"
	mkdir -p "$dev"
	probed_without_loader
	if [[ ! -e $cache/sid/usr/bin/rocminfo ]]; then
		skip "rocsmith probe" "$(cat "$cache/sid.why")"
		return
	fi
	probed_state "missing" device-node-missing 0 0
	plant_node "$dev/kfd" 234 0 660 110
	plant_node "$dev/dri/renderD128" 226 128 660 110
	probed_state "dead node" kfd-bad-state 0 0
	probed_state "no group" device-permission-group 1000 ""
	probed_state "with group" kfd-bad-state 1000 110
	plant_node "$dev/kfd" 1 3 666 110
	probed_state "another device" device-node-missing 0 0
}

# probed_state NAME CAUSE UID GROUPS: HIP says one thing, rocsmith which it is.
probed_state() {
	judge "rocsmith probe, $1" "1 fail probe/copy $2" in_sid "$3" "$4" /mnt/rocsmith probe --format json
}

# A system with another loader than glibc's: busybox and nothing else.
probed_without_loader() {
	local start=$EPOCHREALTIME rc=0
	cp "$work/rocsmith-probe" "$work/root/bin/rocsmith-probe"
	chroot "$work/root" /bin/rocsmith probe --format json >"$work/out.json" 2>"$work/err.txt" || rc=$?
	verify "rocsmith probe, no loader" "2 cannot-start the loader /lib64/ld-linux-x86-64.so.2" \
		"$rc $(jq -r '.verdict + " " + .operations[0].why' "$work/out.json")" "$start"
	rm "$work/root/bin/rocsmith-probe"
}
