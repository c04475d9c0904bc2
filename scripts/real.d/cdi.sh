# shellcheck shell=bash disable=SC2154 # work is set in lib.sh
# The Container Device Interface: what cdi generate writes, read by the real
# podman; what the process in the container then sees and may open; and what cdi
# check says once the machine is another.

needs+=(podman:podman runc:runc tar:tar)

prepare_cdi() { :; }

run_cdi() {
	local dir=$work/cdi
	cdi_plant "$dir"
	local generate=(rocsmith cdi generate -o /etc/cdi/amd.json --yes)

	cdi_exits "check: no specification" 1 "No specification names the GPUs" rocsmith cdi check
	cdi_exits "generate" 0 "Done" "${generate[@]}"
	verify "file and folder are readable" "644 755" "$(stat -c %a "$dir/etc/cdi/amd.json") $(stat -c %a "$dir/etc/cdi")" "$EPOCHREALTIME"
	cdi_exits "check: fresh" 0 "0 failures, 0 warnings" rocsmith cdi check
	cdi_exits "generate again" 0 "holds this already" "${generate[@]}"

	cdi_sees "podman: by number" "0 0 110 660 opened" 0 --user 1000 --group-add 110
	cdi_sees "podman: by address" "0 0 110 660 opened" 0000:03:00.0 --user 1000 --group-add 110
	cdi_sees "podman: all" "0 0 110 660 opened" all --user 1000 --group-add 110
	cdi_sees "podman: without the group" "0 0 110 660 denied" 0 --user 1000
	cdi_sees "podman: another group" "0 0 110 660 denied" 0 --user 1000 --group-add 105
	cdi_sees "podman: root" "0 0 110 660 opened" 0
	cdi_refused "podman: no such GPU" "unresolvable CDI devices amd.com/gpu=1" 1
	judge "doctor in the container" "0 ok" cdi_podman_run "$dir" --user 1000 --group-add 110 -v "$dir/sys:/sys:ro" --device amd.com/gpu=0 \
		real-cdi /bin/rocsmith doctor --format json

	# The language of the file is that of its name.
	cdi_exits "undo takes it back" 0 "" rocsmith undo --last --yes
	verify "nothing is left" "gone gone" "$([[ -e $dir/etc/cdi/amd.json ]] && echo there || echo gone) $([[ -e $dir/etc/cdi ]] && echo there || echo gone)" "$EPOCHREALTIME"
	cdi_exits "generate YAML" 0 "Done" rocsmith cdi generate -o /etc/cdi/amd.yaml --yes
	cdi_sees "podman: YAML" "0 0 110 660 opened" 0 --user 1000 --group-add 110

	# The machine becomes another: the group has a new number, as after an upgrade.
	plant_node "$dir/dev/kfd" 1 3 660 992
	plant_node "$dir/dev/dri/renderD128" 1 3 660 992
	cdi_exits "check: the gid is stale" 1 "gid 110 where the node has 992" rocsmith cdi check
	cdi_sees "podman: the stale gid shuts out" "0 0 110 660 denied" 0 --user 1000 --group-add 992
	cdi_exits "generate anew" 0 "Done" rocsmith cdi generate -o /etc/cdi/amd.yaml --yes
	cdi_sees "podman: the new gid lets in" "0 0 992 660 opened" 0 --user 1000 --group-add 992
	rm "$dir/dev/dri/renderD128"
	cdi_exits "check: a node is gone" 1 "renderD128, which is not there" rocsmith cdi check
	cdi_refused "podman: a node is gone" "renderD128" 0
}

# cdi_plant DIR makes a machine with an RX 7900 XTX whose nodes lead to /dev/null,
# so that opening one asks for its rights and nothing else.
cdi_plant() {
	local dir=$1 node name major minor
	plant_sys "$dir/sys" 1:3
	plant_node "$dir/dev/kfd" 1 3 660 110
	plant_node "$dir/dev/dri/renderD128" 1 3 660 110
	for node in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do
		IFS=: read -r name major minor <<<"$node"
		plant_node "$dir/dev/$name" "$major" "$minor" 666 0
	done
	ln -s /proc/self/fd "$dir/dev/fd"
	ln -s pts/ptmx "$dir/dev/ptmx"
	mkdir -p "$dir"/dev/{pts,shm,mqueue} "$dir"/{state,bin}
	cp -a /etc "$dir/etc"
	rm -rf "$dir/etc/cdi"
	cp "$work/rocsmith" "$dir/bin/rocsmith"
	tar -C "$work/root" -cf "$dir/root.tar" .
	put "$dir/containers.conf" '[containers]
default_ulimits = ["nofile=1024:'"$(ulimit -Hn)"'", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"'
	cdi_podman_ "$dir" import -q "$dir/root.tar" real-cdi >/dev/null
}

# on_cdi DIR SYS COMMAND… runs a command as root on the planted machine. rocsmith
# looks at the planted /sys, podman needs the real one for its cgroups.
on_cdi() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount -- bash -euc '
		dir=$1 sys=$2
		shift 2
		mount --make-rprivate /
		mount --bind "$dir/etc" /etc
		if [[ -e /run/cdi ]]; then mount -t tmpfs none /run/cdi; fi
		mount --rbind "$dir/dev" /dev
		mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts
		mount -t tmpfs none /dev/shm
		if [[ -n $sys ]]; then mount --bind "$sys" /sys; fi
		exec env -i PATH="$dir/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root XDG_STATE_HOME="$dir/state" \
			CONTAINERS_CONF="$dir/containers.conf" "$@"' - "$@"
}

cdi_podman_() {
	local dir=$1
	shift
	on_cdi "$dir" "" podman --root "$dir/podman" --runroot "$dir/podman-run" "$@"
}

cdi_podman_run() {
	local dir=$1
	shift
	cdi_podman_ "$dir" run --rm "$@"
}

# cdi_exits NAME CODE TEXT COMMAND… holds rocsmith's exit code and words.
cdi_exits() {
	local name=$1 want=$2 text=$3 start=$EPOCHREALTIME rc=0 got
	shift 3
	on_cdi "$work/cdi" "$work/cdi/sys" "$@" >"$work/out.txt" 2>"$work/err.txt" || rc=$?
	got=$(tr -s ' \n' ' ' <"$work/out.txt" | grep -oF -- "$text" | sed -n 1p)
	verify "$name" "$want $text" "$rc $got" "$start"
}

# cdi_sees NAME WANT DEVICE ARGUMENT… holds what a container shows of /dev/kfd to
# WANT: exit code, owner, group, mode, and whether it opens.
cdi_sees() {
	local name=$1 want=$2 device=$3 start=$EPOCHREALTIME rc=0
	shift 3
	# shellcheck disable=SC2016 # the shell in the container expands it
	cdi_podman_run "$work/cdi" "$@" --device "amd.com/gpu=$device" real-cdi /bin/sh -c \
		'printf "%s %s\n" "$(busybox stat -c "%u %g %a" /dev/kfd)" "$( (: <>/dev/kfd && : <>/dev/dri/renderD128) 2>/dev/null && echo opened || echo denied)"' \
		>"$work/out.txt" 2>"$work/err.txt" || rc=$?
	verify "$name" "$want" "$rc $(cat "$work/out.txt")" "$start"
}

# cdi_refused NAME TEXT DEVICE expects podman itself to say no.
cdi_refused() {
	local start=$EPOCHREALTIME got=started
	if ! cdi_podman_run "$work/cdi" --device "amd.com/gpu=$3" real-cdi /bin/sh -c : >"$work/out.txt" 2>"$work/err.txt"; then
		got=$(grep -oF -- "$2" "$work/err.txt" | sed -n 1p)
	fi
	verify "$1" "$2" "$got" "$start"
}
