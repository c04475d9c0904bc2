package python

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// minor is "3.12" of "3.12.3".
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// values are what most cures of an environment need.
func values(e machine.PythonEnvironment) cure.Values {
	filter := cure.Words("grep", "-i", "+rocm")
	if strings.Contains(e.Prefix, `\`) {
		filter = cure.Words("findstr", "/i", "+rocm")
	}
	return cure.Values{
		"python_version": minor(e.Python),
		"pip_install":    cure.Words(e.Pip("install")...),
		"uninstall":      cure.Words(e.Pip("uninstall")...),
		"freeze":         cure.Words(e.Pip("freeze")...),
		"filter":         filter,
	}
}

func withHIP(e machine.PythonEnvironment, hip string) cure.Values {
	v := values(e)
	v["hip"] = hip
	return v
}

// torchCures name a torch that fits the GPU: that of pytorch.org where it holds
// code for it, else AMD's own. pytorch.org has none for Windows.
func torchCures(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage) []remedy.Remedy {
	var out []remedy.Remedy
	for _, g := range m.TargetGPUs() {
		gfx := m.EffectiveGfx(g)
		if c, ok := rocm.TorchFor(gfx, minor(e.Python), p.Version); ok && m.OS != "windows" {
			out = append(out, torchFromIndex(m, e, c))
		}
		if w, ok := rocm.DeviceWheels(gfx); ok {
			out = append(out, cure.For(m, "native-wheels", cure.Values{"gfx": gfx, "index": w.Index}))
		}
		if len(out) > 0 {
			return out
		}
		out = append(out, cure.For(m, "rocm-for-gpu", cure.Values{"gfx": gfx, "want": "use a build of torch that holds " + gfx + ": your distribution's packages, or your own build"}))
	}
	return out
}

func torchFromIndex(m *machine.Machine, e machine.PythonEnvironment, c rocm.TorchChoice) remedy.Remedy {
	v := values(e)
	v["version"], v["rocm"], v["index"] = c.Version, c.ROCm, c.Index
	install, remove := []string{"torch==" + c.Version}, []string{"torch"}
	for _, name := range []string{"torchvision", "torchaudio"} {
		if _, has := e.Has(name); has {
			install, remove = append(install, name), append(remove, name)
		}
	}
	v["install"], v["remove"] = cure.Words(install...), cure.Words(remove...)
	if e.Kind == "system" && !m.Container.Known() {
		return cure.For(m, "torch-rocm-fresh", v)
	}
	return cure.For(m, "torch-rocm", v)
}
