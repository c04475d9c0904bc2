# shellcheck shell=bash
# Planted /sys and /dev in a mount namespace, entered as several users: what
# needs root and no engine.

prepare_mounts() { :; }

run_mounts() {
	# shellcheck disable=SC2154 # set in lib.sh
	local root=$work/root sys=$work/mounts/sys dev=$work/mounts/dev
	# The numbers of /dev/null under the GPU's names: nodes that open.
	plant_sys "$sys" 1:3
	plant_node "$dev/kfd" 1 3 660 110
	plant_node "$dev/dri/renderD128" 1 3 660 110
	judge "all is well, root" "0 ok" in_root "$root" "$sys" "$dev" 0 0
	judge "all is well, in the group" "0 ok" in_root "$root" "$sys" "$dev" 1000 110
	judge "not in the group" "1 fail access/kfd device-permission-group" in_root "$root" "$sys" "$dev" 1000 ""
	says "names the number" "belongs to gid 110; the process has 1000"

	chmod 666 "$dev/kfd" "$dev/dri/renderD128"
	judge "0666 needs no group" "0 ok" in_root "$root" "$sys" "$dev" 1000 ""
	chmod 600 "$dev/kfd"
	judge "0600 opens to no group" "1 fail access/kfd device-permission-group" in_root "$root" "$sys" "$dev" 1000 110
	says "asks for a rule, not a group" "lets nobody but root in"
	chmod 660 "$dev/kfd"
	chown 0:105 "$dev/dri/renderD128"
	chmod 660 "$dev/dri/renderD128"
	judge "render node of another group" "1 fail access/render device-permission-group" in_root "$root" "$sys" "$dev" 1000 110
	chown 0:110 "$dev/dri/renderD128"

	rm "$dev/dri/renderD128"
	judge "render node missing" "1 fail access/nodes device-node-missing" in_root "$root" "$sys" "$dev" 0 0
	plant_node "$dev/dri/renderD128" 1 3 660 110
	rm "$dev/kfd"
	judge "kfd missing" "1 fail access/nodes device-node-missing" in_root "$root" "$sys" "$dev" 0 0
	mkdir "$dev/kfd"
	judge "kfd is a directory" "1 fail access/nodes device-node-missing" in_root "$root" "$sys" "$dev" 0 0
	rmdir "$dev/kfd"
	mkfifo "$dev/kfd"
	judge "kfd is a pipe" "1 fail access/nodes device-node-missing" in_root "$root" "$sys" "$dev" 0 0
	plant_node "$dev/kfd" 1 3 660 110

	plant_igpu "$sys"
	plant_node "$dev/dri/renderD129" 1 3 660 110
	judge "an integrated GPU beside the card" "0 warn gpu/igpu igpu-shadowing" in_root "$root" "$sys" "$dev" 1000 110

	rm -r "$sys/module/amdgpu" "$sys/class/kfd" "$sys/bus/pci/devices/0000:0f:00.0" "$sys/bus/pci/devices/0000:03:00.0/driver"
	rm "$dev/kfd"
	judge "driver not loaded" "1 fail driver/loaded kfd-driver-not-loaded" in_root "$root" "$sys" "$dev" 0 0
	ln -s ../../drivers/vfio-pci "$sys/bus/pci/devices/0000:03:00.0/driver"
	judge "held by vfio-pci" "1 fail driver/bound vm-passthrough" in_root "$root" "$sys" "$dev" 0 0
}
