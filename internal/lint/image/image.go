// Package image holds the rules about container images that projects name: in Dockerfiles, compose files, manifests and quadlets.
package image

import (
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Rules are the rules of this area. They speak of images for AMD GPUs only.
var Rules = []lint.Rule{
	{
		ID:    "image/floating-tag",
		Title: "Images for GPUs are named by a release",
		Why: "`latest` and its like are moved by their publisher. The next build may bring another ROCm and another torch: without code for " +
			"this GPU, or for a driver that is not here. What worked yesterday cannot be told from what runs today.",
		Bad: lint.Example{Files: map[string]string{"Dockerfile": "FROM rocm/pytorch:latest\nRUN pip install einops\n"}},
		Good: lint.Example{Files: map[string]string{
			"Dockerfile": "FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\nRUN pip install einops\n",
		}},
		Run: floating,
	},
	{
		ID:    "image/no-digest",
		Title: "Images for GPUs are named by their digest",
		Why: "A tag can be published again with other contents; a digest cannot. This is asked with `--strict` only, " +
			"because a digest has to be renewed by hand or by a bot.",
		Strict: true,
		Bad: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: ollama/ollama:0.12.3-rocm\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: ollama/ollama:0.12.3-rocm@sha256:1f0c7a1f2bd5a6d5c7a2c9a1a3f0b1cc5d6e7f8091a2b3c4d5e6f708192a3b4c\n",
		}},
		Run: undigested,
	},
	{
		ID:    "image/no-code",
		Title: "Images hold code for the GPU that they are to run on",
		Why: "A GPU runs code of its own kind only. An image without it starts, finds the GPU, and stops at the first kernel with " +
			"`no kernel image is available` or `invalid device function`. The lists come from the publishers' build files; where Docker or Podman " +
			"keeps the image in a folder that you may read, its files are looked at, and that counts more.",
		Bad: lint.Example{On: "gfx1031", Files: map[string]string{
			"compose.yml": "services:\n  ollama:\n    image: ollama/ollama:0.12.3-rocm\n    devices: [/dev/kfd, /dev/dri]\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  ollama:\n    image: ollama/ollama:0.12.3-rocm\n    devices: [/dev/kfd, /dev/dri]\n",
		}},
		Run: withoutCode,
	},
	{
		ID:    "image/tag-scheme",
		Title: "Tags follow the scheme of their publisher",
		Why: "A tag that is made up after another project's habit is found out when the build fetches it, or by whoever clones the project. " +
			"AMD's images of PyTorch are called `rocm<X.Y>_ubuntu<24.04>_py<3.N>_pytorch_release_<A.B.C>`.",
		Bad: lint.Example{Files: map[string]string{
			"Dockerfile": "FROM rocm/pytorch:rocm6.1.1-runtime-pytorch2.2.0-py3.11\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"Dockerfile": "FROM rocm/pytorch:rocm6.1.3_ubuntu22.04_py3.10_pytorch_release-2.1.2\n",
		}},
		Run: misnamed,
	},
}

func provenance(p rocm.Provenance) machine.Evidence {
	return machine.Evidence{From: machine.Source(p.Grade()), Text: p.Source}
}

// advice is a cure that a person takes.
func advice(id, title string, steps ...remedy.Step) []remedy.Remedy {
	return []remedy.Remedy{{ID: id, Title: title, Risk: remedy.Safe, Steps: steps}}
}

func manual(text string) remedy.Step { return remedy.Step{Kind: remedy.Manual, Text: text} }

func command(text, line string) remedy.Step {
	return remedy.Step{Kind: remedy.Command, Text: text, Command: line}
}
