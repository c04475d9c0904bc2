# shellcheck shell=bash disable=SC2154 # work, cache and keyring are set elsewhere
# What a machine starts with, made by the real tools of Debian: early boot images
# of initramfs-tools and of dracut, GRUB's menu, and the entries of systemd-boot.
# Sourced by fix.sh, whose section this is a part of.

# fetch_fix_boot makes a root file system with the tools, and beside it what dracut
# brings, which does not go together with initramfs-tools.
fetch_fix_boot() {
	local new=$cache/fix-boot.new package
	[[ ! -e $cache/fix-boot/done ]] || return 0
	rm -rf --one-file-system "$new"
	mkdir -p "$new/dracut"
	patiently debootstrap_new trixie "$new/root" sudo,zstd,cpio,kmod,udev,grub-common,grub2-common,initramfs-tools,systemd,systemd-boot,systemd-boot-efi || return 1
	(cd "$new" && suite_apt trixie apt-get update && suite_apt trixie apt-get download dracut-core dracut-install) || return 1
	for package in "$new"/*.deb; do
		dpkg-deb -x "$package" "$new/dracut" || return 1
	done
	rm -f "$new"/*.deb "$new"/root/var/cache/apt/archives/*.deb
	touch "$new/done"
	rm -rf --one-file-system "$cache/fix-boot"
	mv "$new" "$cache/fix-boot"
}

# boot_machine plants a Strix Halo with Debian and a user ada, who may call sudo. Its
# kernel is the one that runs here, with no module: it is never started. What is a
# part of the machine and not of GRUB is the disk, for which a program answers.
boot_machine() {
	local at=$booted/upper
	mkdir -p "$booted"/{work,tree,sys,dev} "$at"/boot/grub "$at"/etc/{default,sudoers.d,initramfs-tools/conf.d,modprobe.d} "$at/usr/lib/modules/$(uname -r)/kernel" "$at"/usr/{sbin,local/bin}
	plant_sys "$booted/sys" 1:3
	put "$booted/sys/bus/pci/devices/0000:03:00.0/device" 0x1586
	put "$booted/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total" 536870912
	put "$booted/sys/bus/pci/devices/0000:03:00.0/mem_info_gtt_total" 268435456
	put "$booted/sys/class/kfd/kfd/topology/nodes/1/properties" $'cpu_cores_count 16\nsimd_count 80\nsimd_per_cu 2\ngfx_target_version 110501
vendor_id 4098\ndevice_id 5510\nlocation_id 768\ndomain 0\ndrm_render_minor 128\nfw_version 32\nlocal_mem_size 0'
	put "$booted/sys/module/ttm/parameters/pages_limit" 65536
	put "$booted/sys/module/firmware_class/parameters/path" ''
	cp -a "$fixed/dev/." "$booted/dev"
	cp "$work/rocsmith" "$at/usr/local/bin/rocsmith"
	touch "$at/usr/lib/modules/$(uname -r)"/modules.{order,builtin,builtin.modinfo} "$at/boot/vmlinuz-$(uname -r)"
	put "$at/boot/config-$(uname -r)" $'CONFIG_BLK_DEV_INITRD=y\nCONFIG_RD_ZSTD=y'
	put "$at/etc/initramfs-tools/conf.d/modules" MODULES=list
	put "$at/etc/sudoers.d/ada" 'ada ALL=(ALL) NOPASSWD: ALL'
	chmod 440 "$at/etc/sudoers.d/ada"
	put "$booted/cmdline" "root=/dev/vda1 ro quiet"
	put "$at/usr/sbin/grub-probe" $'#!/bin/sh
case "$*" in
*fs_uuid*) echo 9c5a0000-0000-4000-8000-000000000000 ;;
*partuuid*) echo 1f2e0000-01 ;;
*target=device*) echo /dev/vda1 ;;
*target=fs*) echo ext2 ;;
*compatibility_hint*) echo hd0,msdos1 ;;
*partmap*) echo msdos ;;
esac'
	chmod 755 "$at/usr/sbin/grub-probe"
	boot_as_root groupadd -g 110 render110
	boot_as_root useradd -m -s /bin/bash -G render110 ada
}

# in_boot USER COMMAND… runs a command on that machine. layer= is what lies above
# Debian and below the machine's own files.
in_boot() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount --pid --fork -- bash -euc '
		at=$1 lower=$2 user=$3
		shift 3
		mount --make-rprivate /
		mount -t overlay overlay -o "lowerdir=$lower,upperdir=$at/upper,workdir=$at/work" "$at/tree"
		mount --rbind "$at/dev" "$at/tree/dev"
		mount --bind "$at/sys" "$at/tree/sys"
		mount -t proc proc "$at/tree/proc"
		mount --bind "$at/cmdline" "$at/tree/proc/cmdline"
		home=$(chroot "$at/tree" /bin/sh -c "echo ~$user")
		exec chroot "$at/tree" setpriv --reuid="$user" --regid="$user" --init-groups -- env -i --chdir=/ \
			HOME="$home" USER="$user" SHELL=/bin/bash PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
	' - "$booted" "${layer:+$layer:}$cache/fix-boot/root" "$@"
}

boot_as_root() { in_boot root "$@"; }
boot_as_ada() { in_boot ada "$@"; }

# boot_files prints what undo has to bring back, to the last byte: all but what the
# tools make of it, which holds their own times.
boot_files() {
	(cd "$booted/upper" && find etc home boot/loader boot/efi -path '*/.local' -prune -o -path '*initrd*' -prune -o -type f -printf '%p %U:%G %m %T@ ' -exec sha256sum {} \; 2>/dev/null | sort) || true
}

# boot_image prints the files of the early boot image with their sums: in its
# archive they have the time at which it was made.
boot_image() {
	# shellcheck disable=SC2016 # the inner shell expands it
	boot_as_root bash -euc 'mkdir /mnt/x; unmkinitramfs "/boot/initrd.img-$(uname -r)" /mnt/x; cd /mnt/x; find . -type f ! -name "modules.*" -exec sha256sum {} + | sort -k 2; cat ./etc/modprobe.d/*.conf ./main/etc/modprobe.d/*.conf 2>/dev/null || true; rm -r /mnt/x'
}

# boots NAME WORD OUTCOME FIX… applies a cure and wants a word in what a command
# prints of what the machine starts with, undoes it, and wants all as it was.
boots() {
	local name=$1 word=$2 outcome=$3 start=$EPOCHREALTIME rc=0 files made again
	shift 3
	files=$(boot_files) made=$("$outcome")
	verify "$name: not there before" 0 "$(grep -c -- "$word" <<<"$made" || true)" "$start"
	boot_as_ada rocsmith fix --yes "$@" >"$work/err.txt" 2>&1 || rc=$?
	verify "$name: fix" 0 "$rc" "$start"
	"$outcome" >"$work/made.txt"
	verify "$name: the machine starts with it" yes "$(grep -q -- "$word" "$work/made.txt" && echo yes || echo no)" "$start"
	verify "$name: root can read how to take it back" yes "$(boot_as_root rocsmith case >"$work/err.txt" && grep -q 'if the machine does not start' "$work/err.txt" && echo yes || echo no)" "$start"
	rc=0
	boot_as_ada rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "$name: undo" 0 "$rc" "$start"
	diff <(echo "$files") <(boot_files) >"$work/err.txt" || true
	verify "$name: files to the last byte" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
	# Not in a <(…): diff does not wait until that has cleaned up.
	again=$("$outcome")
	diff <(echo "$made") <(echo "$again") >"$work/err.txt" || true
	verify "$name: what it starts with" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
}

grub_menu() { cat "$booted/upper/boot/grub/grub.cfg"; }

# loader_entries prints the words of the entry that is there, and of one that
# kernel-install makes for a kernel to come, in a line.
loader_entries() {
	boot_as_root kernel-install add 99.0-next "/boot/vmlinuz-$(uname -r)" >"$work/err.txt" 2>&1
	grep -h ^options "$booted"/upper/boot/loader/entries/*.conf | tr '\n' ' '
	echo
	boot_as_root kernel-install remove 99.0-next >"$work/err.txt" 2>&1
}

run_fix_boot() {
	local booted=$work/boot layer=''
	if [[ ! -e $cache/fix-boot/done ]]; then
		skip "boot loaders and images" "$(tail -n 1 "$cache/fix-boot.why")"
		return
	fi
	boot_machine
	boot_as_root update-initramfs -c -k "$(uname -r)" >"$work/err.txt" 2>&1
	boots "initramfs-tools" 'options ttm pages_limit=[0-9]' boot_image memory/limit

	put "$booted/sys/module/amdgpu/parameters/gttsize" 8192
	put "$booted/cmdline" 'root=/dev/vda1 ro quiet amdgpu.gttsize=8192'
	put "$booted/upper/etc/default/grub" $'GRUB_DEFAULT=0\nGRUB_TIMEOUT=5\nGRUB_DISTRIBUTOR=`( . /etc/os-release; echo ${NAME:-Debian} ) 2>/dev/null || echo Debian`\nGRUB_CMDLINE_LINUX_DEFAULT="quiet amdgpu.gttsize=8192"\nGRUB_CMDLINE_LINUX=""'
	boot_as_root update-grub >"$work/err.txt" 2>&1
	boots "GRUB" 'linux.*ttm.pages_limit=[0-9]' grub_menu memory/limit
	put "$booted/upper/etc/default/grub.d/50-image.cfg" 'GRUB_CMDLINE_LINUX_DEFAULT="console=tty1 amdgpu.gttsize=8192"'
	boot_as_root update-grub >"$work/err.txt" 2>&1
	boots "GRUB, its second folder" 'linux.*console=tty1 ttm.pages_limit=[0-9]' grub_menu memory/limit

	boot_as_root rm -r /etc/default/grub /etc/default/grub.d /boot/grub

	put "$booted/upper/etc/kernel/cmdline" 'root=/dev/vda1 ro quiet amdgpu.gttsize=8192'
	put "$booted/upper/etc/machine-id" 0123456789abcdef0123456789abcdef
	mkdir -p "$booted/upper/boot/0123456789abcdef0123456789abcdef" "$booted/upper/boot/loader/entries" "$booted/upper/usr/lib/modules/99.0-next"
	boot_as_root kernel-install add "$(uname -r)" "/boot/vmlinuz-$(uname -r)" >"$work/err.txt" 2>&1
	boots "systemd-boot" 'ttm.pages_limit=[0-9].*ttm.pages_limit=[0-9]' loader_entries memory/limit
	boot_as_root rm -r /boot/loader /boot/0123456789abcdef0123456789abcdef /etc/kernel/cmdline

	# Somebody chose dracut, which takes the place of the others. It copies modprobe.d
	# into images that are for this machine alone.
	layer=$cache/fix-boot/dracut
	rm "$booted/sys/module/amdgpu/parameters/gttsize"
	put "$booted/cmdline" 'root=/dev/vda1 ro quiet'
	boot_as_root rm /usr/sbin/update-initramfs "/boot/initrd.img-$(uname -r)"
	put "$booted/upper/etc/dracut.conf.d/machine.conf" $'hostonly=yes\nhostonly_mode=sloppy\ncompress=cat\ndracutmodules="base kernel-modules"'
	boot_as_root dracut --force >"$work/err.txt" 2>&1
	boots "dracut on Debian" 'options ttm pages_limit=[0-9]' boot_image memory/limit
}
