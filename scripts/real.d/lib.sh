# shellcheck shell=bash disable=SC2154 # cache is set elsewhere
# What the sections of scripts/real share: cases and their table, a planted
# machine, and a small root file system.

needs=() work='' failures=0 skips=0 cases=0 section='' table=()

# packages installs what the sections need, by name.
packages() {
	local missing=() pair
	for pair in jq:jq busybox:busybox-static unshare:util-linux "${needs[@]}"; do
		command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
	done
	[[ ${#missing[@]} -gt 0 ]] || return 0
	patiently apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive patiently apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
}

# start makes the working directory with the binary and the small root.
start() {
	work=$(mktemp -d)
	trap cleanup EXIT
	build "$work/rocsmith"
	small_root "$work/root"
}

# cleanup ends what was started and leaves nothing mounted behind.
cleanup() {
	local hook
	for hook in $(compgen -A function cleanup_); do
		"$hook" || true
	done
	if grep -q " $work/" /proc/self/mounts; then
		awk -v dir="$work/" 'index($2, dir) == 1 { print $2 }' /proc/self/mounts | sort -r | xargs -r -n 1 umount -l
	fi
	rm -rf --one-file-system "$work"
}

# soon COMMAND… asks again and again for a minute until a command succeeds: an engine or a container takes a second to
# start, and on a machine with much else to do many.
soon() {
	local tries
	for ((tries = 0; tries < 300; tries++)); do
		if "$@"; then return 0; fi
		sleep 0.2
	done
	return 1
}

begin() {
	section=$1
	echo
	echo "--- $section"
}

# note RESULT NAME SECONDS TEXT adds a line to the table and prints it.
note() {
	local line
	line=$(printf '%-8s %-8s %-34s %5s s  %s' "$section" "$1" "$2" "$3" "$4")
	echo "$line"
	table+=("$line")
}

skip() {
	skips=$((skips + 1))
	note skipped "$1" 0 "$2"
}

# judge NAME WANT COMMAND… runs a doctor that prints JSON and holds it to WANT:
# "EXIT VERDICT CHECK CAUSE" of the finding that a person reads first, a dash
# where there is none. What the last two do not matter for may be left out.
judge() {
	local name=$1 want=$2 start=$EPOCHREALTIME rc=0 got
	shift 2
	"$@" >"$work/out.json" 2>"$work/err.txt" || rc=$?
	got="$rc $(first_finding <"$work/out.json")"
	verify "$name" "$want" "$got" "$start"
}

# first_finding prints "VERDICT CHECK CAUSE" from doctor's JSON.
first_finding() {
	jq -r 'def weight: {"fail": 0, "unknown": 1, "warn": 2}[.verdict] // 9;
		[.findings[] | select(weight < 9)] | sort_by(weight)
		| if length == 0 then "ok - -" else .[0] | "\(.verdict) \(.check) \(.cause // "-")" end' 2>/dev/null || echo "no report"
}

# verify NAME WANT GOT START counts a case.
verify() {
	local seconds
	seconds=$(awk -v a="${4/,/.}" -v b="${EPOCHREALTIME/,/.}" 'BEGIN { printf "%.1f", b - a }')
	cases=$((cases + 1))
	if [[ "$3 " == "$2 "* ]]; then
		note passed "$1" "$seconds" "$3"
		return
	fi
	failures=$((failures + 1))
	note FAILED "$1" "$seconds" "$3, want $2"
	head -n 12 "$work/err.txt" | sed 's/^/         | /'
}

# says NAME PATTERN checks the words of the last report, its messages and cures.
says() {
	local words
	cases=$((cases + 1))
	words=$(jq -r '.findings[] | .message, .remedies[]?.title' "$work/out.json" 2>/dev/null || true)
	if grep -Eq "$2" <<<"$words"; then
		note passed "$1" 0 "says: $2"
		return
	fi
	failures=$((failures + 1))
	note FAILED "$1" 0 "does not say: $2"
}

finish() {
	echo
	printf '%s\n' "${table[@]}"
	echo
	echo "$((cases - failures)) passed, $failures failed, $skips skipped"
	[[ $failures == 0 ]] || exit 1
	if [[ $skips -gt 0 && -n ${REQUIRE:-} ]]; then
		echo "scripts/real: nothing may be skipped here"
		exit 1
	fi
}

# --- planted things ---------------------------------------------------------

put() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
}

# plant_sys DIR [KFD_NUMBERS] writes the sysfs of a machine with one RX 7900 XTX.
plant_sys() {
	local sys=$1 numbers=${2:-234:0} pci=$1/bus/pci/devices/0000:03:00.0 nodes=$1/class/kfd/kfd/topology/nodes
	mkdir -p "$sys/fs/cgroup" "$sys/bus/pci/drivers/amdgpu" "$pci/drm/renderD128" "$pci/drm/card0"
	put "$sys/module/amdgpu/initstate" live
	put "$sys/class/kfd/kfd/dev" "$numbers"
	put "$pci/class" 0x030000
	put "$pci/vendor" 0x1002
	put "$pci/device" 0x744c
	put "$pci/revision" 0xc8
	put "$pci/mem_info_vram_total" 25753026560
	ln -sfn ../../drivers/amdgpu "$pci/driver"
	put "$nodes/0/gpu_id" 0
	put "$nodes/0/properties" $'cpu_cores_count 16\nsimd_count 0\ngfx_target_version 0'
	put "$nodes/1/gpu_id" 4711
	put "$nodes/1/properties" $'cpu_cores_count 0\nsimd_count 192\nsimd_per_cu 2\ngfx_target_version 110000
vendor_id 4098\ndevice_id 29772\nlocation_id 768\ndomain 0\ndrm_render_minor 128\nfw_version 550\nunique_id 1'
}

# plant_igpu SYS adds the integrated GPU of a Ryzen.
plant_igpu() {
	local pci=$1/bus/pci/devices/0000:0f:00.0
	mkdir -p "$pci/drm/renderD129"
	put "$pci/class" 0x030000
	put "$pci/vendor" 0x1002
	put "$pci/device" 0x164e
	put "$pci/revision" 0xc1
	ln -sfn ../../drivers/amdgpu "$pci/driver"
	put "$1/class/kfd/kfd/topology/nodes/2/properties" $'cpu_cores_count 0\nsimd_count 4\nsimd_per_cu 2\ngfx_target_version 100306
vendor_id 4098\ndevice_id 5710\nlocation_id 3840\ndomain 0\ndrm_render_minor 129'
}

# plant_node FILE MAJOR MINOR MODE GID
plant_node() {
	mkdir -p "$(dirname "$1")"
	rm -f "$1"
	mknod "$1" c "$2" "$3"
	chmod "$4" "$1"
	chown "0:$5" "$1"
}

# small_root DIR is a root file system with busybox, one user and our binary. In
# its group file render is 105, while the nodes of the tests belong to 110.
small_root() {
	local root=$1 applet
	mkdir -p "$root"/{bin,etc,proc,sys,dev,tmp,root,home/ada}
	chmod 1777 "$root/tmp"
	chown 1000:1000 "$root/home/ada"
	cp "$(command -v busybox)" "$root/bin/busybox"
	for applet in sh ls id cat mount mkdir poweroff insmod sleep base64; do
		ln -sf busybox "$root/bin/$applet"
	done
	cp "$work/rocsmith" "$root/bin/rocsmith"
	put "$root/etc/passwd" $'root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh'
	put "$root/etc/group" $'root:x:0:\nvideo:x:44:\nrender:x:105:\nada:x:1000:'
	put "$root/etc/os-release" $'ID=busybox\nPRETTY_NAME="Busybox root"'
}

# in_root ROOT SYS DEV UID GROUPS runs doctor in a mount namespace of its own,
# with the planted /sys and /dev and a real /proc, as that user and no other
# group. An empty SYS leaves /sys out, an empty PROC= /proc; VARS= are variables.
in_root() {
	# shellcheck disable=SC2016 # the inner shell expands it
	PROC=${PROC-proc} VARS=${VARS-} unshare --mount --pid --fork -- bash -euc '
		root=$1 sys=$2 dev=$3 uid=$4 groups=$5
		mount --make-rprivate /
		mount --rbind "$root" "$root"
		if [[ -n $sys ]]; then mount --bind "$sys" "$root/sys"; fi
		mount --bind "$dev" "$root/dev"
		if [[ -n $PROC ]]; then mount -t proc proc "$root/proc"; fi
		exec env -i $VARS "$(command -v chroot)" --userspec="$uid:$uid" --groups="$groups" "$root" /bin/rocsmith doctor --format json
	' - "$@"
}

# in_sid UID GROUPS COMMAND… runs a command in the chroot of sid, with the planted /sys
# and /dev of $work/hip, and the programs of the tests in /mnt. What it mounts is
# seen by nobody else and gone afterwards.
in_sid() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount --pid --fork -- bash -euc '
		root=$1 work=$2 uid=$3 groups=$4
		shift 4
		mount --make-rprivate /
		mount --bind "$root" "$root"
		mount --bind "$work/hip/dev" "$root/dev"
		mount --bind "$work/hip/sys" "$root/sys"
		mount -t proc proc "$root/proc"
		mount -t tmpfs none "$root/mnt"
		chmod 755 "$root/mnt"
		mount -t tmpfs none "$root/tmp"
		for program in rocsmith rocsmith-probe hip-count hiprtc kernels.cu; do
			[[ ! -e $work/$program ]] || cp "$work/$program" "$root/mnt"
		done
		exec env -i PATH=/usr/bin LANG=C.UTF-8 HOME=/root "$(command -v chroot)" --userspec="$uid:$uid" --groups="$groups" "$root" "$@"
	' - "$cache/sid" "$work" "$@"
}

# plant_tester DIR HOME writes what an ordinary user with subordinate ids needs who exists in a mount namespace alone:
# as_tester mounts DIR/etc there. Their podman uses crun, which alone hands groups over.
plant_tester() {
	local dir=$1 home=$2
	mkdir -p "$home/run" "$dir/etc"
	put "$dir/etc/passwd" "$(cat /etc/passwd)
tester:x:4300:4300::$home:/bin/sh"
	put "$dir/etc/group" "$(cat /etc/group)
tester:x:4300:"
	put "$dir/etc/subuid" tester:300000:65536
	put "$dir/etc/subgid" tester:300000:65536
	put "$home/containers.conf" "$(sed 's/"runc"/"crun"/; s/^netns.*/&\ncgroups = "disabled"\ncgroupns = "host"/' "$dir/containers.conf")"
	chmod 700 "$home/run"
	chown -R 4300:4300 "$home"
	touch /etc/subuid /etc/subgid
}

# as_tester DIR HOME COMMAND… runs a command as that user, who is in group 110. crun wants no unified hierarchy beside
# the old one. What tester_in holds goes in front: the way into another namespace.
tester_in=()
as_tester() {
	# shellcheck disable=SC2016 # the inner shell expands it
	"${tester_in[@]}" unshare --mount -- bash -euc '
		dir=$1 home=$2
		shift 2
		mount --make-rprivate /
		if mountpoint -q /sys/fs/cgroup/unified; then umount -l /sys/fs/cgroup/unified; fi
		for file in passwd group subuid subgid; do mount --bind "$dir/etc/$file" "/etc/$file"; done
		exec env -i -C "$home" PATH=/usr/bin:/bin:/usr/sbin HOME="$home" USER=tester XDG_RUNTIME_DIR="$home/run" CONTAINERS_CONF="$home/containers.conf" \
			setpriv --reuid 4300 --regid 4300 --groups 110,4300 "$@"' - "$@"
}

# dismiss_tester HOME ends the process by which podman keeps the user's namespace.
dismiss_tester() {
	local pid
	if pid=$(cat "$1/run/libpod/tmp/pause.pid" 2>/dev/null); then
		kill -9 "$pid" 2>/dev/null || true
	fi
}
