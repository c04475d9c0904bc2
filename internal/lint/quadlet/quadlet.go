// Package quadlet holds the rules about .container units of podman: how a service comes by AMD GPUs, and with which rights.
package quadlet

import "github.com/rocsmith/rocsmith/internal/lint"

// Rules are the rules of this area.
var Rules = []lint.Rule{
	{
		ID:    "quadlet/devices",
		Title: "A unit that computes on an AMD GPU is given /dev/kfd and /dev/dri",
		Why: "A container has only the devices it was given. Computing needs `/dev/kfd` for queues and the render node in `/dev/dri` for memory; with one of them alone HIP finds no device. " +
			"`AddDevice=amd.com/gpu=all` stands for both where there is a CDI specification (`rocsmith cdi generate`). " +
			"What stands in drop-ins (`NAME.container.d/*.conf`) counts. (ROCm documentation, running containers; podman-systemd.unit(5))",
		Bad:  example("AddDevice=/dev/dri\n", ""),
		Good: example("AddDevice=/dev/dri\nAddDevice=/dev/kfd\n", ""),
		Run:  missingDevices,
	},
	{
		ID:    "quadlet/group-name",
		Title: "Groups of the GPU's nodes are given by number, or kept",
		Why: "Podman looks a name up in the image, where render and video have other numbers than on the host, or none; the kernel compares numbers. " +
			"Podman as root takes the number of the node. In rootless podman no number of the host can be named, and only `keep-groups` lets the process keep the groups of its user. " +
			"(docker/cli#4714; podman-run(1), --group-add)",
		Bad:  example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\nGroupAdd=render\n", "podman"),
		Good: example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\nGroupAdd=110\n", "podman"),
		Run:  groupNames,
	},
	{
		ID:    "quadlet/groups",
		Title: "The process is in the group of the GPU's nodes",
		Why: "Nodes that only a group may open are closed to a process of another group: EACCES. Under rootless podman that is every process, root of the container too, " +
			"and a number that `id` shows in the container is another group outside; `GroupAdd=keep-groups` (with crun) hands the groups of the user on. " +
			"(Tried with podman, rootless and as root; podman-run(1), --group-add)",
		Bad:  example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\n", "rootless-podman"),
		Good: example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\nGroupAdd=keep-groups\n", "rootless-podman"),
		Run:  missingGroups,
	},
	{
		ID:    "quadlet/keep-groups-alone",
		Title: "keep-groups stands alone",
		Why:   "Podman refuses keep-groups beside any other group, with exit code 125, and the service does not start. (podman cmd/podman/containers/create.go; tried with podman 4.3)",
		Bad:   example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\nGroupAdd=keep-groups\nGroupAdd=110\n", "rootless-podman"),
		Good:  example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\nGroupAdd=keep-groups\n", "rootless-podman"),
		Run:   keepGroupsAlone,
	},
	{
		ID:    "quadlet/privileged",
		Title: "A unit with a GPU is not privileged",
		Why: "With its devices and groups a container computes without privilege. A privileged one reaches every device of the host, and its root is the host's. " +
			"(podman-run(1), --privileged)",
		Bad:  example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\nPodmanArgs=--privileged\n", "podman"),
		Good: example("AddDevice=/dev/kfd\nAddDevice=/dev/dri\n", "podman"),
		Run:  privileged,
	},
}

func example(lines, on string) lint.Example {
	return lint.Example{On: on, Files: map[string]string{
		"vllm.container": "[Unit]\nDescription=A model\n\n[Container]\nImage=docker.io/rocm/vllm:rocm7.2_ubuntu24.04\n" + lines + "\n[Install]\nWantedBy=default.target\n",
	}}
}
