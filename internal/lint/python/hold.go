package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// keepTorch advises what keeps torch for ROCm where an install would replace it.
// A constraint only helps where the torch that is there satisfies what is asked;
// pip refuses the two together otherwise.
func keepTorch(p *lint.Pass, s step, t torch, w want) []remedy.Remedy {
	if s.conda {
		return []remedy.Remedy{cure("python-no-cuda-torch", "Leave torch to the image", manual("Take "+w.text+" out of this command, and pytorch with it"))}
	}
	excluded := slices.ContainsFunc(s.wantsTorch(), func(w want) bool { return t.version != "" && !w.Specifier.Contains(t.version) })
	rest := askedFor(s.install)
	switch {
	case !excluded && rest != "":
		return []remedy.Remedy{cure("python-constrain-torch", "Hold torch while installing",
			command("Write down what is there, before the first install", "pip list --format=freeze | grep -Ei '^(torch|torchvision|torchaudio|triton|pytorch-triton-rocm)=' > /opt/torch.txt"),
			command("Install with it as a constraint", "pip install -c /opt/torch.txt "+rest))}
	case w.via != "":
		return []remedy.Remedy{wantedForROCm(p, w), cure("python-other-release", "Ask for a release that takes the torch that is there",
			manual(fmt.Sprintf("Pin a release of %s whose requirements torch %s satisfies, or take a base image with torch%s", w.via, t.version, w.Specifier)))}
	}
	return []remedy.Remedy{wantedForROCm(p, w), cure("python-leave-torch", "Leave torch to the image",
		manual(fmt.Sprintf("Take %s out of %s, so that the one of %s stays", w.text, w.file.Path, t.from)))}
}

// wantedForROCm advises to install the torch that is asked for from an index with
// builds for ROCm, with the address where one is known to have it for the GPU.
func wantedForROCm(p *lint.Pass, w want) remedy.Remedy {
	install := "pip install " + shellWord("torch"+w.Specifier.String()) + " --index-url "
	release, _, _ := strings.Cut(strings.TrimLeft(w.Specifier.String(), "<>=~! "), ",")
	for _, g := range p.Machine.TargetGPUs() {
		for _, asked := range []string{release, ""} {
			c, ok := rocm.TorchFor(g.Gfx.Value, "", asked)
			if ok && w.Specifier.Contains(strings.Replace(c.Version, "*", "0", 1)) {
				return cure("python-torch-rocm", "Install the torch that is asked for as a build for ROCm",
					command("Before this install, from an index whose builds hold code for "+g.Gfx.Value, install+c.Index))
			}
		}
	}
	return cure("python-torch-rocm", "Install the torch that is asked for as a build for ROCm",
		manual("Before this install, from the index of a release of ROCm that has it: "+install+rocm.TorchIndex("X.Y")))
}

// askedFor writes what an install asks for beside torch, as it is written there.
func askedFor(i install) string {
	var words []string
	for _, list := range i.listed {
		words = append(words, "-r "+list)
	}
	for _, r := range i.requirements {
		if r.Name != "torch" && r.file == i.file {
			words = append(words, r.text)
		}
	}
	return strings.Join(words, " ")
}
