# shellcheck shell=bash disable=SC2154 # work is set in lib.sh
# Real container engines: every way in which a container is given a GPU, or is
# not, judged by doctor inside the container.

needs+=(podman:podman runc:runc crun:crun newuidmap:uidmap dockerd:docker.io tar:tar)

prepare_engines() { :; }

run_engines() {
	local dir=$work/engines
	# Nodes that open: the numbers of /dev/null under the GPU's names. And dead
	# ones: numbers that no driver here has.
	plant_sys "$dir/sys" 1:3
	plant_sys "$dir/sys-dead" 234:0
	plant_node "$dir/dev/kfd" 1 3 660 110
	plant_node "$dir/dev/renderD128" 1 3 660 110
	plant_node "$dir/dev/render105" 1 3 660 105
	plant_node "$dir/dev/kfd0666" 1 3 666 110
	plant_node "$dir/dev/render0666" 1 3 666 110
	plant_node "$dir/dev/dead" 234 0 660 110
	tar -C "$work/root" -cf "$dir/root.tar" .
	tar -C "$work" -cf "$dir/scratch.tar" rocsmith
	# A rootless user must be able to reach all of this.
	chmod 755 "$work" "$dir"

	start_podman "$dir"
	rows podman
	judge "podman: CDI without owner" "0 ok" cdi_podman "$dir"
	if start_docker "$dir"; then
		rows docker
	else
		skip "docker" "dockerd does not start here: $(grep -oE 'level=(error|fatal) .*|failed to start.*' "$dir/dockerd.log" | tail -n 1)"
	fi
	rootless_rows "$dir"
	dismiss_tester "$dir/home"
}

# rows ENGINE tries each way in. ENGINE_run takes the engine's arguments, the
# image and the command.
rows() {
	local engine=$1 dir=$work/engines
	local gpu=(--device "$dir/dev/kfd:/dev/kfd" --device "$dir/dev/renderD128:/dev/dri/renderD128")
	try "$engine: group by number" "0 ok" "$engine" sys --user 1000 --group-add 110 "${gpu[@]}"
	try "$engine: no group" "1 fail access/kfd device-permission-group" "$engine" sys --user 1000 "${gpu[@]}"
	try "$engine: group by name" "1 fail access/kfd container-gid-mismatch" "$engine" sys --user 1000 --group-add render "${gpu[@]}"
	says "$engine: why the name failed" "\"render\" is 105 here because $engine looked the name up in the image"
	refused "$engine: unknown group name" "Unable to find group nosuch" "$engine" --group-add nosuch
	try "$engine: second group missing" "1 fail access/render container-gid-mismatch" "$engine" sys --user 1000 --group-add 110 \
		--device "$dir/dev/kfd:/dev/kfd" --device "$dir/dev/render105:/dev/dri/renderD128"
	try "$engine: mounted, not passed" "1 fail access/kfd container-device-not-mapped" "$engine" sys-dead \
		-v "$dir/dev/dead:/dev/kfd" --device "$dir/dev/renderD128:/dev/dri/renderD128"
	says "$engine: names the device cgroup" "EPERM.*the device cgroup denies it"
	try "$engine: no device" "1 fail access/nodes container-device-not-mapped" "$engine" sys
	try "$engine: only /dev/dri" "1 fail access/nodes container-device-not-mapped" "$engine" sys --device "$dir/dev/renderD128:/dev/dri/renderD128"
	try "$engine: no driver behind the node" "1 fail access/kfd kfd-bad-state" "$engine" sys-dead --user 1000 --group-add 110 \
		--device "$dir/dev/dead:/dev/kfd" --device "$dir/dev/renderD128:/dev/dri/renderD128"
	try "$engine: another device" "1 fail access/kfd container-device-not-mapped" "$engine" sys-dead "${gpu[@]}"
	try "$engine: 0666, no group" "0 ok" "$engine" sys --user 1000 \
		--device "$dir/dev/kfd0666:/dev/kfd" --device "$dir/dev/render0666:/dev/dri/renderD128"
	try "$engine: root" "0 ok" "$engine" sys "${gpu[@]}"
	judge "$engine: scratch, as process 1" "0 ok" "${engine}_run" -v "$dir/sys:/sys:ro" "${gpu[@]}" scratch-real /rocsmith doctor --format json
	judge "$engine: child of process 1" "0 ok" "${engine}_run" -v "$dir/sys:/sys:ro" "${gpu[@]}" real /bin/sh -c '/bin/rocsmith doctor --format json; exit $?'
	judge "$engine: home is read-only" "0 warn miopen/cache-writable miopen-db-readonly" "${engine}_run" --read-only -v "$dir/sys:/sys:ro" "${gpu[@]}" real /bin/rocsmith doctor --format json
	says "$engine: what to mount" "Mount a folder that MIOpen can write"
}

# try NAME WANT ENGINE SYS ARGUMENT… judges one container.
try() {
	local name=$1 want=$2 engine=$3 sys=$4
	shift 4
	judge "$name" "$want" "${engine}_run" -v "$work/engines/$sys:/sys:ro" "$@" real /bin/rocsmith doctor --format json
}

# refused NAME TEXT ENGINE ARGUMENT… expects the engine itself to say no.
refused() {
	local name=$1 text=$2 engine=$3 start=$EPOCHREALTIME got=started
	shift 3
	if ! "${engine}_run" "$@" real /bin/rocsmith --version >"$work/out.json" 2>"$work/err.txt"; then
		got=$(grep -o "$text" "$work/err.txt" | sed -n 1p)
	fi
	verify "$name" "$text" "$got" "$start"
}

# --- podman -------------------------------------------------------------------

# start_podman DIR: runc, because crun refuses hybrid cgroups; limits within the
# hard ones, because raising them needs a capability that a CI machine may lack.
start_podman() {
	put "$1/containers.conf" '[containers]
default_ulimits = ["nofile=1024:'"$(ulimit -Hn)"'", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"'
	podman_ import -q "$1/root.tar" real >/dev/null
	podman_ import -q "$1/scratch.tar" scratch-real >/dev/null
}

podman_() {
	CONTAINERS_CONF=$work/engines/containers.conf podman --root "$work/engines/podman" --runroot "$work/engines/podman-run" "$@"
}

podman_run() { podman_ run --rm "$@"; }

# cdi_podman DIR passes the GPU by a CDI spec that names no owner and no mode.
cdi_podman() {
	put "$1/cdi/amd.json" '{"cdiVersion": "0.5.0", "kind": "amd.com/gpu", "devices": [{"name": "0", "containerEdits": {"deviceNodes": [
		{"path": "/dev/kfd", "hostPath": "'"$1"'/dev/kfd"}, {"path": "/dev/dri/renderD128", "hostPath": "'"$1"'/dev/renderD128"}]}}]}'
	export -f podman_
	export work
	mkdir -p /run/cdi
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount -- bash -euc '
		mount --make-rprivate /
		mount --bind "$1/cdi" /run/cdi
		podman_ run --rm -v "$1/sys:/sys:ro" --user 1000 --device amd.com/gpu=0 real /bin/rocsmith doctor --format json' - "$1"
}

# --- docker -------------------------------------------------------------------

start_docker() {
	dockerd --data-root "$1/docker" --exec-root "$1/docker-run" -H "unix://$1/docker.sock" --pidfile "$1/docker.pid" \
		--iptables=false --bridge=none --default-ulimit "nofile=1024:$(ulimit -Hn)" >"$1/dockerd.log" 2>&1 &
	soon docker_ version >/dev/null 2>&1 || return 1
	docker_ import "$1/root.tar" real >/dev/null
	docker_ import "$1/scratch.tar" scratch-real >/dev/null
}

docker_() { docker -H "unix://$work/engines/docker.sock" "$@"; }

docker_run() { docker_ run --rm --network none "$@"; }

cleanup_docker() {
	[[ -e $work/engines/docker.pid ]] || return 0
	local pid
	pid=$(cat "$work/engines/docker.pid")
	kill "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
}

# --- rootless podman ------------------------------------------------------------

rootless_rows() {
	local gpu=(--device "$1/dev/kfd:/dev/kfd" --device "$1/dev/renderD128:/dev/dri/renderD128")
	if ! rootless "$1" podman import -q "$1/root.tar" real >"$work/out.json" 2>"$work/err.txt"; then
		skip "rootless podman" "$(tail -n 1 "$work/err.txt")"
		return
	fi
	judge "rootless: no group" "1 fail access/kfd rootless-userns" rootless_run "$1" "${gpu[@]}"
	judge "rootless: keep-groups" "0 ok" rootless_run "$1" --group-add keep-groups "${gpu[@]}"
	judge "rootless: group by number" "1 fail access/kfd rootless-userns" rootless_run "$1" --group-add 110 "${gpu[@]}"
	says "rootless: why the number fails" "even if \"id\" prints it, is another group outside"
}

rootless_run() {
	local dir=$1
	shift
	rootless "$dir" podman run --rm -v "$dir/sys:/sys:ro" "$@" real /bin/rocsmith doctor --format json
}

# rootless DIR COMMAND… runs a command as an ordinary user.
rootless() {
	local dir=$1
	shift
	[[ -e $dir/home ]] || plant_tester "$dir" "$dir/home"
	as_tester "$dir" "$dir/home" "$@"
}
