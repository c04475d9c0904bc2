// Package script holds the rules about containers that scripts start: how they are given GPUs.
package script

import "github.com/rocsmith/rocsmith/internal/lint"

const image = "rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1"

// Rules are the rules of this area. They speak of docker run and podman run with an
// image for ROCm, or with /dev/kfd.
var Rules = []lint.Rule{
	{
		ID:    "script/devices",
		Title: "Containers that scripts start are given /dev/kfd and /dev/dri together",
		Why: "A container has only the devices it was given. Computing needs `/dev/kfd` for queues and the render node in `/dev/dri` for memory; with one of them alone " +
			"HIP finds no device. Containers without either are not judged: not everything in an image for ROCm computes. (ROCm documentation, running containers)",
		Bad:  lint.Example{Files: map[string]string{"run.sh": "#!/bin/sh\ndocker run --rm -it \\\n  --device=/dev/dri \\\n  " + image + " python train.py\n"}},
		Good: lint.Example{Files: map[string]string{"run.sh": "#!/bin/sh\ndocker run --rm -it \\\n  --device=/dev/dri --device=/dev/kfd \\\n  " + image + " python train.py\n"}},
		Run:  devices,
	},
	{
		ID:    "script/group-name",
		Title: "Containers that scripts start are given groups by the number of the node",
		Why: "The engine looks a name up in the image, where `render` and `video` have other numbers than on the host, or none; then the container does not start. The kernel compares " +
			"numbers, and a script can ask the node for its own, on every machine. Podman of a user cannot name a number of the host at all: there only `keep-groups` helps. " +
			"(docker/cli#4714; podman-run(1), --group-add)",
		Bad:  lint.Example{Files: map[string]string{"run.sh": "#!/bin/sh\ndocker run --rm --user 1000 --device=/dev/kfd --device=/dev/dri --group-add video --group-add render " + image + "\n"}},
		Good: lint.Example{Files: map[string]string{"run.sh": "#!/bin/sh\ndocker run --rm --user 1000 --device=/dev/kfd --device=/dev/dri --group-add \"$(stat -c %g /dev/kfd)\" " + image + "\n"}},
		Run:  groupNames,
	},
}
