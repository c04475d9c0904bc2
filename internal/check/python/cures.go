package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func withHIP(e machine.PythonEnvironment, hip string) cure.Values {
	v := cure.ForPython(e)
	v["hip"] = hip
	return v
}

// ofTorch reports packages that are built together with torch. What PyPI holds
// under their names is built for CUDA.
func ofTorch(name string) bool {
	row, _, known := rocm.PythonPackageOf(name)
	return known && (row.Name == "torch" || row.Name == "triton" || row.Companion == "torch")
}

// install names the packages that are missing, one by one. What is asked for by
// an address is not: under its name PyPI may hold something of a stranger's.
func install(m *machine.Machine, e machine.PythonEnvironment, list []machine.UnmetRequirement) []remedy.Remedy {
	var wanted []string
	for _, u := range list {
		if !u.Address && !slices.Contains(wanted, u.Requirement) {
			wanted = append(wanted, u.Requirement)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	v := cure.ForPython(e)
	v["install"], v["names"] = cure.Words(wanted...), "what is missing"
	if len(wanted) == 1 {
		v["names"] = wanted[0]
	}
	if e.Kind == "system" && !m.Container.Known() {
		return []remedy.Remedy{cure.For(m, "system-packages", v)}
	}
	if !cure.HoldsBack(e) {
		return []remedy.Remedy{cure.For(m, "install-plainly", v)}
	}
	return []remedy.Remedy{cure.For(m, "install-requirements", v)}
}

// agree is for a package that is built together with torch: one that is missing
// comes from torch's index, and one that wants another torch is told so.
func agree(m *machine.Machine, e machine.PythonEnvironment, u machine.UnmetRequirement) []remedy.Remedy {
	torch, has := e.Has("torch")
	v := cure.ForPython(e)
	if index, ok := cure.TorchIndex(m, torch); has && ok && u.Missing() {
		v["install"], v["names"], v["index"] = cure.Words(u.Requirement), u.Name, index
		return []remedy.Remedy{cure.For(m, "install-from-torch-index", v)}
	}
	if _, exact, ok := strings.Cut(u.Requirement, "=="); ok && u.Name == "torch" && !strings.ContainsAny(exact, ",*") {
		if c, fits := rocm.TorchFor(firstTarget(m), machine.MinorVersion(e.Python), exact); fits && c.Version == exact {
			return cure.Torch(m, e, exact)
		}
	}
	if u.Missing() {
		v["names"], v["wanted"] = u.Name, u.Requirement
		return []remedy.Remedy{cure.For(m, "from-its-index", v)}
	}
	v["by"], v["wanted"], v["found"] = u.By.Name, u.Requirement, u.Name+" "+u.Found
	return []remedy.Remedy{cure.For(m, "other-torch", v)}
}

// unhide takes out a torch that hides another one.
func unhide(m *machine.Machine, e machine.PythonEnvironment, torch machine.PythonPackage) []remedy.Remedy {
	v := cure.ForPython(e)
	hidden := torch.Shadows[0]
	v["version"], v["other"] = torch.Version, strings.TrimSuffix(hidden[strings.LastIndexAny(hidden, `/\`)+1:], ".dist-info")
	return []remedy.Remedy{cure.For(m, "remove-hiding", v)}
}

func firstTarget(m *machine.Machine) string {
	for _, g := range m.TargetGPUs() {
		return m.EffectiveGfx(g)
	}
	return ""
}

// keepOne takes all of several packages out that write one folder, and puts the
// right one back.
func keepOne(m *machine.Machine, e machine.PythonEnvironment, packages []machine.PythonPackage, keep machine.PythonPackage) remedy.Remedy {
	v := cure.ForPython(e)
	var names []string
	for _, p := range packages {
		names = append(names, p.Name)
	}
	v["names"], v["keep"], v["remove"] = strings.Join(names, " and "), keep.Name, cure.Words(names...)
	torch, _ := e.Has("torch")
	if index, ok := cure.TorchIndex(m, torch); ok {
		v["index"], v["install"] = index, cure.Words(fmt.Sprintf("%s==%s", keep.Name, keep.Version))
		return cure.For(m, "install-anew-from-index", v)
	}
	return cure.For(m, "install-anew", v)
}
