// Package devcontainer holds the rules about development containers (devcontainer.json): how they come by AMD GPUs, and with which rights.
package devcontainer

import "github.com/rocsmith/rocsmith/internal/lint"

// Rules are the rules of this area.
var Rules = []lint.Rule{
	{
		ID:    "devcontainer/devices",
		Title: "A development container for AMD GPUs is given /dev/kfd and /dev/dri",
		Why: "A container has only the devices it was given, by `runArgs` here. Computing needs `/dev/kfd` for queues and the render node in `/dev/dri` for memory; with one of them alone HIP finds no device. " +
			"(ROCm documentation, running containers; the Development Container specification, `runArgs`)",
		Bad:  file(`"runArgs": ["--device=/dev/dri"]`),
		Good: file(`"runArgs": ["--device=/dev/dri", "--device=/dev/kfd"]`),
		Run:  missingDevices,
	},
	{
		ID:    "devcontainer/group-name",
		Title: "Groups of the GPU's nodes are given by number",
		Why: "The engine looks a name up in the image, where render and video have other numbers than on the host, or none; the kernel compares numbers. " +
			"The number is that of this machine, or of the one that `--for` names. (docker/cli#4714)",
		Bad:  file(`"runArgs": ["--device=/dev/kfd", "--device=/dev/dri", "--group-add", "render"]`),
		Good: file(`"runArgs": ["--device=/dev/kfd", "--device=/dev/dri", "--group-add", "110"]`),
		Run:  groupNames,
	},
	{
		ID:    "devcontainer/groups",
		Title: "The user of a development container is in the group of the GPU's nodes",
		Why: "Editors work as `remoteUser`, which is seldom root. Nodes that only a group may open are closed to it: EACCES. The engine gives the groups of `runArgs` to every process that is started in the container. " +
			"(docker run, --group-add; the Development Container specification, `remoteUser`)",
		Bad:  file(`"remoteUser": "vscode",` + "\n\t" + `"runArgs": ["--device=/dev/kfd", "--device=/dev/dri"]`),
		Good: file(`"remoteUser": "vscode",` + "\n\t" + `"runArgs": ["--device=/dev/kfd", "--device=/dev/dri", "--group-add=110"]`),
		Run:  missingGroups,
	},
	{
		ID:    "devcontainer/gpus-flag",
		Title: "AMD GPUs are passed as devices, not by --gpus",
		Why: "`--gpus` was made for NVIDIA. Docker takes it for AMD only where AMD's container runtime is installed, or, in newer versions, a CDI specification; elsewhere the container does not start " +
			"(\"could not select device driver\"). Devices work with every engine. (moby#49952, moby#52048)",
		Bad:  file(`"runArgs": ["--gpus", "all"]`),
		Good: file(`"runArgs": ["--device=/dev/kfd", "--device=/dev/dri"]`),
		Run:  gpusFlag,
	},
	{
		ID:    "devcontainer/privileged",
		Title: "A development container with a GPU is not privileged",
		Why: "With its devices and groups a container computes without privilege. A privileged one reaches every device of the host, and its root is the host's. " +
			"(docker run, --privileged)",
		Bad:  file(`"privileged": true`),
		Good: file(`"runArgs": ["--device=/dev/kfd", "--device=/dev/dri"]`),
		Run:  privileged,
	},
}

func file(line string) lint.Example {
	return lint.Example{Files: map[string]string{
		".devcontainer/devcontainer.json": "{\n\t// PyTorch on AMD\n\t\"image\": \"rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\",\n\t" + line + ",\n}\n",
	}}
}
