package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// devicePackage begins the names of the packages with torch's code for one GPU.
const devicePackage = "amd-torch-device-"

func runDevice(in check.Input) []check.Finding {
	m := in.Machine
	envs, nothing := environments(m)
	if nothing != nil {
		return nothing
	}
	var found gathered
	for _, e := range envs {
		torch, has := e.Has("torch")
		if !has || len(torch.DeviceExtras) == 0 {
			continue
		}
		for _, g := range m.TargetGPUs() {
			gfx := m.EffectiveGfx(g)
			found.add(torch.Version+gfx, judgeDevice(m, e, torch, gfx))
		}
	}
	return found.findings("no torch was found that keeps its code in packages by GPU")
}

func judgeDevice(m *machine.Machine, e machine.PythonEnvironment, torch machine.PythonPackage, gfx string) check.Finding {
	f := check.Finding{
		Subject: e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("%s%s holds torch's code for the GPU", devicePackage, gfx),
		Evidence: []machine.Evidence{installed(torch.PythonDistribution), {From: machine.Source(torch.Path), Text: "Provides-Extra: device-" + shorten(torch.DeviceExtras)}},
	}
	var others []string
	for _, d := range e.Vendor {
		other, ok := strings.CutPrefix(d.Name, devicePackage)
		switch {
		case !ok:
		case other == gfx || other == "all":
			f.Evidence = append(f.Evidence, installed(d.PythonDistribution))
			return f
		default:
			others = append(others, other)
			f.Evidence = append(f.Evidence, installed(d.PythonDistribution))
		}
	}
	f.Verdict, f.Cause = weigh(m, e), "no-kernel-image-for-arch"
	f.Message = fmt.Sprintf("torch %s has no code for %s: the package %s%s is not installed. torch.cuda.is_available() is True without it, and every kernel ends in hipErrorInvalidImage.", torch.Version, gfx, devicePackage, gfx)
	if len(others) > 0 {
		f.Message += fmt.Sprintf(" Installed is the code for %s.", shorten(others))
	}
	if w, ok := rocm.DeviceWheels(gfx); ok && (slices.Contains(torch.DeviceExtras, gfx) || slices.Contains(torch.DeviceExtras, "all")) {
		v := cure.ForPython(e)
		v["gfx"], v["index"], v["install"] = gfx, w.Index, cure.Words(fmt.Sprintf("torch[device-%s]==%s", gfx, torch.Version))
		f.Remedies = []remedy.Remedy{cure.For(m, "device-extra", v)}
		return f
	}
	f.Message += fmt.Sprintf(" This torch offers no extra for %s.", gfx)
	f.Remedies = cure.Torch(m, e, torch.Version)
	return f
}
