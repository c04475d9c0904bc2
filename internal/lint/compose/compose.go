// Package compose holds the rules about compose files: how their services are given GPUs.
package compose

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// Rules are the rules of this area. They speak of services that are given GPUs, or
// that show that they want one.
var Rules = slices.Concat(groupRules, deviceRules, rightRules)

// one is an example of a single compose file.
func one(text string) lint.Example {
	return lint.Example{Files: map[string]string{"compose.yaml": text}}
}

// on puts an example on another machine.
func on(machine string, e lint.Example) lint.Example {
	e.On = machine
	return e
}

// with adds a file to an example.
func with(e lint.Example, name, text string) lint.Example {
	e.Files[name] = text
	return e
}

var groupRules = []lint.Rule{
	{
		ID:    "compose/group-name",
		Title: "Groups for GPUs are numbers",
		Why: "The kernel compares numbers. A name in `group_add` is looked up in the image, where `render` may be 105 or 991 or not be there at all, while the node " +
			"keeps the number of the host. Where the nodes are open to everybody the name does no harm, until the project meets a machine where they are not.",
		Bad:  one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - video\n      - render  # for /dev/kfd\n"),
		Good: one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - 44\n      - 110  # for /dev/kfd\n"),
		Run:  groupNames,
	},
	{
		ID:    "compose/group-number",
		Title: "Numbers of groups are those of this machine",
		Why: "Distributions number the group of the nodes differently: 44 and 110 on one, 39 and 105 on the next. A number that was copied from elsewhere opens nothing, " +
			"and looks right.",
		Bad:  one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add: [\"44\", \"992\"]\n"),
		Good: one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add: [\"44\", \"110\"]\n"),
		Run:  groupNumbers,
	},
	{
		ID:    "compose/group-variable",
		Title: "Variables for groups hold the numbers of this machine",
		Why: "`${RENDER_GID:-105}` is right where somebody set the variable, and else on the machine of whoever wrote the default. Compose reads `.env` beside the file: " +
			"that is the place for what differs between machines. Where an example of `.env`, or a script of the project, sets the variable, this is a warning.",
		Bad: with(one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - ${VIDEO_GID:-44}\n      - ${RENDER_GID:-105}\n"),
			".env", "# this machine\nVIDEO_GID=44\n"),
		Good: with(one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - ${VIDEO_GID:-44}\n      - ${RENDER_GID:-105}\n"),
			".env", "# this machine\nVIDEO_GID=44\nRENDER_GID=110\n"),
		Run: groupVariables,
	},
	{
		ID:    "compose/group-missing",
		Title: "Services that are not root have the group of their nodes",
		Why: "A node with mode 0660 is opened by root and by its group. A service that runs as another user is refused without the number of that group, " +
			"whatever the image calls it. Where everybody may open the node, no group is asked for.",
		Bad:  one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    user: \"1000:1000\"\n    devices:\n      - /dev/kfd\n      - /dev/dri\n    ipc: host\n"),
		Good: one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    user: \"1000:1000\"\n    devices:\n      - /dev/kfd\n      - /dev/dri\n    group_add:\n      - \"110\"\n    ipc: host\n"),
		Run:  groupMissing,
	},
	{
		ID:    "compose/keep-groups",
		Title: "keep-groups is for podman alone",
		Why:   "`keep-groups` lets rootless podman hand over the groups of whoever starts it. Docker takes it for a name, does not find it in the image, and does not start the container.",
		Bad:   one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - keep-groups\n"),
		Good:  one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - 110\n"),
		Run:   keepGroups,
	},
	{
		ID:    "compose/user-namespace",
		Title: "Engines that translate ids are told how to hand over groups",
		Why: "A rootless engine, and Docker with `userns-remap`, give containers ids of their own. gid 110 in there is another number on the host, so `id` shows it and the node " +
			"stays closed. Rootless podman with crun has `keep-groups`; Docker has nothing like it.",
		Bad:  on("rootless-podman", one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - 110\n")),
		Good: on("rootless-podman", one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - keep-groups\n")),
		Run:  userNamespaces,
	},
}

var deviceRules = []lint.Rule{
	{
		ID:    "compose/kfd-missing",
		Title: "/dev/dri comes with /dev/kfd",
		Why:   "`/dev/dri` is enough for pictures and films. ROCm talks to the driver through `/dev/kfd`; without it no GPU is found, and many programs go on with the CPU without a word.",
		Bad:   one("services:\n  ollama:\n    image: ollama/ollama:0.12.3-rocm\n    devices:\n      - /dev/dri:/dev/dri\n"),
		Good:  one("services:\n  ollama:\n    image: ollama/ollama:0.12.3-rocm\n    devices:\n      - /dev/kfd:/dev/kfd\n      - /dev/dri:/dev/dri\n"),
		Run:   partners("/dev/dri", "/dev/kfd"),
	},
	{
		ID:    "compose/dri-missing",
		Title: "/dev/kfd comes with /dev/dri",
		Why:   "`/dev/kfd` belongs to all GPUs; which of them a process may use, and their memory, go through the render nodes in `/dev/dri`. Without them ROCm lists no GPU.",
		Bad:   one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [\"/dev/kfd\"]\n"),
		Good:  one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [\"/dev/kfd\", \"/dev/dri\"]\n"),
		Run:   partners("/dev/kfd", "/dev/dri"),
	},
	{
		ID:    "compose/no-devices",
		Title: "Services that compute with ROCm are given a GPU",
		Why:   "A container sees none of the host's devices. An image with ROCm, or variables for it, are of no use to a service without nodes. `gpus` and reservations were made for NVIDIA: Docker takes them for AMD only where AMD's container runtime is installed, or, in newer versions, a CDI specification. (moby#49952, moby#52048)",
		Bad:   one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    environment:\n      HIP_VISIBLE_DEVICES: 0\n"),
		Good:  one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices:\n      - /dev/kfd\n      - /dev/dri\n    environment:\n      HIP_VISIBLE_DEVICES: 0\n"),
		Run:   noDevices,
	},
	{
		ID:    "compose/variable-not-passed",
		Title: "Variables of the shell are passed on to GPU services",
		Why: "A container sees none of the shell's variables. One that is exported before `docker compose up`, by hand or in a script, and that no service names does nothing. " +
			"Nor does one in `.env`: compose fills in its own file from there. " +
			"A name without a value passes on what is set, and nothing where it is not. Overrides that do not fit the GPU, and switches for finding faults, are not asked to be passed on.",
		Bad:  on("override-exported", one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    environment:\n      - HIP_VISIBLE_DEVICES=0\n")),
		Good: on("override-exported", one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    environment:\n      - HIP_VISIBLE_DEVICES=0\n      - HSA_OVERRIDE_GFX_VERSION\n")),
		Run:  exported,
	},
	{
		ID:     "compose/cdi",
		Title:  "GPUs are named where the engine knows their names",
		Strict: true,
		Why: "With a CDI specification `amd.com/gpu=all` stands for the nodes of all GPUs, and the engine takes care of them. `rocsmith cdi generate` writes it, with the owner and mode that the nodes have. " +
			"This is asked with `--strict` only, because the file has to be on every machine.",
		Bad:  one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices:\n      - /dev/kfd\n      - /dev/dri\n"),
		Good: one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices:\n      - amd.com/gpu=all\n"),
		Run:  cdiAvailable,
	},
}

var rightRules = []lint.Rule{
	{
		ID:    "compose/shm-size",
		Title: "shm_size stands where it counts",
		Why:   "With `ipc: host` a container has the host's `/dev/shm`, and `shm_size` is passed over in silence. Whoever relies on the number is misled.",
		Bad:   one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    ipc: host\n    shm_size: 16g  # for the loaders\n    restart: \"no\"\n"),
		Good:  one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    ipc: host\n    restart: \"no\"\n"),
		Run:   shmSizes,
	},
	{
		ID:    "compose/privileged",
		Title: "GPU services are not privileged",
		Why:   "`privileged: true` hands over every device and every right of the host. ROCm needs `/dev/kfd` and `/dev/dri`.",
		Bad:   one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    privileged: true\n"),
		Good:  one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n"),
		Run:   overPrivileged,
	},
	{
		ID:    "compose/unconfined",
		Title: "GPU services keep the engine's confinement",
		Why:   "`seccomp=unconfined` and `SYS_PTRACE` are in many examples. They are for debuggers, for tools that bind memory to NUMA nodes, and for some MPI programs; PyTorch and its like do without.",
		Bad:   one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    cap_add: [SYS_PTRACE]\n    security_opt:\n      - seccomp=unconfined\n"),
		Good:  one("services:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n"),
		Run:   unconfined,
	},
	{
		ID:    "compose/cache-folder",
		Title: "Folders that a service writes to are there before it starts",
		Why: "Docker makes the source of a bind mount that does not exist, as root. A service that runs as somebody else cannot write to it: MIOpen then stops with " +
			"`attempt to write a readonly database`, or compiles every kernel in every run. Folders of the project and of the home are asked about; one is made where the user of the service owns what it is in.",
		Bad: one("services:\n  whisper:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    user: \"1000:1000\"\n    group_add: [\"110\"]\n    devices: [/dev/kfd, /dev/dri]\n    volumes:\n      - ./miopen:/home/u/.config/miopen\n"),
		Good: with(one("services:\n  whisper:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    user: \"1000:1000\"\n    group_add: [\"110\"]\n    devices: [/dev/kfd, /dev/dri]\n    volumes:\n      - ./miopen:/home/u/.config/miopen\n"),
			"miopen/.gitkeep", ""),
		Run: cacheFolders,
	},
	{
		ID:    "compose/selinux-label",
		Title: "Folders are labelled where SELinux confines containers",
		Why: "Where SELinux enforces, a container may touch only what is labelled for containers. `:z` labels a mounted folder so that all containers share it. " +
			"It is not written for folders outside of the project: a home that is labelled anew locks its owner's other programs out.",
		Bad:  on("selinux", one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    volumes:\n      - ./models:/models\n      - ./data:/data:ro\n")),
		Good: on("selinux", one("services:\n  trainer:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n    devices: [/dev/kfd, /dev/dri]\n    volumes:\n      - ./models:/models:z\n      - ./data:/data:ro,z\n")),
		Run:  labels,
	},
	{
		ID:    "compose/readable",
		Title: "Compose can make one project of the files",
		Why:   "Includes that lead in a circle, services that extend themselves and variables that must be set stop compose. Nothing is said of such a project, and nothing is changed in it.",
		Bad:   with(one("include:\n  - gpu.yaml\nservices:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"), "gpu.yaml", "include:\n  - compose.yaml\n"),
		Good:  with(one("include:\n  - gpu.yaml\nservices:\n  app:\n    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"), "gpu.yaml", "services: {}\n"),
		Run:   readable,
	},
}
