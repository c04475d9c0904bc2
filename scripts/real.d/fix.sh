# shellcheck shell=bash disable=SC2154 # work and cache are set elsewhere
# Cures on real files, with the real sudo, usermod and rights, in a mount
# namespace: from red to green by fix, and back to the last byte by undo.
# shellcheck source=scripts/real.d/fixboot.sh
. scripts/real.d/fixboot.sh

needs+=(debootstrap:debootstrap sudo:sudo usermod:passwd sqlite3:sqlite3 /usr/bin/python3:python3-venv 7zz:7zip setcap:libcap2-bin)

prepare_fix() {
	fetch_fix_kernels >"$cache/fix-kernels.why" 2>&1 || echo "scripts/real: no kernels of rocBLAS: $(tail -n 1 "$cache/fix-kernels.why")"
	fetch_fix_boot >"$cache/fix-boot.why" 2>&1 || echo "scripts/real: no boot loaders: $(tail -n 1 "$cache/fix-boot.why")"
}

# fetch_fix_kernels keeps the kernels of Debian's rocBLAS for two GPUs, and the
# catalogues that serve all.
fetch_fix_kernels() {
	local new=$cache/fix-kernels.new
	[[ ! -e $cache/fix-kernels/done ]] || return 0
	sid_chroot || return 1
	rm -rf "$new"
	mkdir -p "$new/library"
	(cd "$new" && suite_apt sid apt-get update && suite_apt sid apt-get download librocblas4) || return 1
	dpkg-deb --fsys-tarfile "$new"/*.deb | tar -x -C "$new/library" --transform 's|.*/||' --wildcards \
		'*/library/*fallback.dat' '*/library/*lazy_gfx10[13]0.dat' '*/library/Kernels*gfx10[13]0.hsaco' '*/library/*fallback_gfx10[13]0.hsaco' || return 1
	rm -f "$new"/*.deb
	touch "$new/done"
	rm -rf "$cache/fix-kernels"
	mv "$new" "$cache/fix-kernels"
}

# fix_machine DIR plants a machine with an RX 5600 XT and a user ada, who is not
# in the group of the nodes.
fix_machine() {
	local at=$1 node name major minor
	plant_sys "$at/sys" 1:3
	put "$at/sys/bus/pci/devices/0000:03:00.0/device" 0x731f
	put "$at/sys/bus/pci/devices/0000:03:00.0/revision" 0xca
	put "$at/sys/class/kfd/kfd/topology/nodes/1/properties" $'cpu_cores_count 0\nsimd_count 72\nsimd_per_cu 2\ngfx_target_version 100100
vendor_id 4098\ndevice_id 29471\nlocation_id 768\ndomain 0\ndrm_render_minor 128\nfw_version 150\nunique_id 1'
	plant_node "$at/dev/kfd" 1 3 660 110
	plant_node "$at/dev/dri/renderD128" 1 3 660 110
	for node in null:1:3 zero:1:5 random:1:8 urandom:1:9 tty:5:0; do
		IFS=: read -r name major minor <<<"$node"
		plant_node "$at/dev/$name" "$major" "$minor" 666 0
	done
	mkdir -p "$at/dev/pts" "$at/dev/shm" "$at/root" "$at/home/ada" "$at/tools" "$at/opt" "$at"/tree/{usr,sys,dev,root,home,etc,opt,proc,run,tmp,var/lib}
	chmod 1777 "$at/tree/tmp"
	for name in bin sbin lib lib64; do
		ln -s "usr/$name" "$at/tree/$name"
	done
	# shellcheck disable=SC2154 # set in lib.sh
	cp "$work/rocsmith" "$at/tools/rocsmith"
	ln -s pts/ptmx "$at/dev/ptmx"
	cp -a /etc "$at/etc"
	rm -f "$at"/etc/{passwd,group,shadow,gshadow}- "$at"/etc/modprobe.d/*.conf
	put "$at/etc/passwd" $'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada:/home/ada:/bin/bash'
	put "$at/etc/group" $'root:x:0:\ntty:x:5:\nvideo:x:44:\nshadow:x:42:\nrender:x:110:\nada:x:1000:'
	put "$at/etc/gshadow" $'root:*::\ntty:*::\nvideo:*::\nshadow:*::\nrender:!::\nada:!::'
	put "$at/etc/shadow" $'root:*:19000:0:99999:7:::\nada:*:19000:0:99999:7:::'
	chmod 640 "$at/etc/shadow" "$at/etc/gshadow"
	put "$at/etc/sudoers.d/ada" 'ada ALL=(ALL) NOPASSWD: ALL'
	chmod 440 "$at/etc/sudoers.d/ada"
	# What the machine would start with, made of the files as the real tool does.
	put "$at/tools/update-initramfs" $'#!/bin/sh\ncat /etc/modprobe.d/*.conf >/root/boot-image'
	chmod 755 "$at/tools/update-initramfs"
	chmod 700 "$at/root"
	chown -R 1000:1000 "$at/home/ada"
	chmod 711 "$at" "$at/.."
}

# on_it [NAME=VALUE…] COMMAND… runs a command as ada on the planted machine, with
# the groups that a login would give her. Programs are those of this system; its
# root is not, because it may carry the marks of a container.
on_it() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount --pid --fork -- bash -euc '
		at=$1 tree=$1/tree
		shift
		mount --make-rprivate /
		mount --rbind "$tree" "$tree"
		mount --bind /usr "$tree/usr"
		mount --bind "$at/tools" "$tree/usr/local/sbin"
		for name in sys dev root home etc opt; do
			mount --rbind "$at/$name" "$tree/$name"
		done
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts"
		mount -t proc proc "$tree/proc"
		exec chroot "$tree" setpriv --reuid=ada --regid=ada --init-groups --inh-caps=-all -- env -i --default-signal=INT --default-signal=QUIT --default-signal=HUP --chdir=/home/ada \
			HOME=/home/ada USER=ada SHELL=/bin/bash PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
	' - "$fixed" "$@"
}

# login_vars prints what the shell files of ada set, as a login would have it.
login_vars() {
	local name
	for name in .profile .bashrc .zshrc; do
		[[ -e $fixed/home/ada/$name ]] || continue
		on_it bash -c ". ./$name; env" | grep -E '^(HSA|MIOPEN)_' || true
	done | sort -u
}

# as_found prints all files that may be changed: owner, mode, time and content.
as_found() {
	(cd "$fixed" && find etc home root opt -path '*/.local/state' -prune -o -type f -printf '%p %U:%G %m %T@ ' -exec sha256sum {} \; &&
		find etc home opt -path '*/.local' -prune -o -type d -printf '%p %U:%G %m\n') | grep -v ' root/boot-image$' | grep -v '^root/boot-image' | sort
}

# verdict_of CHECK asks doctor, in a new login, for the worst verdict of a check.
verdict_of() {
	local vars=()
	mapfile -t vars < <(login_vars)
	on_it "${vars[@]}" rocsmith doctor --format json 2>"$work/err.txt" |
		jq -r --arg id "$1" '[.findings[] | select(.check == $id) | .verdict] | if any(. == "fail") then "fail" elif any(. == "warn") then "warn" elif any(. == "ok") then "ok" else "skipped" end'
}

# cured NAME CHECK RED ARGUMENT… wants a check red, fixes, wants it green in a new
# login, undoes, and wants every file as it was.
cured() {
	local name=$1 id=$2 red=$3 start=$EPOCHREALTIME before rc=0 vars=()
	shift 3
	verify "$name: before" "$red" "$(verdict_of "$id")" "$start"
	before=$(as_found)
	mapfile -t vars < <(login_vars)
	on_it "${vars[@]}" rocsmith fix --yes "$@" >"$work/err.txt" 2>&1 || rc=$?
	verify "$name: fix" 0 "$rc" "$start"
	verify "$name: after" ok "$(verdict_of "$id")" "$start"
	rc=0
	on_it rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "$name: undo" 0 "$rc" "$start"
	diff <(echo "$before") <(as_found) >"$work/err.txt" || true
	verify "$name: to the last byte" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
}

run_fix() {
	local fixed=$work/fix file
	mkdir -p "$fixed"
	fix_machine "$fixed"
	cured "a missing group" access/kfd fail access
	# For what follows she is in the group.
	sed -i 's/^render:x:110:/render:x:110:ada/' "$fixed/etc/group"

	for file in .profile .bashrc .zshrc; do
		printf '# my own\nif true; then\n\texport HSA_OVERRIDE_GFX_VERSION=10.3.0\nfi\nexport EDITOR=vi\n' >"$fixed/home/ada/$file"
	done
	chmod 600 "$fixed/home/ada/.zshrc"
	chown -R 1000:1000 "$fixed/home/ada"
	touch -d '2024-02-29 12:00:00.123456789' "$fixed"/home/ada/.{profile,bashrc,zshrc}
	cured "the wrong override in three files" gpu/override fail gpu/override
	rm "$fixed"/home/ada/.{profile,bashrc,zshrc}

	file=$fixed/home/ada/.cache/miopen/3.5.1./gfx1010_18.ukdb
	mkdir -p "$(dirname "$file")"
	sqlite3 "$file" 'CREATE TABLE kern_db(id INTEGER PRIMARY KEY, kernel_name TEXT, kernel_args TEXT, kernel_blob BLOB, kernel_hash TEXT, uncompressed_size INT);'
	chown -R 1000:1000 "$fixed/home/ada"
	chown 0:0 "$file"
	chmod 644 "$file"
	cured "a cache of root" miopen/cache-writable fail miopen-db-readonly
	chown -R 0:0 "$fixed/home/ada/.cache/miopen"
	chmod 4755 "$file"
	untouched "a file that runs as root" 4 rocsmith fix --yes miopen
	chmod 755 "$file"
	setcap cap_net_raw=ep "$file"
	untouched "a file with capabilities" 4 rocsmith fix --yes miopen
	verify "a file with capabilities: it has them" cap_net_raw=ep "$(getcap "$file" | awk '{ print $NF }')" "$EPOCHREALTIME"
	setcap -r "$file"
	ln -s /etc/shadow "$(dirname "$file")/link"
	cured "a cache folder of root" miopen/cache-writable fail miopen
	verify "a cache folder of root: the link was not followed" 0 "$(stat -c %u "$fixed/etc/shadow")" "$EPOCHREALTIME"
	ln "$fixed/etc/shadow" "$(dirname "$file")/hard"
	untouched "a file with two names in it" 4 rocsmith fix --yes miopen
	verify "a file with two names in it: whose it is" 0 "$(stat -c %u "$fixed/etc/shadow")" "$EPOCHREALTIME"
	rm -r "$fixed/home/ada/.cache"

	file=$fixed/opt/rocm-6.4.0/share/miopen/db/gfx1010.kdb
	mkdir -p "$(dirname "$file")"
	put "$fixed/opt/rocm-6.4.0/.info/version" 6.4.0-1
	put "$fixed/opt/rocm-6.4.0/lib/libMIOpen.so.1" library
	ln -sfn rocm-6.4.0 "$fixed/opt/rocm"
	sqlite3 "$file" 'PRAGMA journal_mode=wal; CREATE TABLE kern_db(id INTEGER PRIMARY KEY, kernel_name TEXT, kernel_args TEXT, kernel_blob BLOB, kernel_hash TEXT, uncompressed_size INT);' >/dev/null
	cured "a shipped database in WAL mode" miopen/cache-writable fail miopen-journal-delete
	rm -r "$fixed/opt/rocm-6.4.0" "$fixed/opt/rocm"

	run_fix_linked
	# shellcheck disable=SC2016 # the very characters are wanted
	printf '# written $(date)\noptions amdgpu noretry=0\noptions amdgpu vm_fragment_size=9\noptions amdgpu gtt_size=8192 mtype_local=1\noptions amdgpu runpm=$(date)\n' \
		>"$fixed/etc/modprobe.d/amdgpu-rdna1.conf"
	cured "folklore in modprobe.d" driver/parameters warn driver/parameters
	rm "$fixed/etc/modprobe.d/amdgpu-rdna1.conf"
	run_fix_kernels
	run_fix_pip
	# shellcheck disable=SC2016 # the very characters are wanted
	printf 'options amdgpu noretry=0\noptions amdgpu vm_fragment_size=9\noptions amdgpu gtt_size=8192 mtype_local=1\noptions amdgpu runpm=$(date)\n' \
		>"$fixed/etc/modprobe.d/amdgpu-rdna1.conf"
	run_fix_sudo
	run_fix_all
	run_fix_refused
	run_fix_boot
}

# run_fix_linked: a shell's file that is kept elsewhere stays one that the shell
# can read; variables go where the shell looks; what root left is not taken over.
run_fix_linked() {
	local home=$fixed/home/ada start=$EPOCHREALTIME rc=0
	mkdir "$home/dotfiles"
	printf 'if true; then\n\texport HSA_OVERRIDE_GFX_VERSION=10.3.0\nfi\n' >"$home/dotfiles/bashrc"
	ln -s dotfiles/bashrc "$home/.bashrc"
	chown -hR 1000:1000 "$home"
	cured "the wrong override in a linked file" gpu/override fail gpu/override
	on_it HSA_OVERRIDE_GFX_VERSION=10.3.0 rocsmith fix --yes gpu/override >"$work/err.txt" 2>&1 || true
	on_it bash -n .bashrc >"$work/err.txt" 2>&1 || rc=$?
	verify "the wrong override in a linked file: the shell reads it" 0 "$rc" "$start"

	# Its folder is moved away: undo leaves it, and holds up no later fix.
	mv "$home/dotfiles" "$home/moved"
	rc=0
	on_it rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "the folder of a file is gone: undo" 1 "$rc" "$start"
	rc=0
	on_it rocsmith fix --yes driver >"$work/err.txt" 2>&1 || rc=$?
	verify "the folder of a file is gone: the next fix" 0 "$rc" "$start"
	mv "$home/moved" "$home/dotfiles"
	rc=0
	on_it rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "the folder of a file is back: undo" "0 0" "$rc $(grep -c rocsmith "$home/dotfiles/bashrc" || true)" "$start"
	rm -r "$home/dotfiles" "$home/.bashrc"

	mkdir -p "$home/.cache/miopen/3.5.1."
	sqlite3 "$home/.cache/miopen/3.5.1./gfx1010_18.ukdb" 'CREATE TABLE kern_db(id INTEGER PRIMARY KEY, kernel_name TEXT, kernel_args TEXT, kernel_blob BLOB, kernel_hash TEXT, uncompressed_size INT);'
	chown -R 1000:1000 "$home"
	chown 0:0 "$home/.cache/miopen/3.5.1./gfx1010_18.ukdb"
	echo 'alias l=ls' >"$home/.bashrc"
	untouched "a .bashrc of root" 1 rocsmith fix --yes miopen-fresh-folders
	printf 'if [[ $- == *i* ]]; then\n\texec fish\nfi\n' >"$home/.bashrc"
	chown 1000:1000 "$home/.bashrc"
	untouched "a .bashrc that starts fish" 1 rocsmith fix --yes miopen-fresh-folders
	rm -r "$home/.bashrc" "$home/.cache"
}

# run_fix_kernels: a rocBLAS of AMD's without this GPU gets Debian's kernels for it,
# which are real, from archives of several kinds.
run_fix_kernels() {
	local library=$fixed/opt/rocm-6.4.0/lib/rocblas/library home=$fixed/home/ada start sum before rc file
	if [[ ! -e $cache/fix-kernels/done ]]; then
		skip "kernels for rocBLAS" "$(tail -n 1 "$cache/fix-kernels.why")"
		return
	fi
	put "$fixed/opt/rocm-6.4.0/.info/version" 6.4.0-1
	put "$fixed/opt/rocm-6.4.0/lib/librocblas.so.4" library
	ln -sfn rocm-6.4.0 "$fixed/opt/rocm"
	mkdir -p "$library"
	find "$cache/fix-kernels/library" -type f ! -name '*gfx1010*' ! -name '*[a-z]_gfx1030.co' -exec cp -t "$library" {} +
	echo old >"$library/Kernels.so-000-gfx1010.hsaco"
	(cd "$cache/fix-kernels/library" && tar -cf "$home/kernels.tar.zst" --zstd ./*gfx1010* ./*fallback.dat && tar -czf "$home/half.tar.gz" ./Kernels*gfx1010*)
	mkdir "$home/folder"
	cp "$cache/fix-kernels/library"/*gfx1010* "$home/folder"
	(cd "$cache/fix-kernels/library" && tar -cf "$home/links.tar" --transform 's|.*fallback_gfx1010|../../../etc/x_fallback_gfx1010|' -- *fallback_gfx1010*)
	fix_sevens "$home"
	chown -R 1000:1000 "$home"
	sum=$(sha256sum <"$home/kernels.tar.zst" | cut -d' ' -f1)
	untouched "kernels without a sum" 3 rocsmith fix --yes --kernels kernels.tar.zst
	untouched "kernels with another sum" 2 rocsmith fix --yes --kernels kernels.tar.zst --sha256 "${sum//[0-8]/9}"
	untouched "half of the kernels" 2 rocsmith fix --yes --kernels half.tar.gz --trust
	untouched "kernels that lead out" 2 rocsmith fix --yes --kernels links.tar --trust
	untouched "kernels in a .7z by PPMd" 2 rocsmith fix --yes --kernels ppmd.7z --trust
	verify "kernels in a .7z by PPMd: said" 1 "$(on_it rocsmith fix --yes --kernels ppmd.7z --trust 2>&1 | tr -s ' \n' ' ' | grep -c 'uses PPMd.*unpack it with 7z x' || true)" "$EPOCHREALTIME"
	untouched "half of a .7z" 2 rocsmith fix --yes --kernels half.7z --trust
	untouched "a .7z that is damaged" 2 rocsmith fix --yes --kernels damaged.7z --trust
	cured "kernels from an archive" coverage/rocblas fail --kernels kernels.tar.zst --sha256 "$sum"
	for file in lzma2 lzma bcj best; do
		cured "kernels from a .7z, $file" coverage/rocblas fail --kernels "$file.7z" --sha256 "$(sha256sum <"$home/$file.7z" | cut -d' ' -f1)"
	done
	cured "kernels from a folder" coverage/rocblas fail --kernels folder --trust

	# An update replaces a file; case says so, and undo leaves it.
	start=$EPOCHREALTIME before=$(as_found) rc=0
	on_it rocsmith fix --yes --kernels kernels.tar.zst --sha256 "$sum" >"$work/err.txt" 2>&1 || rc=$?
	verify "kernels, again: fix" 0 "$rc" "$start"
	echo update >"$library/TensileLibrary_lazy_gfx1010.dat"
	on_it rocsmith case >"$work/out.txt" 2>"$work/err.txt" || true
	verify "kernels, replaced by an update: case" 1 "$(tr -s ' \n' ' ' <"$work/out.txt" | grep -c '1 of 5. files of .* is not what rocsmith wrote any more' || true)" "$start"
	rc=0
	on_it rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "kernels, replaced by an update: undo" 1 "$rc" "$start"
	rm "$library/TensileLibrary_lazy_gfx1010.dat"
	diff <(echo "$before") <(as_found) >"$work/err.txt" || true
	verify "kernels, replaced by an update: the rest is back" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
	rm -r "$fixed/opt/rocm-6.4.0" "$fixed/opt/rocm" "$home"/{kernels.tar.zst,half.tar.gz,links.tar,folder} "$home"/*.7z
}

# fix_sevens DIR packs the same kernels with the real 7-Zip: in ways that are read, the
# best of them beside a program, which 7-Zip packs apart, and in ways that are not.
fix_sevens() {
	local home=$1 from=$cache/fix-kernels/library
	(
		cd "$from" || return
		7zz a -bso0 -bsp0 -mx=1 -ms=on -m0=lzma2 "$home/lzma2.7z" ./*gfx1010* ./*fallback.dat
		7zz a -bso0 -bsp0 -mx=1 -m0=lzma "$home/lzma.7z" ./*gfx1010* ./*fallback.dat
		7zz a -bso0 -bsp0 -mx=1 -m0=bcj -m1=lzma2 "$home/bcj.7z" ./*gfx1010* ./*fallback.dat
		7zz a -bso0 -bsp0 -mx=1 -m0=ppmd "$home/ppmd.7z" ./*gfx1010*
		cp /bin/bash "$home/rocblas.dll"
		7zz a -bso0 -bsp0 -mx=9 "$home/best.7z" ./*gfx1010* ./*fallback.dat "$home/rocblas.dll"
		rm "$home/rocblas.dll"
	)
	head -c "$(($(stat -c %s "$home/lzma2.7z") / 2))" "$home/lzma2.7z" >"$home/half.7z"
	cp "$home/lzma2.7z" "$home/damaged.7z"
	printf 'another' | dd of="$home/damaged.7z" bs=1 seek=20000 conv=notrunc status=none
}

# fix_wheel DIR VERSION HIP makes a torch of one file that says what it is built for.
fix_wheel() {
	/usr/bin/python3 - "$@" <<-'END'
		import sys, zipfile
		folder, version, hip = sys.argv[1:]
		info = f"torch-{version}.dist-info"
		files = {
		    "torch/__init__.py": "",
		    "torch/version.py": f"__version__ = '{version}'\ncuda = None\nhip = {hip!r}\n" if hip else f"__version__ = '{version}'\ncuda = None\nhip = None\n",
		    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n",
		    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		}
		files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
		with zipfile.ZipFile(f"{folder}/torch-{version}-py3-none-any.whl", "w") as z:
		    for name, text in files.items():
		        z.writestr(name, text)
	END
}

# run_fix_pip: a torch for the processor is replaced by one for ROCm with the real
# pip, from a folder of wheels; never without the flag, and taken back.
run_fix_pip() {
	local home=$fixed/home/ada start=$EPOCHREALTIME rc=0 venv=(VIRTUAL_ENV=/home/ada/venv PIP_NO_INDEX=1 PIP_FIND_LINKS=/home/ada/wheels PIP_DISABLE_PIP_VERSION_CHECK=1)
	has_torch() { find "$home"/venv/lib/python3*/site-packages -maxdepth 1 -name 'torch-*.dist-info' -printf '%f ' | sed 's/.dist-info//g'; }
	# The GPU is one that pytorch.org builds for.
	mv "$fixed/sys" "$fixed/sys.aside"
	plant_sys "$fixed/sys" 1:3
	mkdir "$home/wheels"
	fix_wheel "$home/wheels" 2.9.1+cpu ''
	fix_wheel "$home/wheels" 2.9.1+rocm6.4 6.4.43482
	chown -R 1000:1000 "$home"
	on_it /usr/bin/python3 -m venv venv >"$work/err.txt" 2>&1 || rc=$?
	on_it "${venv[@]}" venv/bin/python -m pip install torch==2.9.1+cpu >>"$work/err.txt" 2>&1 || rc=$?
	verify "torch for the processor: installed" "0 torch-2.9.1+cpu" "$rc $(has_torch)" "$start"

	rc=0
	on_it "${venv[@]}" rocsmith fix --yes python/build >"$work/err.txt" 2>&1 || rc=$?
	verify "torch for the processor: not without --pip" "1 torch-2.9.1+cpu" "$rc $(has_torch)" "$start"
	mv "$home/wheels/torch-2.9.1+rocm6.4-py3-none-any.whl" "$home/kept.whl"
	# Without the right wheel the one that is there would do for pip: it is the same version.
	rm "$home/wheels"/*.whl
	rc=0
	on_it "${venv[@]}" rocsmith fix --yes --pip python/build >"$work/err.txt" 2>&1 || rc=$?
	verify "torch for the processor: no wheel to be had" "4 torch-2.9.1+cpu" "$rc $(has_torch)" "$start"
	mv "$home/kept.whl" "$home/wheels/torch-2.9.1+rocm6.4-py3-none-any.whl"
	rc=0
	on_it "${venv[@]}" rocsmith fix --yes --pip python/build >"$work/err.txt" 2>&1 || rc=$?
	verify "torch for the processor: with --pip" "0 torch-2.9.1+rocm6.4" "$rc $(has_torch)" "$start"
	rc=0
	on_it "${venv[@]}" rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "torch for the processor: undo without its wheel" 1 "$rc" "$start"
	verify "torch for the processor: what is left to do" 1 "$(tr -s ' \n' ' ' <"$work/err.txt" | grep -c 'install --no-deps torch==2.9.1+cpu' || true)" "$start"
	fix_wheel "$home/wheels" 2.9.1+cpu ''
	rc=0
	on_it "${venv[@]}" rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "torch for the processor: undo" "0 torch-2.9.1+cpu" "$rc $(has_torch)" "$start"
	rm -r "$home/venv" "$home/wheels" "$fixed/sys"
	mv "$fixed/sys.aside" "$fixed/sys"
}

# untouched NAME CODE COMMAND… wants an exit code, and every file as it was.
untouched() {
	local name=$1 want=$2 start=$EPOCHREALTIME before rc=0
	shift 2
	before=$(as_found)
	on_it "$@" >"$work/err.txt" 2>&1 || rc=$?
	verify "$name: exit" "$want" "$rc" "$start"
	diff <(echo "$before") <(as_found) >"$work/err.txt" || true
	verify "$name: nothing changed" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
}

# typing is a program that starts a command in a terminal and types: pairs of what it
# waits for, a file that is made or words that are shown, and what it types then, until
# the command's name begins.
typing='
import os, pty, select, sys
at = sys.argv.index("rocsmith")
pid, fd = pty.fork()
if not pid:
    os.execvp("rocsmith", sys.argv[at:])
pairs, shown = sys.argv[1:at], b""
try:
    while True:
        if select.select([fd], [], [], 0.05)[0]:
            shown += os.read(fd, 65536)
        if pairs and (os.path.exists(pairs[0]) if pairs[0].startswith("/") else pairs[0].encode() in shown):
            os.write(fd, pairs[1].replace("\\n", "\n").encode())
            pairs, shown = pairs[2:], b""
except OSError: # it has ended
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
'

# stopping is a program that starts a command, and sends it a signal when a file is made.
stopping='
import os, signal, subprocess, sys, time
command = subprocess.Popen(sys.argv[2:])
while not os.path.exists(sys.argv[1]) and command.poll() is None:
    time.sleep(0.05)
command.send_signal(signal.SIGINT)
sys.exit(command.wait())
'

# run_fix_refused: what goes wrong leaves the machine as it was.
run_fix_refused() {
	local home=$fixed/home/ada tool=$fixed/tools/update-initramfs override=HSA_OVERRIDE_GFX_VERSION=10.3.0 start before
	cp "$tool" "$work/tool"
	printf '#!/bin/sh\nexit 1\n' >"$tool"
	untouched "a command of root fails" 4 rocsmith fix --yes driver/parameters
	# shellcheck disable=SC2016 # the tool expands it
	printf '#!/bin/sh\n[ -e /root/killed ] && exit\n: >/root/killed\nkill -9 $PPID\n' >"$tool"
	start=$EPOCHREALTIME
	before=$(as_found)
	on_it rocsmith fix --yes driver/parameters >"$work/err.txt" 2>&1 || true
	rm "$fixed/root/killed"
	diff <(echo "$before") <(as_found) >"$work/err.txt" || true
	verify "root's rocsmith is killed: nothing changed" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
	cp "$work/tool" "$tool"

	printf '#!/bin/sh\n: >/tmp/works\nsleep 3\n' >"$tool"
	untouched "stopped while root works" 5 /usr/bin/python3 -c "$stopping" /tmp/works rocsmith fix --yes driver/parameters
	rm -f "$fixed/tree/tmp/works"
	untouched "Ctrl-C while root works" 5 /usr/bin/python3 -c "$typing" '[y/N]' 'y\n' /tmp/works $'\003' rocsmith fix driver/parameters
	untouched "Ctrl-C at the question" 5 /usr/bin/python3 -c "$typing" '[y/N]' $'\003' rocsmith fix driver/parameters
	verify "stopped: nothing is left open" 0 "$(on_it rocsmith undo --list | grep -c ' interrupted ' || true)" "$EPOCHREALTIME"
	cp "$work/tool" "$tool"

	put "$fixed/etc/sudoers.d/ada" 'ada ALL=(ALL) NOPASSWD: /usr/local/sbin/rocsmith'
	cured "sudo for rocsmith alone" driver/parameters warn driver/parameters
	rm "$fixed/etc/sudoers.d/ada"
	untouched "no sudo" 4 rocsmith fix --yes driver/parameters
	printf 'export %s\n' "$override" >"$home/.bashrc"
	chown 1000:1000 "$home/.bashrc"
	on_it "$override" rocsmith fix --yes gpu/override driver/parameters >"$work/err.txt" 2>&1 || true
	verify "no sudo: what is left of it" "1 1" "$(grep -c 'Not done, because it needs root' "$work/err.txt" || true) $(grep -c '· restart the machine\|- restart the machine' "$work/err.txt" || true)" "$EPOCHREALTIME"
	verify "no sudo: undo waits for a shell alone" 1 "$(on_it rocsmith undo --last --yes | grep -c 'takes effect with a new shell.$' || true)" "$EPOCHREALTIME"
	untouched "nobody to ask" 3 rocsmith fix driver/parameters

	mount -t tmpfs -o size=64k,mode=700,uid=1000,gid=1000 tmpfs "$home"
	printf 'export %s\n' "$override" >"$home/.bashrc"
	chown 1000:1000 "$home/.bashrc"
	dd if=/dev/zero of="$home/fill" bs=4k 2>/dev/null || true
	untouched "a full disk" 2 "$override" rocsmith fix --yes gpu/override
	rm "$home/fill"
	mount -o remount,ro "$home"
	untouched "a read-only disk" 2 "$override" rocsmith fix --yes gpu/override
	mount -o remount,rw "$home"
	ln -s /etc/bash.bashrc "$home/.zshrc"
	ln "$home/.bashrc" "$home/second"
	untouched "a file with two names" 1 "$override" rocsmith fix --yes gpu/override
	umount "$home"
}

# run_fix_sudo: called with sudo, it is root's own journal that keeps it.
run_fix_sudo() {
	local start=$EPOCHREALTIME before rc=0
	before=$(as_found)
	on_it sudo HOME=/home/ada rocsmith fix --yes driver/parameters >"$work/err.txt" 2>&1 || rc=$?
	verify "called with sudo: fix" 0 "$rc" "$start"
	verify "called with sudo: after" ok "$(verdict_of driver/parameters)" "$start"
	verify "called with sudo: no file of root at home" 0 "$(find "$fixed/home" -user 0 | grep -c ada/ || true)" "$start"
	on_it sudo HOME=/home/ada rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "called with sudo: undo" 0 "$rc" "$start"
	diff <(echo "$before") <(as_found) >"$work/err.txt" || true
	verify "called with sudo: to the last byte" same "$([[ -s $work/err.txt ]] && echo changed || echo same)" "$start"
}

# run_fix_all: all four at once, and what stands in the way of undo.
run_fix_all() {
	local start=$EPOCHREALTIME rc=0
	printf 'export HSA_OVERRIDE_GFX_VERSION=10.3.0\n' >"$fixed/home/ada/.bashrc"
	chown 1000:1000 "$fixed/home/ada/.bashrc"
	on_it HSA_OVERRIDE_GFX_VERSION=10.3.0 rocsmith fix --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "several at once: fix" 0 "$rc" "$start"
	verify "several at once: boot image" 0 "$(grep -cE '^options.*(gtt_size|vm_fragment_size|mtype_local|date)' "$fixed/root/boot-image" || true)" "$start"
	echo 'export EDITOR=vi' >>"$fixed/home/ada/.bashrc"
	rc=0
	on_it rocsmith undo --last --yes >"$work/err.txt" 2>&1 || rc=$?
	verify "changed since: undo" 1 "$rc" "$start"
	verify "changed since: kept" 1 "$(grep -c EDITOR "$fixed/home/ada/.bashrc")" "$start"
	verify "changed since: the rest is back" 4 "$(grep -c '^options' "$fixed/root/boot-image" || true)" "$start"
	rc=0
	on_it rocsmith case >"$work/err.txt" 2>&1 || rc=$?
	verify "case" 0 "$rc" "$start"
}
