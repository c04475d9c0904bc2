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

func runMixed(in check.Input) []check.Finding {
	m := in.Machine
	envs, nothing := environments(m)
	if nothing != nil {
		return nothing
	}
	var out []check.Finding
	for _, e := range envs {
		torch, has := e.Has("torch")
		if !has || !torch.Build.Known() {
			continue
		}
		worse := twoTritons(m, e)
		worse = append(worse, shadowed(m, e, torch)...)
		if torch.Build.Value.Kind != rocm.BuildROCm {
			out = append(out, append(worse, check.NotHere(e.Prefix, "torch itself is no build for ROCm (python/build)"))...)
			continue
		}
		worse = append(worse, companions(m, e, torch)...)
		worse = append(worse, nvidiaPackages(m, e, torch)...)
		if len(worse) == 0 {
			worse = []check.Finding{{
				Subject: e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("torch %s and what belongs to it are of one build", torch.Version),
				Evidence: []machine.Evidence{installed(torch.PythonDistribution)},
			}}
		}
		out = append(out, worse...)
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("Python", "no torch was found whose build is known")}
	}
	return out
}

// nvidiaPackages are what a CUDA torch depends on. Beside one for ROCm they are
// the trace of an installation that replaced it, or nearly did.
func nvidiaPackages(m *machine.Machine, e machine.PythonEnvironment, torch machine.PythonPackage) []check.Finding {
	var names []string
	f := check.Finding{Subject: e.Prefix + ": nvidia", Verdict: check.Warn, Evidence: []machine.Evidence{installed(torch.PythonDistribution)}}
	for _, d := range e.Vendor {
		if strings.HasPrefix(d.Name, "nvidia-") && !slices.ContainsFunc(d.NeededBy, othersThanNVIDIA) {
			names = append(names, d.Name)
			f.Evidence = append(f.Evidence, installed(d.PythonDistribution))
		}
	}
	if len(names) == 0 || len(m.NVIDIAGPUs()) > 0 {
		return nil
	}
	const shown = 4
	f.Evidence = f.Evidence[:min(len(f.Evidence), shown)]
	f.Message = fmt.Sprintf("%d of NVIDIA's packages lie beside torch %s, which uses none of them. Something installed a torch for CUDA here before or after; the next pip install may replace this one.", len(names), torch.Version)
	v := cure.ForPython(e)
	v["remove"] = cure.Words(names...)
	f.Remedies = []remedy.Remedy{cure.For(m, "remove-packages", v)}
	return []check.Finding{f}
}

// othersThanNVIDIA: xgboost asks for NVIDIA's packages too, on every machine.
func othersThanNVIDIA(name string) bool { return !strings.HasPrefix(name, "nvidia-") }

// companions must be of torch's own build and release: their kernels are looked
// for among its own. What is only inferred from a version is left alone: a
// distribution's packages carry no build in theirs.
func companions(m *machine.Machine, e machine.PythonEnvironment, torch machine.PythonPackage) []check.Finding {
	var out []check.Finding
	for _, p := range e.Watched {
		row, _, _ := rocm.PythonPackageOf(p.Name)
		if row.Companion != "torch" || !p.Build.Known() || p.Build.Value.Inferred {
			continue
		}
		why := unlike(torch, p)
		if why == "" {
			continue
		}
		out = append(out, check.Finding{
			Subject: e.Prefix + ": " + p.Name, Verdict: check.Warn,
			Message:  fmt.Sprintf("%s %s does not go with torch %s: %s. Its operators are then missing, or run on the processor.", p.Name, p.Version, torch.Version, why),
			Evidence: append([]machine.Evidence{installed(torch.PythonDistribution), installed(p.PythonDistribution)}, p.Build.Value.Evidence...),
			Remedies: cure.Torch(m, e, torch.Version),
		})
	}
	return out
}

// unlike says in what a companion differs from its torch.
func unlike(torch, p machine.PythonPackage) string {
	build := p.Build.Value
	want, known := rocm.TorchCompanion(torch.Version, p.Package)
	switch {
	case build.Kind != rocm.BuildROCm:
		return "it is a build for " + strings.ToUpper(string(build.Kind))
	case machine.MinorVersion(build.ROCm) != machine.MinorVersion(torch.Build.Value.ROCm) && torch.Build.Value.ROCm != "":
		return "it is a build for ROCm " + build.ROCm
	case known && !rocm.SameRelease(want, p.Version):
		return "with this torch goes " + want
	}
	return ""
}

// twoTritons: both write the folder triton, and the one that came last is what
// is imported. The one for ROCm is what a torch for ROCm asks for.
func twoTritons(m *machine.Machine, e machine.PythonEnvironment) []check.Finding {
	var found []machine.PythonPackage
	var evidence []machine.Evidence
	for _, p := range e.Watched {
		if p.Package == "triton" {
			found = append(found, p)
			evidence = append(evidence, installed(p.PythonDistribution))
		}
	}
	if len(found) < 2 {
		return nil
	}
	torch, _ := e.Has("torch")
	keep := found[0]
	for _, p := range found {
		if (p.Build.Value.Kind == rocm.BuildROCm) == (torch.Build.Value.Kind == rocm.BuildROCm) {
			keep = p
		}
	}
	return []check.Finding{{
		Subject: e.Prefix + ": triton", Verdict: check.Warn, Evidence: evidence,
		Message:  fmt.Sprintf("%s and %s are both installed, and both write the folder triton. What is imported is a mixture of the two.", found[0].Name, found[1].Name),
		Remedies: []remedy.Remedy{keepOne(m, e, found, keep)},
	}}
}

// shadowed: a package in the user's own folder comes before that of the
// environment, which is then not the one that is imported.
func shadowed(m *machine.Machine, e machine.PythonEnvironment, torch machine.PythonPackage) []check.Finding {
	if len(torch.Shadows) == 0 {
		return nil
	}
	f := check.Finding{
		Subject: e.Prefix + ": torch", Verdict: check.Warn,
		Message:  fmt.Sprintf("torch %s hides another torch of this environment. The folder it lies in comes first on the search path.", torch.Version),
		Evidence: []machine.Evidence{installed(torch.PythonDistribution)},
	}
	if strings.Contains(torch.Path, "/.local/lib/") {
		f.Message += " With PYTHONNOUSERSITE=1 Python leaves the user's own folder out."
	}
	if torch.Build.Value.Kind != rocm.BuildROCm {
		return nil // python/build says so, with the cure
	}
	f.Remedies = unhide(m, e, torch)
	for _, s := range torch.Shadows {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(s), Text: "hidden"})
	}
	return []check.Finding{f}
}
