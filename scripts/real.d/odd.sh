# shellcheck shell=bash
# Odd surroundings: the right answer, or an honest "unknown".

prepare_odd() { :; }

run_odd() {
	# shellcheck disable=SC2154 # set in lib.sh
	local sys=$work/odd/sys dev=$work/odd/dev root=$work/odd/root many name
	plant_sys "$sys" 1:3
	plant_node "$dev/kfd" 1 3 660 110
	plant_node "$dev/dri/renderD128" 1 3 660 110
	small_root "$root"

	judge "a user without a passwd entry" "1 fail access/kfd device-permission-group" in_root "$root" "$sys" "$dev" 4242 ""
	PROC='' judge "no /proc" "2 unknown" in_root "$root" "$sys" "$dev" 1000 110
	judge "no /sys" "2 unknown gpu/present" in_root "$root" "" "$dev" 1000 110

	# Linux takes 65,536 groups; a person in 4,096 of them is rare enough.
	many=$(seq -s, 2000 6094),110
	judge "4,096 groups" "0 ok" in_root "$root" "$sys" "$dev" 1000 "$many"
	judge "4,095 wrong groups" "1 fail access/kfd device-permission-group" in_root "$root" "$sys" "$dev" 1000 "${many%,110}"

	name=$(printf 'a%.0s' {1..200})
	put "$root/etc/passwd" "$name:x:1000:1000::/home/ada:/bin/sh"
	put "$root/etc/group" "render:x:110:"
	judge "a user name of 200 characters" "1 fail access/kfd device-permission-group" in_root "$root" "$sys" "$dev" 1000 ""
	rm "$root/etc/passwd" "$root/etc/group" "$root/etc/os-release"
	judge "no /etc at all" "1 fail access/kfd device-permission-group" in_root "$root" "$sys" "$dev" 4242 ""

	# Nothing but the binary: it is static, and is no child of a shell.
	rm -r "${root:?}/bin" "${root:?}/home" "${root:?}/tmp"
	mkdir "$root/bin"
	cp "$work/rocsmith" "$root/bin/rocsmith"
	chmod 555 "$root"
	judge "an empty root, nothing writable" "0 warn miopen/cache-writable miopen-db-readonly" in_root "$root" "$sys" "$dev" 1000 110
}
