# shellcheck shell=bash disable=SC2154 # work, cache are set elsewhere
# Units and manifests of podman: quadlets that lint mended, read by podman's own generator and started with the arguments
# that it makes of them; and manifests, played by podman before and after what lint advises.

# shellcheck source=scripts/real.d/cdi.sh
. scripts/real.d/cdi.sh # the machine, and podman on it

needs+=(podman:podman runc:runc tar:tar jq:jq dpkg-deb:dpkg)

# The generator came with podman 4.4, and this Debian may have an older one.
prepare_pods() {
	local dir=$cache/quadlet
	[[ ! -e $dir/usr/libexec/podman/quadlet ]] || return 0
	rm -rf "$dir" "$dir.new"
	mkdir -p "$dir.new"
	if ! suite_apt trixie apt-get update >"$cache/quadlet.log" 2>&1 ||
		! (cd "$dir.new" && suite_apt trixie apt-get download podman >"$cache/quadlet.log" 2>&1 && dpkg-deb -x podman_*.deb . && rm podman_*.deb); then
		echo "scripts/real: no generator of podman: $(tail -n 1 "$cache/quadlet.log")"
		return 0
	fi
	mv "$dir.new" "$dir"
}

run_pods() {
	local dir=$work/pods
	pods_plant "$dir"
	if [[ -x $cache/quadlet/usr/libexec/podman/quadlet ]]; then
		pods_quadlets "$dir"
	else
		skip "quadlets" "there is no generator: $(tail -n 1 "$cache/quadlet.log")"
	fi
	pods_manifests "$dir"
}

# pods_plant DIR makes a machine whose nodes have the numbers of /dev/fuse, which no engine gives to a container by itself.
# The container that podman holds a pod together with asks for more open files than a sandbox may have.
pods_plant() {
	local dir=$1
	cdi_plant "$dir"
	plant_sys "$dir/sys" 10:229
	plant_node "$dir/dev/kfd" 10 229 660 110
	plant_node "$dir/dev/dri/renderD128" 10 229 660 110
	cdi_podman_ "$dir" tag real-cdi docker.io/rocm/vllm:rocm7.2_ubuntu24.04
	# shellcheck disable=SC2016 # the wrapper expands it
	put "$dir/bin/runc-here" '#!/bin/bash
for ((i = 1; i < $#; i++)); do
	j=$((i + 1))
	if [[ ${!i} == --bundle ]]; then
		jq "del(.process.rlimits)" "${!j}/config.json" >"${!j}/new.json"
		mv "${!j}/new.json" "${!j}/config.json"
	fi
done
exec runc "$@"'
	chmod +x "$dir/bin/runc-here"
	sed -i 's/"runc"/"here"/' "$dir/containers.conf"
	put "$dir/containers.conf" "$(cat "$dir/containers.conf")
[engine.runtimes]
here = [\"$dir/bin/runc-here\"]"
}

# pods_lint DIR FOLDER ARGUMENT… runs lint on a folder of that machine.
pods_lint() {
	local dir=$1 folder=$2
	shift 2
	on_cdi "$dir" "$dir/sys" env -C "$folder" rocsmith lint "$@" .
}

# --- quadlets ---------------------------------------------------------------------

pods_quadlets() {
	local dir=$1
	# A user and a group by name, which is another number in the image.
	pods_quadlet "$dir" name "Permission denied" "opened --group-add 110" 'User=1000
AddDevice=/dev/kfd
AddDevice=/dev/dri
GroupAdd=render'
	pods_quadlet "$dir" dri-alone "No such file or directory" "opened --device /dev/dri --device /dev/kfd" 'AddDevice=/dev/dri'
	pods_quadlet "$dir" no-group "Permission denied" "opened --group-add 110" 'User=1000
AddDevice=/dev/kfd
AddDevice=/dev/dri'
	pods_quadlet "$dir" arguments "Permission denied" "opened --group-add=110" 'User=1000
AddDevice=/dev/kfd
AddDevice=/dev/dri
PodmanArgs=--group-add=video --group-add=render'
	# What stands in a drop-in counts, and is mended there.
	pods_quadlet "$dir" drop-in "Permission denied" "opened --group-add 110" 'User=1000' '[Container]
AddDevice=/dev/kfd
AddDevice=/dev/dri
GroupAdd=render'
	local start=$EPOCHREALTIME
	verify "quadlet drop-in: nothing is left" "0 failures, 0 warnings" "$(pods_lint "$dir" "$dir/units/drop-in" 2>&1 | grep -o '^0 failures, 0 warnings')" "$start"
}

# pods_quadlet DIR NAME BEFORE AFTER LINES [DROP-IN] starts a unit as podman's generator understands it, before and after lint --fix.
# AFTER is what it does, and arguments that it is started with.
pods_quadlet() {
	local dir=$1 name=$2 before=$3 after=$4 unit=$1/units/$2 start=$EPOCHREALTIME got words
	put "$unit/$name.container" "[Unit]
Description=A model

[Container]
Image=docker.io/rocm/vllm:rocm7.2_ubuntu24.04
$5

[Install]
WantedBy=default.target"
	[[ -z ${6:-} ]] || put "$unit/$name.container.d/10-gpu.conf" "$6"
	verify "quadlet $name: before" "$before" "$(pods_start "$dir" "$unit")" "$start"
	start=$EPOCHREALTIME
	pods_lint "$dir" "$unit" --fix --yes >"$work/err.txt" 2>&1 || true
	got=$(pods_start "$dir" "$unit")
	words=${after#opened }
	[[ " $(pods_arguments "$unit") " != *" $words "* ]] || got+=" $words"
	verify "quadlet $name: after" "$after" "$got" "$start"
}

# pods_arguments FOLDER prints what the generator makes of the unit in a folder, without what only systemd needs.
pods_arguments() {
	QUADLET_UNIT_DIRS=$1 "$cache/quadlet/usr/libexec/podman/quadlet" -dryrun 2>"$work/err.txt" |
		sed -n 's/^ExecStart=[^ ]*podman run //p' |
		sed -E 's/--name [^ ]+ //; s/--cidfile=[^ ]+ //; s/--replace //; s/--cgroups=[^ ]+ //; s/--sdnotify=[^ ]+ //; s/ -d / /'
}

# pods_start DIR FOLDER starts the unit and tells whether its process opens the nodes, or why it does not.
pods_start() {
	local arguments
	read -ra arguments <<<"$(pods_arguments "$2")"
	if [[ ${#arguments[@]} == 0 ]]; then
		echo "the generator refuses it: $(grep -o 'converting.*' "$work/err.txt")"
	elif cdi_podman_ "$1" run "${arguments[@]}" /bin/sh -c 'ls /dev/kfd && exec 3<>/dev/kfd 4<>/dev/dri/renderD128' >"$work/out.txt" 2>"$work/err.txt"; then
		echo opened
	else
		grep -oE 'Permission denied|No such file or directory|Operation not permitted' "$work/err.txt" || tail -n 1 "$work/err.txt"
	fi
}

# --- manifests --------------------------------------------------------------------

# pods_manifests shows what the rules of Kubernetes say by podman, which plays manifests: a node that is mounted is closed to
# root too; one that is passed, as a device plugin does, is open to its group alone.
pods_manifests() {
	local dir=$1 pod=$1/manifest start=$EPOCHREALTIME
	pods_manifest "$pod" '' '{path: /dev/kfd}'
	verify "a mounted node: root" "Operation not permitted" "$(pods_play "$dir" "$pod")" "$start"
	start=$EPOCHREALTIME
	verify "a mounted node: lint" "fail" "$(pods_verdict "$dir" "$pod" kubernetes/host-devices)" "$start"

	sed -i '1i # podman kube play pod.yaml' "$pod/pod.yaml"
	start=$EPOCHREALTIME
	verify "a mounted node: lint, for podman" "fail" "$(pods_verdict "$dir" "$pod" kubernetes/host-devices)" "$start"
	sed -i 's/{path: .dev.kfd}/{path: \/dev\/kfd, type: CharDevice}/' "$pod/pod.yaml"
	start=$EPOCHREALTIME
	verify "as lint advises for podman" "opened none" "$(pods_play "$dir" "$pod") $(pods_verdict "$dir" "$pod" kubernetes/host-devices)" "$start"

	start=$EPOCHREALTIME
	pods_manifest "$pod" 'securityContext: {runAsUser: 1000}' '{path: /dev/kfd, type: CharDevice}'
	verify "a passed node: another user" "Permission denied" "$(pods_play "$dir" "$pod")" "$start"
	start=$EPOCHREALTIME
	verify "a passed node: lint" "warn" "$(pods_verdict "$dir" "$pod" kubernetes/supplemental-groups)" "$start"
	start=$EPOCHREALTIME
	pods_manifest "$pod" "securityContext: {runAsUser: 1000, $(pods_advice)}" '{path: /dev/kfd, type: CharDevice}'
	verify "as lint advises" "opened" "$(pods_play "$dir" "$pod")" "$start"
	start=$EPOCHREALTIME
	verify "as lint advises: lint" "none" "$(pods_verdict "$dir" "$pod" kubernetes/supplemental-groups)" "$start"
}

# pods_manifest FOLDER CONTEXT HOSTPATH writes a pod.
pods_manifest() {
	put "$1/pod.yaml" "apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  hostNetwork: true
  restartPolicy: Never
  ${2:-serviceAccountName: default}
  containers:
  - name: train
    image: docker.io/rocm/vllm:rocm7.2_ubuntu24.04
    imagePullPolicy: Never
    command: [/bin/sh, -c, 'exec 3<>/dev/kfd && echo opened']
    resources:
      limits:
        amd.com/gpu: 1
    volumeMounts:
    - name: kfd
      mountPath: /dev/kfd
  volumes:
  - name: kfd
    hostPath: $3"
}

# pods_play DIR FOLDER plays the manifest and prints what its process said.
pods_play() {
	cdi_podman_ "$1" kube play "$2/pod.yaml" >"$work/out.txt" 2>"$work/err.txt" || true
	cdi_podman_ "$1" wait train-train >>"$work/out.txt" 2>>"$work/err.txt" || true
	cdi_podman_ "$1" logs train-train 2>&1 | grep -oE 'opened|Permission denied|Operation not permitted' | sed -n 1p
	cdi_podman_ "$1" pod rm -f train >>"$work/out.txt" 2>>"$work/err.txt" || true
}

# pods_verdict DIR FOLDER RULE is what lint says of the manifest by a rule.
pods_verdict() {
	pods_lint "$1" "$2" --format json >"$work/out.json" 2>"$work/err.txt" || true
	jq -r --arg rule "$3" '[.findings[] | select(.check == $rule)] | if length == 0 then "none" else .[0].verdict end' "$work/out.json"
}

# pods_advice is what lint advised last to write.
pods_advice() {
	jq -r '.findings[] | select(.check == "kubernetes/supplemental-groups") | .remedies[].steps[].text' "$work/out.json" | grep -oE 'supplementalGroups: \[[0-9, ]+\]' | sed -n 1p
}
