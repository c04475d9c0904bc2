package cure

import (
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// ForPython are the values that most cures of an environment need: the commands
// of its installer, and a file that keeps pip from replacing what computes.
func ForPython(e machine.PythonEnvironment) Values {
	return Values{
		"python_version": machine.MinorVersion(e.Python),
		"pip_install":    Words(e.Pip("install")...),
		"uninstall":      Words(e.Pip("uninstall")...),
		"constraints":    Words(constraints(e)...),
	}
}

// constraints pin what is built for ROCm to the version that is there. A list by
// pip itself would name files instead of versions where one was installed from a
// file, and hold nothing back.
func constraints(e machine.PythonEnvironment) []string {
	var out []string
	for _, p := range e.Watched {
		if p.Build.Value.Kind == rocm.BuildROCm && p.Version != "" {
			out = append(out, p.Name+"=="+p.Version)
		}
	}
	return out
}

// HoldsBack reports whether an environment holds something that pip must not
// replace.
func HoldsBack(e machine.PythonEnvironment) bool { return len(constraints(e)) > 0 }

// Torch names a torch that fits the GPU: that of pytorch.org where it holds code
// for it, of the wanted version if there is one, and AMD's own. pytorch.org has
// none for Windows.
func Torch(m *machine.Machine, e machine.PythonEnvironment, wanted string) []remedy.Remedy {
	gpus := m.TargetGPUs()
	if len(gpus) == 0 {
		return nil
	}
	var out []remedy.Remedy
	gfx := m.EffectiveGfx(gpus[0])
	if c, ok := rocm.TorchFor(gfx, machine.MinorVersion(e.Python), wanted); ok && m.OS != "windows" {
		out = append(out, fromIndex(m, e, c))
	}
	if w, ok := rocm.DeviceWheels(gfx); ok {
		out = append(out, For(m, "native-wheels", Values{"gfx": gfx, "index": w.Index}))
	}
	if len(out) == 0 {
		out = append(out, For(m, "rocm-for-gpu", Values{"gfx": gfx, "want": "use a build of torch that holds " + gfx + ": your distribution's packages, or your own build"}))
	}
	return out
}

// fromIndex leaves the system's own Python, and packages that conda put in, to
// those who manage them.
func fromIndex(m *machine.Machine, e machine.PythonEnvironment, c rocm.TorchChoice) remedy.Remedy {
	v := ForPython(e)
	v["version"], v["rocm"], v["index"] = c.Version, c.ROCm, c.Index
	install, remove := []string{"torch==" + c.Version}, []string{"torch"}
	for _, name := range []string{"torchvision", "torchaudio"} {
		if _, has := e.Has(name); has {
			install, remove = append(install, name), append(remove, name)
		}
	}
	v["install"], v["remove"] = Words(install...), Words(remove...)
	if e.Kind == "system" && !m.Container.Known() || e.Installer == "conda" {
		return For(m, "torch-rocm-fresh", v)
	}
	return For(m, "torch-rocm", v)
}

// TorchIndex is the address that a torch of pytorch.org came from. It is not ok
// for others.
func TorchIndex(m *machine.Machine, torch machine.PythonPackage) (string, bool) {
	if _, _, ok := rocm.TorchTargets(torch.Version); !ok || m.OS == "windows" {
		return "", false
	}
	return rocm.TorchIndex(torch.Build.Value.ROCm), true
}
