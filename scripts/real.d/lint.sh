# shellcheck shell=bash disable=SC2154 # work is set in lib.sh
# Project files: the readers of rocsmith against those of compose and BuildKit; and
# the compose files that people wrote about, started by a real Docker before and
# after lint --fix. The process in the container opens the node, or does not.

needs+=(dockerd:docker.io podman:podman containerd:containerd docker-compose:docker-compose runc:runc tar:tar nsenter:util-linux python3:python3)

prepare_lint() {
	local module
	for module in scripts/_oracle scripts/_oracle/dockerfile; do
		(cd "$module" && patiently go mod download)
	done
}

run_lint() {
	local dir=$work/lint
	lint_passes "compose projects as compose-go reads them" env ORACLE_PROJECTS=500 go -C scripts/_oracle test -count=1 ./...
	lint_passes "Dockerfiles as BuildKit reads them" lint_dockerfiles
	lint_toml "$dir/toml"
	lint_house "$dir"
	if ! lint_dockerd "$dir"; then
		skip "lint: docker" "dockerd does not start here: $(grep -oE 'level=(error|fatal) .*|failed to start.*' "$dir/dockerd.log" | tail -n 1)"
		return
	fi
	lint_project whisper whisper whisper-rocm:latest
	lint_project strix-halo trainer lint-strix-halo_trainer
	lint_project docling ollama ollama/ollama:rocm
	lint_caches
	lint_images
	lint_places
}

# lint_passes NAME COMMAND… wants a command to succeed.
lint_passes() {
	local name=$1 start=$EPOCHREALTIME rc=0
	shift
	"$@" >"$work/err.txt" 2>&1 || rc=$?
	verify "$name" "exit 0" "exit $rc" "$start"
}

# lint_dockerfiles reads BuildKit's own test files too.
lint_dockerfiles() {
	(
		cd scripts/_oracle/dockerfile || exit
		parser=$(go list -m -f '{{.Dir}}' github.com/moby/buildkit)/frontend/dockerfile/parser
		go run . -n 5000 testdata/*.Dockerfile "$parser"/testfiles*/*/Dockerfile
	)
}

# lint_toml DIR compares what Python and lint can read.
lint_toml() {
	local start=$EPOCHREALTIME
	python3 scripts/real.d/mutated_toml.py write "$1"
	(cd "$1" && "$work/rocsmith" lint --format json .) >"$work/out.json" 2>"$work/err.txt" || true
	verify "TOML as Python reads it" "0 wrong, few of the broken ones pass" "$(python3 scripts/real.d/mutated_toml.py judge "$1" <"$work/out.json")" "$start"
}

# --- a machine with nodes -------------------------------------------------------

# lint_house DIR keeps a mount namespace in which /dev has the nodes of a GPU, of
# gid 110, that lead to /dev/null: opening one asks for the rights and nothing
# else. Docker looks for devices where it was started.
lint_house() {
	local dir=$1
	mkdir -p "$dir"
	chmod 755 "$work" "$dir"
	plant_sys "$dir/sys" 1:3
	tar -C "$work/root" -cf "$dir/root.tar" .
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount -- bash -euc '
		dir=$1
		mount --make-rprivate /
		mkdir "$dir/dev"
		mount -t tmpfs -o mode=755 dev "$dir/dev"
		for node in null zero full random urandom tty ptmx; do cp -a "/dev/$node" "$dir/dev/"; done
		mkdir "$dir/dev/pts" "$dir/dev/shm" "$dir/dev/dri"
		ln -s /proc/self/fd "$dir/dev/fd"
		mknod "$dir/dev/kfd" c 1 3
		mknod "$dir/dev/dri/renderD128" c 1 3
		mknod "$dir/dev/dri/card0" c 1 3
		chmod 660 "$dir/dev/kfd" "$dir"/dev/dri/*
		chown 0:110 "$dir/dev/kfd" "$dir/dev/dri/renderD128"
		chown 0:44 "$dir/dev/dri/card0"
		mount --move "$dir/dev" /dev
		mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts
		mount -t tmpfs shm /dev/shm
		touch "$dir/ready"
		exec sleep infinity
	' - "$dir" &
	lint_keeper=$!
	if soon test -e "$dir/ready"; then return 0; fi
	echo "scripts/real: no namespace for lint" >&2
	return 1
}

lint_inside() { nsenter --mount --target "$lint_keeper" -- "$@"; }

cleanup_lint() {
	local pid
	if [[ -n ${lint_containerd_pid:-} ]]; then
		kill "$lint_containerd_pid"
		wait "$lint_containerd_pid" || true
	fi
	if [[ -e $work/lint/docker.pid ]]; then
		pid=$(cat "$work/lint/docker.pid")
		kill "$pid"
		while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
	fi
	[[ -z ${lint_keeper:-} ]] || kill "$lint_keeper"
}

lint_dockerd() {
	local dir=$1
	lint_inside dockerd --data-root "$dir/docker" --exec-root "$dir/docker-run" -H "unix://$dir/docker.sock" --pidfile "$dir/docker.pid" \
		--iptables=false --bridge=none --default-ulimit "nofile=1024:$(ulimit -Hn)" >"$dir/dockerd.log" 2>&1 &
	soon docker -H "unix://$dir/docker.sock" import "$dir/root.tar" real >/dev/null 2>&1
}

# --- projects -------------------------------------------------------------------

# lint_project NAME SERVICE IMAGE starts the service of a documented project, lets
# lint mend the files, and starts it again. What the images hold does not matter
# here: they are not fetched, nor built.
lint_project() {
	local name=$1 service=$2 dir=$work/lint/$1 start sums
	lint_unpack "$name" "$dir"
	docker -H "unix://$work/lint/docker.sock" tag real "$3"
	put "$dir/docker-compose.override.yml" "services: {$service: {network_mode: none}}"
	start=$EPOCHREALTIME
	verify "$name: before" "/dev/kfd: Permission denied" "$(lint_opens "$name" "$service")" "$start"

	start=$EPOCHREALTIME
	lint_rocsmith "$dir" lint --fix --yes . >"$work/err.txt" 2>&1 || true
	verify "$name: compose reads it" "agrees" "$(lint_compose "$name" config -q 2>>"$work/err.txt" && echo agrees)" "$start"
	start=$EPOCHREALTIME
	verify "$name: after" "opened" "$(lint_opens "$name" "$service")" "$start"

	sums=$(lint_sums "$dir")
	start=$EPOCHREALTIME
	lint_rocsmith "$dir" lint --fix --yes . >"$work/err.txt" 2>&1 || true
	verify "$name: a second run changes nothing" "$sums" "$(lint_sums "$dir")" "$start"
	start=$EPOCHREALTIME
	lint_rocsmith "$dir" undo --last --yes >"$work/err.txt" 2>&1 || true
	lint_unpack "$name" "$work/lint/again"
	verify "$name: undo" "as it was" "$(cmp "$dir/docker-compose.yml" "$work/lint/again/docker-compose.yml" && echo as it was)" "$start"
}

# lint_caches shows who may write to a folder that a service mounts: made by Docker
# it is root's, made by lint that of the service's user.
lint_caches() {
	local dir=$work/lint/whisper maker start
	for maker in Docker lint; do
		lint_unpack whisper "$dir"
		put "$dir/docker-compose.override.yml" "services: {whisper: {network_mode: none}}"
		chown -R 1000:1000 "$dir"
		start=$EPOCHREALTIME
		if [[ $maker == Docker ]]; then
			verify "a cache made by Docker" "Permission denied" "$(lint_writes)" "$start"
		else
			lint_rocsmith "$dir" lint --fix --yes . >"$work/err.txt" 2>&1 || true
			verify "a cache made by lint" "written" "$(lint_writes)" "$start"
		fi
	done
}

# lint_images asks about an image that Docker keeps in the home: one with code for
# the GPU, and one whose only kernel is for another.
lint_images() {
	local gfx dir=$work/lint/image home=$work/lint/home start
	mkdir -p "$home/.local/share"
	ln -s "$work/lint/docker" "$home/.local/share/docker"
	for gfx in gfx1100 gfx1030; do
		rm -rf "$dir"
		mkdir -p "$dir/root/opt/app" "$dir/project"
		sed "s/gfx1100/$gfx/g" internal/codeobj/testdata/a_gfx1100.hsaco >"$dir/root/opt/app/kernel.co"
		# The processor in e_flags: 0x41 is gfx1100, 0x36 gfx1030.
		[[ $gfx == gfx1100 ]] || printf '\x36' | dd of="$dir/root/opt/app/kernel.co" bs=1 seek=48 conv=notrunc status=none
		tar -C "$dir/root" -c . | docker -H "unix://$work/lint/docker.sock" import - "me/app-rocm:$gfx" >/dev/null
		put "$dir/project/compose.yml" "services: {app: {image: 'me/app-rocm:$gfx', devices: [/dev/kfd, /dev/dri]}}"
		start=$EPOCHREALTIME
		lint_rocsmith "$dir/project" lint . >"$work/err.txt" 2>&1 || true
		if [[ $gfx == gfx1100 ]]; then
			verify "an image with code" "no finding" "$(grep -o 'image/no-code' "$work/err.txt" || echo no finding)" "$start"
		else
			verify "an image without code" "/opt/app/kernel.co: gfx1030" "$(grep -o '/opt/app/kernel.co: gfx1030' "$work/err.txt")" "$start"
		fi
	done
}

# lint_places asks about the image without code where Docker is told to keep it
# elsewhere, and where podman, with the driver vfs, and containerd keep it.
lint_places() {
	local dir=$work/lint/image home=$work/lint/home start=$EPOCHREALTIME
	rm "$home/.local/share/docker"
	verify "an image that is nowhere" "no finding" "$(lint_code)" "$start"
	start=$EPOCHREALTIME
	put "$home/.config/docker/daemon.json" "{\"data-root\": \"$work/lint/docker\"}"
	verify "an image below data-root" "/opt/app/kernel.co: gfx1030" "$(lint_code)" "$start"
	rm "$home/.config/docker/daemon.json"
	start=$EPOCHREALTIME
	if tar -C "$dir/root" -c . | lint_podman import - me/app-rocm:gfx1030 >"$work/err.txt" 2>&1; then
		verify "an image in whole folders" "/opt/app/kernel.co: gfx1030" "$(lint_code)" "$start"
		lint_podman rmi me/app-rocm:gfx1030 >/dev/null 2>&1
		start=$EPOCHREALTIME
		verify "an image that was removed there" "no finding" "$(lint_code)" "$start"
	else
		skip "an image in whole folders" "podman cannot import it here: $(tail -n 1 "$work/err.txt")"
	fi
	start=$EPOCHREALTIME
	if ! lint_containerd "$home/.local/share/containerd" "$dir"; then
		skip "an image of containerd's" "containerd does not start here: $(tail -n 1 "$work/err.txt")"
		return
	fi
	verify "an image of containerd's" "/opt/app/kernel.co: gfx1030" "$(lint_code)" "$start"
}

# lint_podman ARGUMENT… is podman with a store in the home, whose layers are full copies.
lint_podman() {
	podman --root "$work/lint/home/.local/share/containers/storage" --runroot "$work/lint/podman-run" --storage-driver vfs "$@"
}

# lint_containerd ROOT DIR has containerd unpack the image, in the namespace of Docker's.
lint_containerd() {
	local root=$1 dir=$2
	docker -H "unix://$work/lint/docker.sock" save me/app-rocm:gfx1030 >"$dir/image.tar"
	nsenter --mount --target "$lint_keeper" -- containerd --root "$root" --state "$dir/state" --address "$dir/containerd.sock" --config /dev/null >"$work/err.txt" 2>&1 &
	lint_containerd_pid=$!
	soon ctr -a "$dir/containerd.sock" -n moby images import "$dir/image.tar" >/dev/null 2>&1
}

# lint_code prints what lint says of the code in the image of the project.
lint_code() {
	lint_rocsmith "$work/lint/image/project" lint . >"$work/err.txt" 2>&1 || true
	grep -o '/opt/app/kernel.co: gfx[0-9]*' "$work/err.txt" || echo no finding
}

# lint_writes tells whether the service may write to its cache.
lint_writes() {
	if lint_compose whisper run --rm --no-deps -T whisper /bin/sh -c 'echo x >/home/u/.config/miopen/x' >"$work/err.txt" 2>&1; then
		echo written
	else
		grep -oE 'Permission denied' "$work/err.txt" || tail -n 1 "$work/err.txt"
	fi
}

# lint_unpack NAME DIR writes the files of a documented project.
lint_unpack() {
	rm -rf "$2"
	mkdir -p "$2"
	awk -v dir="$2" '
		/^-- .* --$/ { file = ($2 ~ /^(findings|diff|on)$/) ? "" : dir "/" $2; next }
		file != "" { print > file }' "internal/lint/compose/testdata/documented/$1.txt"
}

lint_sums() { find "$1" -type f -exec sha256sum {} + | sort | sha256sum | cut -c -16; }

# lint_rocsmith DIR ARGUMENT… runs rocsmith in a project, on the machine with the
# nodes and the sysfs of their GPU.
lint_rocsmith() {
	local dir=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands it
	lint_inside unshare --mount -- bash -euc '
		mount --bind "$1/lint/sys" /sys
		cd "$2"
		work=$1
		shift 2
		exec env HOME="$work/lint/home" XDG_STATE_HOME="$work/lint/state" "$work/rocsmith" "$@"' - "$work" "$dir" "$@"
}

lint_compose() {
	local name=$1
	shift
	(cd "$work/lint/$name" && lint_inside env COMPOSE_PROJECT_NAME="lint-$name" DOCKER_HOST="unix://$work/lint/docker.sock" \
		docker-compose --project-directory "$work/lint/$name" -f "$work/lint/$name/docker-compose.yml" -f "$work/lint/$name/docker-compose.override.yml" "$@")
}

# lint_opens NAME SERVICE tells whether a process of the service, as a user who is
# not root, opens both nodes, or why it does not.
lint_opens() {
	if lint_compose "$1" run --rm --no-deps -T --user 1000:1000 "$2" /bin/sh -c 'exec 3<>/dev/kfd 4<>/dev/dri/renderD128' >"$work/err.txt" 2>&1; then
		echo opened
	else
		grep -oE '/dev/[a-zA-Z0-9/]+: .*' "$work/err.txt" || tail -n 1 "$work/err.txt"
	fi
}
