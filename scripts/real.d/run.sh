# shellcheck shell=bash disable=SC2154,SC2016 # work is set in lib.sh; shells in containers expand
# rocsmith run in real containers: what the engines make of devices, groups, users, mounts, paths, streams, signals and
# ends. The machine is a mount namespace with the nodes of a GPU and the sysfs of one.

needs+=(podman:podman runc:runc crun:crun catatonit:catatonit newuidmap:uidmap rootlesskit:rootlesskit dockerd:docker.io docker-compose:docker-compose script:bsdutils setpriv:util-linux)

# prepare_run fetches the compose plugin that docker has today; this release of Debian has the one before it.
prepare_run() {
	local dir=$cache/compose
	[[ ! -e $dir/config/cli-plugins/docker-compose ]] || return 0
	mkdir -p "$dir/config/cli-plugins"
	suite_apt trixie apt-get update >"$dir/log" 2>&1 || return 0
	(cd "$dir" && suite_apt trixie apt-get download docker-compose >>log 2>&1 && dpkg-deb -x docker-compose_*.deb .) || return 0
	ln -s "$dir/usr/libexec/docker/cli-plugins/docker-compose" "$dir/config/cli-plugins/docker-compose"
}

run_run() {
	box=$work/box
	mkdir -p "$box"
	chmod 755 "$work" "$box"
	box_machine
	box_image
	box_podman
	box_host
	box_cases podman root
	if box_docker; then
		box_cases docker 1000
	else
		skip "docker" "dockerd does not start here: $(tail -n 1 "$box/dockerd.log")"
	fi
	box_only_docker
	box_services
	box_bad_input
	box_rootless
	box_rootless_docker
	dismiss_tester "$box/home-4300"
	box_dead_node
}

# --- the machine ----------------------------------------------------------------

# box_machine holds a mount namespace open, in which /dev has the nodes of a GPU: they open, because they have the
# numbers of /dev/fuse, which no engine gives to a container by itself. renderD129 belongs to nobody's GPU.
box_machine() {
	unshare --mount -- sleep infinity &
	box_holder=$!
	plant_sys "$box/sys" 10:229
	if ! soon box_held; then # else what follows would be mounted on this machine
		echo "scripts/real: no namespace for run" >&2
		return 1
	fi
	nsenter -t "$box_holder" -m -- bash -euc '
		mount --make-rprivate /
		mkdir "$1/dev"
		mount -t tmpfs -o mode=755 none "$1/dev"
		cp -a /dev/{null,zero,full,random,urandom,tty,ptmx,fuse,fd,stdin,stdout,stderr} "$1/dev"
		mkdir "$1"/dev/{pts,shm,dri}
		mount --rbind /dev/pts "$1/dev/pts"
		mount --rbind /dev/shm "$1/dev/shm"
		mknod "$1/dev/kfd" c 10 229
		mknod "$1/dev/dri/renderD128" c 10 229
		chmod 660 "$1/dev/kfd" "$1/dev/dri/renderD128"
		chown 0:110 "$1/dev/kfd" "$1/dev/dri/renderD128"
		mount --rbind "$1/dev" /dev
		mount --rbind /sys/fs/cgroup "$1/sys/fs/cgroup"
		mount --rbind "$1/sys" /sys' - "$box"
	for user in root 1000; do
		mkdir -p "$box/home-$user/proj" "$box/home-$user/other"
		put "$box/home-$user/other/in.txt" "from the other folder"
		put "$box/home-$user/secret.txt" "nobody named this"
	done
	chown -R 1000:1000 "$box/home-1000"
}

# box_held tells whether the holder is in a namespace of its own.
box_held() {
	local its
	its=$(readlink "/proc/$box_holder/ns/mnt") && [[ $its != "$(readlink /proc/self/ns/mnt)" ]]
}

# box_in COMMAND… runs a command on that machine.
box_in() { nsenter -t "$box_holder" -m -- "$@"; }

# box_as USER COMMAND… runs it as a user without any right to the GPU, in the user's project.
box_as() {
	box_command "$@"
	"${box_argv[@]}"
}

# box_command sets box_argv: bash starts it without a shell in between, which signals would end in place of rocsmith.
box_command() {
	local user=$1 become=()
	shift
	[[ $user == root ]] || become=("$(command -v setpriv)" --reuid "$user" --regid "$user" --clear-groups)
	box_argv=(nsenter -t "$box_holder" -m -- env -i --default-signal=INT --default-signal=QUIT --default-signal=HUP -C "$box/home-$user/proj" PATH="$box/bin:$PATH" HOME="$box/home-$user"
		USER=ada TERM=xterm DOCKER_HOST="unix://$box/docker.sock" "${box_env[@]}" "${become[@]}" "$@")
}
box_env=()

cleanup_box() {
	[[ -n ${box_holder:-} ]] || return 0
	local file pid
	for file in "$box/docker.pid" "$box/home-4300/run/docker.pid"; do
		[[ -e $file ]] || continue
		pid=$(cat "$file")
		kill "$pid"
		while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
	done
	box_in sh -c 'grep -o " '"$box"'/[^ ]*" /proc/self/mounts | sort -r | xargs -r -n 1 umount -l' || true
	kill "$box_holder"
	wait "$box_holder" 2>/dev/null || true
}

# box_image makes a root with a few programs of its own: /opt/tool says who it is, and dies dies as torch does.
box_image() {
	cp -a "$work/root" "$box/root"
	local applet
	for applet in grep stat stty tr dd touch seq true false env pwd kill chmod; do
		ln -sf busybox "$box/root/bin/$applet"
	done
	rm "$box/root/bin/rocsmith"
	put "$box/root/opt/tool" $'#!/bin/sh\necho the tool of the image'
	put "$box/root/bin/dies" '#!/bin/sh
echo "epoch 1"
cat >&2 <<END
Traceback (most recent call last):
  File "train.py", line 12, in <module>
    y = model(x)
RuntimeError: HIP error: no kernel image is available for execution on the device
HIP kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
END
exit 1'
	put "$box/root/etc/noexec" "no program"
	chmod 755 "$box/root/opt/tool" "$box/root/bin/dies"
	tar -C "$box/root" -cf "$box/root.tar" .
}

# box_podman gives podman settings under which it runs here, by a program of that name that comes first.
box_podman() {
	put "$box/containers.conf" '[containers]
default_ulimits = ["nofile=1024:'"$(ulimit -Hn)"'", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"'
	put "$box/bin/podman" '#!/bin/sh
CONTAINERS_CONF='"$box/containers.conf"' exec '"$(command -v podman)"' --root '"$box/podman"' --runroot '"$box/podman-run"' "$@"'
	chmod 755 "$box/bin/podman"
	box_in "$box/bin/podman" import -q "$box/root.tar" boxed >/dev/null
}

box_docker() {
	box_in dockerd --data-root "$box/docker" --exec-root "$box/docker-run" -H "unix://$box/docker.sock" --pidfile "$box/docker.pid" \
		--iptables=false --bridge=none --default-ulimit "nofile=1024:$(ulimit -Hn)" >"$box/dockerd.log" 2>&1 &
	soon box_in docker -H "unix://$box/docker.sock" import "$box/root.tar" boxed >/dev/null 2>&1 || return 1
	chmod 666 "$box/docker.sock"
	box_in docker -H "unix://$box/docker.sock" build -q -t entry - >/dev/null 2>&1 <<<$'FROM boxed\nENTRYPOINT ["/bin/false"]\nENV ROCM_VERSION=6.4.1'
}

# box_host runs commands on that machine itself: whether one was at the GPU is told by the nodes, which programs of Vulkan
# open without /dev/kfd.
box_host() {
	box_engine=host box_user=root
	local node
	for node in /dev/kfd /dev/dri/renderD128; do
		box_as root "$work/rocsmith" run --require-gpu -- sh -c "exec 3<>$node" 2>"$work/err.txt"
		box_said "$node was opened" "nothing opened" silent
	done
	box_as root "$work/rocsmith" run --require-gpu -- true 2>"$work/err.txt"
	box_said "neither was" "nothing opened /dev/kfd or a render node"
}

# --- cases ----------------------------------------------------------------------

# box NAME WANT COMMAND… runs a command in a container of $box_engine as $box_user, and holds it to "EXIT OUTPUT".
# Flags of rocsmith run stand in box_flags.
box() {
	local name=$1 want=$2 start=$EPOCHREALTIME rc=0
	shift 2
	box_as "$box_user" "$work/rocsmith" run --engine "$box_engine" --image "$box_name" "${box_flags[@]}" -- "$@" >"$work/out.txt" 2>"$work/err.txt" || rc=$?
	verify "$box_engine: $name" "$want" "$rc $(tr -s '\n' ' ' <"$work/out.txt")" "$start"
}
box_flags=() box_name=boxed

# box_unheard: nobody reads what rocsmith and the engine say; the command runs, and the exit code is its own.
box_unheard() {
	local start=$EPOCHREALTIME rc=0 unread=$box/unread-$box_engine-$box_user
	mkfifo -m 666 "$unread"
	box_as "$box_user" sh -c 'exec 3<>"$1"; exec 2>"$1"; exec 3<&-; shift; exec "$@"' sh "$unread" "$work/rocsmith" run --engine "$box_engine" --image boxed -- sh -c 'echo ran; exit 3' >"$work/out.txt" || rc=$?
	verify "$box_engine: nobody reads its errors" "3 ran" "$rc $(cat "$work/out.txt")" "$start"
}

# box_said NAME PATTERN [silent] checks what the last command said beside its output, or that it did not.
box_said() {
	local got=silent
	if grep -Eqe "$2" "$work/err.txt"; then got=said; fi
	verify "$box_engine: $1" "${3:-said}" "$got" "$EPOCHREALTIME"
}

# box_nothing_left NAME checks that no container of ours is there, nor a file of ours in /tmp.
box_nothing_left() {
	verify "$box_engine: $1" "containers: -" "containers: $(box_ours)- $(cd /tmp && ls -d rocsmith-* 2>/dev/null)" "$EPOCHREALTIME"
}

box_ours() { box_as "$box_user" "$box_engine" ps --all --quiet --filter label=io.github.rocsmith.run; }

box_cases() {
	box_engine=$1 box_user=$2
	local id=${2/root/0} home=$box/home-$2
	box "user and groups" "0 $id:$id" sh -c 'echo $(id -u):$(id -g); grep Groups /proc/self/status' && box_groups "$id"
	box "nodes open" "0 kfd render" sh -c '[ -c /dev/kfd ] && exec 3<>/dev/kfd && echo kfd && [ -c /dev/dri/renderD128 ] && exec 4<>/dev/dri/renderD128 && echo render'
	box "no other node" "0 renderD128 kfd" sh -c 'ls /dev/dri; ls /dev | sh -c "while read n; do case \$n in kfd|fuse|kvm|loop*) echo \$n;; esac; done"'
	box "home exists and can be written" "0 $home/.cache/rocsmith/run/shared/home ada" sh -c 'cd && pwd && touch kept && echo $USER'
	box "home is kept" "0 kept" sh -c 'ls ~'
	box "caches are kept, by version" "0 $home/.cache/rocsmith/run" sh -c 'touch $MIOPEN_CUSTOM_CACHE_DIR/x && echo ${MIOPEN_CUSTOM_CACHE_DIR%/image-*}'
	verify "$box_engine: caches belong to the caller" "$id:$id 700" "$(stat -c '%u:%g %a' "$home"/.cache/rocsmith/run/image-*/miopen-kernels)" "$EPOCHREALTIME"
	rm -f "$home"/proj/*
	box "an output belongs to the caller" "0" sh -c 'echo result >out.txt'
	verify "$box_engine: its owner" "$id:$id result" "$(stat -c '%u:%g' "$home/proj/out.txt") $(cat "$home/proj/out.txt")" "$EPOCHREALTIME"
	box "relative, ~ and --opt=~" "0 from the other folder from the other folder $home/other/in.txt" sh -c 'cat "$1" "$2"; echo ${3#*=}' sh ../other/in.txt "$home/other/in.txt" "--in=~/other/in.txt"
	box "a new output elsewhere" "0" sh -c 'echo new >"$1"' sh "$home/other/a new file.txt"
	verify "$box_engine: it is there" "$id new" "$(stat -c %u "$home/other/a new file.txt") $(cat "$home/other/a new file.txt")" "$EPOCHREALTIME"
	box "the rest of the home is not" "0 proj" sh -c 'ls ..'
	box "the image's own path" "0 the tool of the image" /opt/tool
	box_flags=(--mount "$home/other:/in:ro")
	box "a mount elsewhere, read only" "1 /in/in.txt from the other folder" sh -c 'echo $1; cat $1; echo >$1' sh "$home/other/in.txt"
	box_said "why it failed" "Read-only file system"
	box_flags=(--env USER --env MODE=fast)
	box "variables are passed on" "0 ada fast" sh -c 'echo $USER $MODE'
	box_flags=()
	box_ends "$home"
	box_streams
	box_killed
}

# box_groups ID: root needs no group but gets it; another gets 110 and nothing else.
box_groups() {
	verify "$box_engine: groups" "$([[ $1 == 0 ]] && echo "0 110" || echo "110 $1")" \
		"$(awk '$1 == "Groups:" { $1 = ""; print }' "$work/out.txt" | tr ' ' '\n' | grep . | sort -nu | tr '\n' ' ')" "$EPOCHREALTIME"
}

box_ends() {
	box "its own code" "7" sh -c 'exit 7'
	box "its own 125" "125" sh -c 'exit 125'
	box_said "which is not ours" "^rocsmith: start" silent
	box "no such program" "127" nosuch
	box_said "in one sentence" "rocsmith: there is no program nosuch in the image boxed"
	box "no program" "126" /etc/noexec
	box "ended by a signal" "139" sh -c 'kill -SEGV $$'
	box "dies as torch does" "1 epoch 1" dies
	box_said "and is explained" "no-kernel-image-for-arch"
	box_nothing_left "nothing is left"
}

box_streams() {
	local start=$EPOCHREALTIME rc=0
	echo "to standard input" | box_stdin
	verify "$box_engine: standard input" "0 to standard input" "$(cat "$work/out.txt")" "$start"
	start=$EPOCHREALTIME
	box "output and errors apart" "0 out" sh -c 'echo out; echo err >&2'
	verify "$box_engine: errors" "err" "$(grep -v '^rocsmith' "$work/err.txt")" "$start"
	start=$EPOCHREALTIME
	box_as "$box_user" "$work/rocsmith" run --engine "$box_engine" --image boxed -- sh -c 'while :; do echo y; done' 2>"$work/err.txt" | head -n 1 >"$work/out.txt" || rc=$?
	verify "$box_engine: a reader that has enough" "141 y" "$rc $(cat "$work/out.txt")" "$start"
	box_said "is no failure" "ended" silent
	box_unheard
	start=$EPOCHREALTIME
	box_typed '' 'stty cols 91 rows 33;' sh -c 'test -t 0 && test -t 1 && for i in $(seq 200); do [ "$(stty size 2>/dev/null)" != "33 91" ] || break; sleep 0.1; done && stty size'
	verify "$box_engine: a terminal of its size" "0 33 91" "$(box_screen)" "$start"
	start=$EPOCHREALTIME
	box_typed '' 'tty=$(tty); (until grep -q started '"$work/out.txt"'; do sleep 0.1; done; stty -F "$tty" cols 77 rows 22) &' \
		sh -c 'trap "stty size; exit 0" WINCH; echo started; for i in $(seq 300); do sleep 0.2; done'
	verify "$box_engine: a new size" "0 started 22 77" "$(box_screen)" "$start"
	start=$EPOCHREALTIME
	box_typed '\003' '' sh -c 'echo started; sleep 30; echo not reached'
	verify "$box_engine: Ctrl-C at a terminal" "130 started ^C -" "$(box_screen | sed 's/ *$/ -/')" "$start"
	box_nothing_left "nothing is left of it"
}

box_stdin() {
	local rc=0
	box_as "$box_user" "$work/rocsmith" run --engine "$box_engine" --image boxed -- cat >"$work/said.txt" 2>"$work/err.txt" || rc=$?
	echo "$rc $(cat "$work/said.txt")" >"$work/out.txt"
}

# box_typed KEYS BEFORE COMMAND… runs the command at a terminal where a shell did BEFORE; KEYS are typed when it has
# started. What is seen goes to out.txt, the code to code.txt.
box_typed() {
	local keys=$1 before=$2 run rc=0 pid
	shift 2
	rm -f "$box/keys"
	mkfifo "$box/keys"
	exec 7<>"$box/keys"
	printf -v run '%q ' "$work/rocsmith" run --engine "$box_engine" --image boxed -- "$@"
	box_command "$box_user" script -qfec "$before $run" /dev/null
	: >"$work/out.txt" # it is asked for what was said
	"${box_argv[@]}" <"$box/keys" >"$work/out.txt" 2>"$work/err.txt" 7>&- &
	pid=$!
	if [[ -n $keys ]]; then
		soon grep -q started "$work/out.txt" || true
		printf '%b' "$keys" >&7
	fi
	wait "$pid" || rc=$?
	exec 7>&-
	echo "$rc" >"$work/code.txt"
}

# box_screen prints the code, and what was seen at the terminal.
box_screen() { echo "$(cat "$work/code.txt") $(tr -d '\r' <"$work/out.txt" | tr -s '\n' ' ')"; }

# box_killed sends signals to rocsmith, the last one of those that nobody can pass on.
box_killed() {
	local start signal want
	for pair in TERM:143 INT:130 HUP:129; do
		signal=${pair%:*} want=${pair#*:} start=$EPOCHREALTIME
		box_signal "$signal" sh -c 'echo started; sleep 30'
		verify "$box_engine: SIG$signal" "$want" "$(cat "$work/code.txt")" "$start"
	done
	start=$EPOCHREALTIME
	box_signal TERM sh -c 'trap "echo saved; exit 9" TERM; echo started; while :; do sleep 0.1; done'
	verify "$box_engine: a program that saves its work" "9 started saved" "$(cat "$work/code.txt") $(tr '\n' ' ' <"$work/out.txt")" "$start"
	box_nothing_left "nothing is left of them"
	start=$EPOCHREALTIME
	box_signal KILL sh -c 'trap "" TERM; echo started; while :; do sleep 0.2; done'
	verify "$box_engine: kill -9" "137" "$(cat "$work/code.txt")" "$start"
	box_as "$box_user" "$box_engine" run --detach --name bystander --label other=1 boxed sleep 300 >/dev/null
	box "the next run cleans up" "0" true
	box_nothing_left "what is ours and dead is gone"
	verify "$box_engine: somebody else's is not" bystander "$(box_as "$box_user" "$box_engine" ps --format '{{.Names}}')" "$start"
	box_as "$box_user" "$box_engine" kill bystander >/dev/null
	box_as "$box_user" "$box_engine" rm --force bystander >/dev/null
}

# box_signal SIGNAL COMMAND… sends rocsmith a signal when the command has begun.
box_signal() {
	local signal=$1 rc=0 pid
	shift
	: >"$work/out.txt"
	box_command "$box_user" "$work/rocsmith" run --engine "$box_engine" --image boxed -- "$@"
	"${box_argv[@]}" </dev/null >"$work/out.txt" 2>"$work/err.txt" &
	pid=$!
	soon grep -q started "$work/out.txt" || true
	kill -s "$signal" "$pid" # nsenter, env and setpriv became rocsmith
	wait "$pid" 2>/dev/null || rc=$?
	echo "$rc" >"$work/code.txt"
}

# --- what is docker's alone -------------------------------------------------------

box_only_docker() {
	box_engine=docker box_user=1000
	local start=$EPOCHREALTIME got
	got=$(box_as 1000 docker run --rm --user 1000 --device /dev/kfd boxed sh -c 'exec 3<>/dev/kfd' 2>&1 | grep -o 'Permission denied' || true)
	verify "docker: without rocsmith it does not open" "Permission denied" "$got" "$start"
	box_name=entry
	box "the entrypoint is replaced" "0 hi" sh -c 'echo hi'
	box "caches of a version of ROCm" "0 $box/home-1000/.cache/rocsmith/run/rocm-6.4.1/comgr" sh -c 'echo $AMD_COMGR_CACHE_DIR'
	box "a failure" "3" sh -c 'exit 3'
	box_said "tells of the entrypoint" "entrypoint of the image \(/bin/false\) was not run"
	box_name=boxed
	box "left to the image" "1" cat /etc/hostname /usr/bin/env
	box_said "and said" "/usr/bin/env was left to the image, although it is here too"
	box_env=(HSA_ENABLE_SDMA=0 MIOPEN_LOG_LEVEL=4 HSA_OVERRIDE_GFX_VERSION= ROCM_PATH=/opt/rocm HF_HOME="$box/home-1000/models")
	box "variables of the GPU, no folders" "0 0 4 - $box/home-1000/models" sh -c 'echo ${HSA_ENABLE_SDMA-} ${MIOPEN_LOG_LEVEL-} ${ROCM_PATH--} $HF_HOME'
	box_env=()
	verify "docker: a folder that was named is made" "1000" "$(stat -c %u "$box/home-1000/models")" "$EPOCHREALTIME"
	box_flags=(--trace)
	box "traces go to files" "0" sh -c 'echo hipErrorNoBinaryForGpu: Unable to find code object for all current devices >$AMD_LOG_LEVEL_FILE'
	box_said "which are explained" "hip.log, line 1"
	box_flags=()
	box_as 1000 "$work/rocsmith" run --engine docker --image boxed -- dd if=/dev/zero bs=1M count=20 2>/dev/null >"$work/out.txt"
	verify "docker: much output" 20971520 "$(stat -c %s "$work/out.txt")" "$EPOCHREALTIME"
}

# --- services of compose files -----------------------------------------------------

box_services() {
	box_user=1000 box_engine=docker
	local home=$box/home-1000
	put "$home/proj/compose.yaml" 'services:
  app:
    image: boxed
    working_dir: /app
    volumes: [".:/app"]
    environment: {GREETING: hello}
    depends_on: [db]
  db:
    image: boxed
    command: sleep 300
  plain:
    image: boxed
    network_mode: none'
	put "$home/proj/data.txt" "of the project"
	chown 1000:1000 "$home/proj/data.txt"
	box_composed "docker-compose"
	box_composed_killed
	if [[ -x $cache/compose/config/cli-plugins/docker-compose ]]; then
		mkdir -p "$box/docker-config/cli-plugins"
		cp "$cache/compose/config/cli-plugins/docker-compose" "$box/docker-config/cli-plugins" # where another user may read it
		box_env=(DOCKER_CONFIG="$box/docker-config")
		box_composed "docker compose"
		box_env=()
	else
		skip "docker compose" "the plugin could not be fetched: $(tail -n 1 "$cache/compose/log")"
	fi
	box_user=root box_engine=podman
	cp "$home/proj/compose.yaml" "$home/proj/data.txt" "$box/home-root/proj"
	box_service "podman: a service without compose" "0 0:0 kfd" plain sh -c 'echo $(id -u):$(id -g); [ -c /dev/kfd ] && exec 3<>/dev/kfd && echo kfd'
	box_service "podman: its own code" "6" plain sh -c 'exit 6'
	box_nothing_left "nothing is left of services"
}

# box_service NAME WANT SERVICE COMMAND… is box for a service.
box_service() {
	local name=$1 want=$2 service=$3 start=$EPOCHREALTIME rc=0
	shift 3
	box_as "$box_user" "$work/rocsmith" run --engine "$box_engine" --compose "$service" "${box_flags[@]}" -- "$@" >"$work/out.txt" 2>"$work/err.txt" </dev/null || rc=$?
	verify "$name" "$want" "$rc $(tr -s '\n' ' ' <"$work/out.txt")" "$start"
}

box_composed() {
	box_service "$1: user, group, node" "0 1000:1000 110 kfd" app sh -c 'echo $(id -u):$(id -g); for g in $(id -G); do [ $g = 110 ] && echo $g; done; [ -c /dev/kfd ] && exec 3<>/dev/kfd && echo kfd'
	box_service "$1: the service's own folder and words" "0 /app hello of the project" app sh -c 'pwd; echo $GREETING; cat $1; echo x >made.txt' sh data.txt
	verify "$1: the owner of an output" "1000:1000" "$(stat -c %u:%g "$box/home-1000/proj/made.txt")" "$EPOCHREALTIME"
	rm -f "$box/home-1000/proj/made.txt"
	box_flags=(--env GREETING=bye --env USER)
	box_service "$1: variables that were asked for" "0 bye ada" app sh -c 'echo $GREETING $USER'
	box_flags=()
	box_service "$1: its own code" "5" app sh -c 'exit 5'
	box_service "$1: no such program" "127" app nosuch
	box_composed_asked "$1"
	box_parts "$1: no container, network or file is left" ""
}

# box_composed_asked COMPOSE ends a program that saves its work first.
box_composed_asked() {
	local start=$EPOCHREALTIME rc=0
	box_composed_begin 'trap "echo saved; exit 9" TERM'
	kill "$box_composed_pid"
	wait "$box_composed_pid" 2>/dev/null || rc=$?
	verify "$1: SIGTERM" "9 started saved" "$rc $(tr '\n' ' ' <"$work/long.txt")" "$start"
}

# box_parts NAME WANT holds the project to the containers and networks that it has, and rocsmith to its files.
box_parts() {
	local filter=label=com.docker.compose.project=proj
	verify "$1" "parts: $2-" "parts: $(box_as 1000 docker ps --all --format '{{.Names}}' --filter "$filter")$(box_as 1000 docker network ls --format '{{.Name}}' --filter "$filter")$(ls "$box/home-1000/.cache/rocsmith/run/compose")-" "$EPOCHREALTIME"
}

# box_composed_killed kills rocsmith, and compose with it, in a service; the next run removes what they left, and a
# service that the user runs stays, be it started meanwhile.
box_composed_killed() {
	box_composed_begin
	box_service "docker-compose: a run beside it" "0" app true
	verify "docker-compose: the first one goes on, with what it depends on" "2" "$(box_as 1000 docker ps --quiet --filter label=com.docker.compose.project=proj | wc -l)" "$EPOCHREALTIME"
	box_composed_kill
	box_service "docker-compose: after kill -9" "0" plain true
	box_parts "docker-compose: nothing is left of it" ""
	box_composed_begin
	box_composed_kill
	box_as 1000 docker-compose up -d db >/dev/null 2>&1
	box_service "docker-compose: after kill -9, and up by the user" "0" plain true
	box_parts "docker-compose: what the user started stays" "proj_db_1proj_default"
	box_service "docker-compose: beside a running service" "0" app true
	box_parts "docker-compose: which stays" "proj_db_1proj_default"
	box_as 1000 docker-compose down -t 0 >/dev/null 2>&1
}

# box_composed_begin [TRAP] starts a service that does not end.
box_composed_begin() {
	box_command 1000 "$work/rocsmith" run --engine docker --compose app -- sh -c "${1:-trap '' TERM}; echo started; while :; do sleep 0.2; done"
	: >"$work/long.txt"
	"${box_argv[@]}" </dev/null >"$work/long.txt" 2>"$work/err.txt" &
	box_composed_pid=$!
	soon grep -q started "$work/long.txt" || true
}

box_composed_kill() {
	kill -9 "$box_composed_pid"
	wait "$box_composed_pid" 2>/dev/null || true
}

# --- bad input ---------------------------------------------------------------------

# box_refuses NAME PATTERN FLAG… expects 125 and a sentence.
box_refuses() {
	local name=$1 pattern=$2 start=$EPOCHREALTIME rc=0
	shift 2
	box_as "$box_user" "$work/rocsmith" run "$@" >"$work/out.txt" 2>"$work/err.txt" || rc=$?
	verify "bad input: $name" "125 $(wc -c <"$work/out.txt")" "$rc 0" "$start"
	box_engine="bad input" box_said "$name, said" "$pattern"
}

box_bad_input() {
	box_user=1000
	local home=$box/home-1000
	box_refuses "no such image" "is not here, and its registry cannot be reached|no registry gives it out" --engine docker --image registry.invalid/none:1 -- true
	box_refuses "no name of an image" "is no name of an image" --image=-x -- true
	box_refuses "no such engine" "choose docker or podman" --engine lxc --image boxed -- true
	box_refuses "a mount that is not here" "there is no $home/proj/nosuch here" --image boxed --mount nosuch -- true
	box_refuses "a mount to nowhere" "must be an absolute path" --image boxed --mount .:here -- true
	box_refuses "the whole home" "the whole of $home" --image boxed -- ls "$home"
	box_refuses "a new file in the home" "name it in a folder of its own" --image boxed -- touch "$home/new.txt"
	box_env=(DOCKER_HOST=unix:///nosuch.sock)
	box_refuses "an engine that does not run" "docker is installed and does not run" --engine docker --image boxed -- true
	box_env=(DOCKER_HOST=ssh://far.invalid)
	box_refuses "an engine elsewhere" "another machine" --engine docker --image boxed -- true
	box_env=(PATH="$box/nothing")
	box_refuses "no engine" "--device /dev/kfd --device /dev/dri/renderD128 --group-add 110, and rocsmith env" --image boxed -- true
	put "$box/apptainer-only/apptainer" '#!/bin/sh'
	chmod 755 "$box/apptainer-only/apptainer"
	box_env=(PATH="$box/apptainer-only")
	box_refuses "only apptainer" "apptainer exec --bind $home/proj:$home/proj --pwd $home/proj docker://boxed true" --image boxed -- true
	box_env=()
	chmod 600 "$box/docker.sock"
	box_refuses "no right on the socket" "you may not speak to docker" --engine docker --image boxed -- true
	chmod 666 "$box/docker.sock"
	chmod 500 "$home/.cache/rocsmith/run/shared/home"
	box_refuses "a home that cannot be written" "could not keep its files in" --engine docker --image boxed -- true
	chmod 700 "$home/.cache/rocsmith/run/shared/home"
	box_full
	box_engine=docker
	box_nothing_left "nothing is left of all that"
}

# box_dead_node takes the driver away from behind the node: the numbers are nobody's. rocsmith does not start anything
# then; the command that it prints shows that the permission would have sufficed.
box_dead_node() {
	box_engine=podman box_user=root
	box_in sh -euc 'rm /dev/kfd; mknod /dev/kfd c 234 0; chmod 660 /dev/kfd; chown 0:110 /dev/kfd'
	box_refuses "a node without a driver" "rocsmith doctor shows the cure" --engine podman --image boxed -- true
	box_engine=docker box_user=1000
	local start=$EPOCHREALTIME line got
	line=$(box_as 1000 "$work/rocsmith" run --print --engine docker --image boxed -- sh -c 'exec 3<>/dev/kfd')
	got=$(box_as 1000 sh -c "$line" 2>&1 </dev/null | grep -o 'No such device or address' || true)
	verify "docker: uid 1000 and gid 110 suffice" "No such device or address" "$got" "$start"
	got=$(box_as 1000 sh -c "${line/--group-add 110/}" 2>&1 </dev/null | grep -o 'Permission denied' || true)
	verify "docker: uid 1000 alone does not" "Permission denied" "$got" "$start"
	box_nothing_left "what a person starts is the person's"
}

# box_full gives podman a disk that is full.
box_full() {
	box_in sh -euc '
		mkdir "$1/full" "$1/bin-full"
		mount -t tmpfs -o size=12m none "$1/full"
		sed "s|$1/podman |$1/full |" "$1/bin/podman" >"$1/bin-full/podman"
		chmod 755 "$1/bin-full/podman"
		"$1/bin-full/podman" import -q "$1/root.tar" boxed >/dev/null
		dd if=/dev/zero of="$1/full/ballast" bs=64k 2>/dev/null || true' - "$box"
	box_user=root box_env=(PATH="$box/bin-full:$PATH")
	box_refuses "no room on the disk" "there is no room on the disk" --engine podman --image boxed -- true
	box_env=()
}

# --- rootless podman ------------------------------------------------------------

box_rootless() {
	box_engine=podman box_user=4300
	local home=$box/home-4300
	plant_tester "$box" "$home"
	mkdir -p "$home/proj" "$home/other"
	put "$home/other/in.txt" "from the other folder"
	chown -R 4300:4300 "$home"
	if ! box_tester podman import -q "$box/root.tar" boxed >"$work/out.txt" 2>"$work/err.txt"; then
		skip "rootless podman" "$(tail -n 1 "$work/err.txt")"
		return
	fi
	box_by_tester "rootless: the caller's own number, and the node opens" "0 4300:4300 open" \
		sh -c 'echo $(id -u):$(id -g); [ -c /dev/kfd ] && exec 3<>/dev/kfd && echo open'
	box_by_tester "rootless: an output" "0 from the other folder" sh -c 'cat "$1"; echo x >out.txt' sh ../other/in.txt
	verify "rootless: its owner" "4300:4300" "$(stat -c %u:%g "$home/proj/out.txt")" "$EPOCHREALTIME"
	sed -i 's/"crun"/"runc"/' "$home/containers.conf"
	box_by_tester "rootless: runc hands no groups over" "125" true
	verify "rootless: which is said" "only with crun" "$(grep -o 'only with crun' "$work/err.txt")" "$EPOCHREALTIME"
}

box_by_tester() {
	local name=$1 want=$2 start=$EPOCHREALTIME rc=0
	shift 2
	box_tester "$work/rocsmith" run --engine podman --image boxed -- "$@" >"$work/out.txt" 2>"$work/err.txt" || rc=$?
	verify "$name" "$want" "$rc $(tr -s '\n' ' ' <"$work/out.txt")" "$start"
}

# box_tester COMMAND… runs a command as an ordinary user, in their project and among the nodes of the box.
box_tester() {
	# shellcheck disable=SC2034 # as_tester reads it
	local tester_in=(nsenter -t "$box_holder" -m --)
	as_tester "$box" "$box/home-4300" env -C proj "${tester_env[@]}" "$@"
}
tester_env=()

# --- rootless docker --------------------------------------------------------------

box_rootless_docker() {
	local home=$box/home-4300 start=$EPOCHREALTIME rc=0
	tester_env=(DOCKER_HOST="unix://$home/run/docker.sock")
	if ! box_docker_of_tester; then
		skip "rootless docker" "it does not start here: $(tail -n 1 "$box/rootless-dockerd.log")"
		return
	fi
	box_tester "$work/rocsmith" run --engine docker --image boxed -- true >"$work/out.txt" 2>"$work/err.txt" || rc=$?
	verify "rootless docker: the group has no number" "125" "$rc" "$start"
	box_engine="rootless docker" box_said "which is said, with what helps" "gid 110 of the host has no number in its containers; podman with crun"
	start=$EPOCHREALTIME
	verify "rootless docker: nor would it open" "Permission denied" \
		"$(box_tester docker run --rm --device /dev/kfd boxed sh -c 'exec 3<>/dev/kfd' 2>&1 | grep -o 'Permission denied' || true)" "$start"
	box_in chmod 666 /dev/kfd /dev/dri/renderD128
	box_tested_docker "root inside is the caller, and nodes open to all open" "0 0:0 open" sh -c 'echo $(id -u):$(id -g); [ -c /dev/kfd ] && exec 3<>/dev/kfd && echo open'
	rm -f "$home/proj/out.txt"
	box_tested_docker "an output" "0" sh -c 'echo x >out.txt; touch "$MIOPEN_CUSTOM_CACHE_DIR/x"'
	verify "rootless docker: its owner" "4300:4300" "$(stat -c %u:%g "$home/proj/out.txt")" "$EPOCHREALTIME"
	box_tested_docker "its own code" "7" sh -c 'exit 7'
	box_tested_docker "no such program" "127" nosuch
	verify "rootless docker: nothing is left" "containers: -" "containers: $(box_tester docker ps --all --quiet)-" "$EPOCHREALTIME"
	box_in chmod 660 /dev/kfd /dev/dri/renderD128
	tester_env=()
}

# box_docker_of_tester starts a docker of that user's. Its containers mount a sysfs, which the kernel allows to a user
# only where a whole one is to be seen; that of the box is covered.
box_docker_of_tester() {
	local home=$box/home-4300 script
	script=$(command -v dockerd-rootless.sh || echo /usr/share/docker.io/contrib/dockerd-rootless.sh)
	mkdir -p "$box/whole-sys"
	box_in mount -t sysfs sysfs "$box/whole-sys"
	box_tester env DOCKERD_ROOTLESS_ROOTLESSKIT_NET=host DOCKERD_ROOTLESS_ROOTLESSKIT_PORT_DRIVER=none sh "$script" \
		--data-root "$home/docker" --exec-root "$home/run/docker-exec" -H "unix://$home/run/docker.sock" --pidfile "$home/run/docker.pid" \
		--iptables=false --bridge=none --default-ulimit "nofile=1024:$(ulimit -Hn)" >"$box/rootless-dockerd.log" 2>&1 &
	soon box_tester docker import "$box/root.tar" boxed >/dev/null 2>&1
}

box_tested_docker() {
	local name=$1 want=$2 start=$EPOCHREALTIME rc=0
	shift 2
	box_tester "$work/rocsmith" run --engine docker --image boxed -- "$@" >"$work/out.txt" 2>"$work/err.txt" </dev/null || rc=$?
	verify "rootless docker: $name" "$want" "$rc $(tr -s '\n' ' ' <"$work/out.txt")" "$start"
}
