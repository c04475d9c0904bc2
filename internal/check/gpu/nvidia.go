package gpu

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// NVIDIA is asked on every machine: who has only a GPU of NVIDIA's is told what
// fits it.
var NVIDIA = check.Check{
	ID:    "gpu/nvidia",
	Title: "Software for NVIDIA GPUs and for AMD GPUs is not confused",
	Doc: `Where a GPU of NVIDIA's is beside or instead of one of AMD's. A build for ROCm computes on AMD GPUs only, a build for CUDA on NVIDIA's
only. On a machine with NVIDIA alone, a torch for ROCm is the wrong wheel, and the right one is named. Where both are there, each can be used, by a build of
its own.`,
	Run: runNVIDIA,
}

const fitsNVIDIA = "For a GPU of NVIDIA's, builds for CUDA are right: torch from PyPI is one on Linux, and nothing of ROCm is needed."

func runNVIDIA(in check.Input) []check.Finding {
	m := in.Machine
	cards := m.NVIDIAGPUs()
	if len(cards) == 0 {
		return []check.Finding{check.NotHere("NVIDIA", "there is no GPU of NVIDIA's")}
	}
	var out []check.Finding
	if len(m.AMDGPUs()) == 0 {
		out = wrongWheels(m, cards[0])
	}
	if len(out) == 0 {
		out = []check.Finding{bothKinds(m, cards[0])}
	}
	return out
}

// wrongWheels are the builds for AMD GPUs where there is none.
func wrongWheels(m *machine.Machine, card machine.GPU) []check.Finding {
	var out []check.Finding
	for _, e := range m.Python.Value {
		torch, has := e.Has("torch")
		if !has || !torch.Build.Known() || torch.Build.Value.Kind != rocm.BuildROCm {
			continue
		}
		f := check.Finding{
			Subject: e.Prefix, Verdict: check.Warn, Cause: "wrong-torch-build-rocm",
			Message:  fmt.Sprintf("torch %s is a build for ROCm, and the only GPU here is the %s. It holds no code for NVIDIA's GPUs, so torch.cuda.is_available() is False with it.", torch.Version, card.Label()),
			Evidence: append([]machine.Evidence{{From: machine.Source(torch.Path), Text: "torch " + torch.Version}, seen(card)}, torch.Build.Value.Evidence...),
			Remedies: []remedy.Remedy{cure.For(m, "torch-cuda", cure.Values{
				"pip_install": cure.Words(e.Pip("install")...), "uninstall": cure.Words(e.Pip("uninstall")...), "remove": cure.Words("torch", "torchvision", "torchaudio"), "install": cure.Words("torch", "torchvision", "torchaudio"),
			})},
		}
		if e.Active {
			f.Verdict = check.Fail
		}
		out = append(out, f)
	}
	return out
}

func seen(card machine.GPU) machine.Evidence {
	text := card.PCIID
	if card.Bound.Known() {
		text += ", driver " + card.Bound.Value
	}
	return machine.Evidence{From: machine.Source(strings.TrimSpace("PCI " + card.Address)), Text: text}
}

func bothKinds(m *machine.Machine, card machine.GPU) check.Finding {
	f := check.Finding{Subject: "NVIDIA", Verdict: check.OK, Evidence: []machine.Evidence{seen(card)}}
	if len(m.AMDGPUs()) == 0 {
		f.Message = fmt.Sprintf("The GPU is the %s, made by NVIDIA. %s", card.Label(), fitsNVIDIA)
		return f
	}
	amd := m.AMDGPUs()[0]
	f.Message = fmt.Sprintf("There are the %s and the %s. A build for ROCm uses the first, a build for CUDA the second, each in an environment of its own", amd.Label(), card.Label())
	if wanted := canWork(m); wanted != "" {
		f.Message += "; " + wanted
	}
	return f
}

// canWork says with what software the AMD GPU computes: nobody needs to buy
// another one.
func canWork(m *machine.Machine) string {
	for _, g := range m.TargetGPUs() {
		gfx := g.Gfx.Value
		if c, ok := rocm.TorchFor(gfx, "", ""); ok && m.OS != "windows" {
			return fmt.Sprintf("torch %s for ROCm %s holds code for %s", c.Version, c.ROCm, gfx)
		}
		if w, ok := rocm.DeviceWheels(gfx); ok {
			return fmt.Sprintf("AMD's own wheels hold code for %s (%s)", gfx, w.Index)
		}
	}
	return ""
}
