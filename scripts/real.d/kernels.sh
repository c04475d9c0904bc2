# shellcheck shell=bash disable=SC2154 # work, cache, KEEP are set elsewhere
# Real kernels under QEMU: amdgpu without a GPU makes a real /dev/kfd and a real
# topology, which differ from kernel to kernel.

needs+=(qemu-system-x86_64:qemu-system-x86 cpio:cpio depmod:kmod xz:xz-utils zstd:zstd)

suites=(bookworm trixie sid)

prepare_kernels() {
	local suite
	for suite in "${suites[@]}"; do
		fetch_kernel "$suite" || echo "scripts/real: no kernel of $suite: $(tail -n 1 "$cache/kernel-$suite.log")"
	done
}

# fetch_kernel SUITE unpacks the suite's kernel and modules below the cache.
fetch_kernel() {
	local dir=$cache/kernel-$1
	[[ ! -e $dir/done ]] || return 0
	mkdir -p "$dir"
	unpack_kernel "$1" "$dir" >"$dir.log" 2>&1 && touch "$dir/done"
}

# unpack_kernel SUITE DIR: newer suites keep the kernel and its modules in
# packages of their own.
unpack_kernel() {
	local suite=$1 dir=$2 image packages
	suite_apt "$suite" apt-get update || return 1
	image=$(suite_apt "$suite" apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ && !seen++ { print $2 }')
	mapfile -t packages < <(suite_apt "$suite" apt-cache depends "$image" | awk '/Depends: linux-(binary|modules)-/ { print $2 }')
	(cd "$dir" && suite_apt "$suite" apt-get download "$image" "${packages[@]}") || return 1
	find "$dir" -name '*.deb' -exec dpkg-deb -x {} "$dir/root" \; -delete
	# depmod and modprobe look below lib.
	[[ -e $dir/root/lib ]] || ln -s usr/lib "$dir/root/lib"
	depmod -b "$dir/root" "$(release_in "$dir")"
}

release_in() { find "$1/root/lib/modules/" -mindepth 1 -maxdepth 1 -printf '%f\n' | sed -n 1p; }

run_kernels() {
	local suite
	for suite in "${suites[@]}"; do
		if [[ ! -e $cache/kernel-$suite/done ]]; then
			skip "kernel of $suite" "it could not be fetched: $(tail -n 1 "$cache/kernel-$suite.log")"
			continue
		fi
		boot_and_judge "$suite"
	done
}

boot_and_judge() {
	local suite=$1 dir=$work/kernels/$1 start=$EPOCHREALTIME release
	release=$(release_in "$cache/kernel-$suite")
	make_guest "$suite" "$release" "$dir"
	boot "$suite" "$dir"
	between doctor "$dir/console.txt" >"$work/out.json"
	between snapshot "$dir/console.txt" | base64 -d >"$dir/snapshot" 2>/dev/null || true
	tail -n 12 "$dir/console.txt" >"$work/err.txt"
	verify "kernel $release" "3 unknown gpu/present -" "$(between code "$dir/console.txt" | sed -n 1p) $(first_finding <"$work/out.json")" "$start"
	says "driver loaded, no GPU" "The driver amdgpu is loaded, but it found no GPU"
	# The same verdict from the snapshot, on this machine.
	judge "its snapshot, judged here" "3 unknown gpu/present -" "$work/rocsmith" doctor --from "$dir/snapshot" --format json
	echo "         open(/dev/kfd): $(grep -E '^-- open /dev/kfd' "$dir/snapshot")"
	if [[ -n ${KEEP:-} ]]; then
		cp "$dir/snapshot" "testdata/machines/real-kernel-${release%%[+-]*}.snapshot"
	fi
}

# boot SUITE DIR runs the guest. An emulated machine at times panics before its init
# runs, which says nothing of rocsmith: then it is started again.
boot() {
	local suite=$1 dir=$2 try
	for try in 1 2 3; do
		timeout 600 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 1024 -smp 2 -nographic -no-reboot -net none \
			-kernel "$(find "$cache/kernel-$suite/root" -name 'vmlinuz*' -type f | sed -n 1p)" -initrd "$dir/initrd" \
			-append "console=ttyS0 quiet panic=1" </dev/null >"$dir/console" 2>&1 || true
		tr -d '\r' <"$dir/console" >"$dir/console.txt"
		if grep -q '^<<<' "$dir/console.txt" || ! grep -q 'Kernel panic' "$dir/console.txt"; then return; fi
		echo "         the kernel of $suite panicked before its init ran (try $try)"
	done
}

# between MARK FILE prints what the guest wrote between its marks.
between() { sed -n "/^<<<$1\$/,/^>>>\$/{/^<<</d;/^>>>/d;p}" "$2"; }

# make_guest SUITE RELEASE DIR packs the small root, the modules that amdgpu needs
# and an init that loads them, asks doctor and switches off.
make_guest() {
	local modules=$cache/kernel-$1/root release=$2 root=$3/root number=0 file
	small_root "$root"
	mkdir -p "$root/modules"
	for file in $(modprobe -d "$modules" -S "$release" --show-depends amdgpu | awk '$1 == "insmod" { print $2 }'); do
		number=$((number + 1))
		unpacked "$file" >"$root/modules/$(printf '%02d' $number).ko"
	done
	# shellcheck disable=SC2016 # the guest's shell expands it
	put "$root/init" '#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for m in /modules/*.ko; do insmod $m; done
sleep 1
echo; echo "<<<doctor"; /bin/rocsmith doctor --format json; code=$?; echo ">>>"
echo "<<<code"; echo $code; echo ">>>"
echo "<<<snapshot"; /bin/rocsmith snapshot | base64; echo ">>>"
poweroff -f'
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc 2>/dev/null) | gzip -1 >"$3/initrd"
}

unpacked() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*) cat "$1" ;;
	esac
}
