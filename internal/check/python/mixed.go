package python

import (
	"fmt"
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
		worse = append(worse, shadowed(e, torch)...)
		if torch.Build.Value.Kind == rocm.BuildROCm {
			worse = append(worse, companions(m, e, torch)...)
			worse = append(worse, nvidiaPackages(m, e, torch)...)
		}
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
		if strings.HasPrefix(d.Name, "nvidia-") {
			names = append(names, d.Name)
			f.Evidence = append(f.Evidence, installed(d))
		}
	}
	if len(names) == 0 || len(m.NVIDIAGPUs()) > 0 {
		return nil
	}
	const shown = 4
	f.Evidence = f.Evidence[:min(len(f.Evidence), shown)]
	f.Message = fmt.Sprintf("%d of NVIDIA's packages lie beside torch %s, which uses none of them. Something installed a torch for CUDA here before or after; the next pip install may replace this one.", len(names), torch.Version)
	v := values(e)
	v["remove"] = cure.Words(names...)
	f.Remedies = []remedy.Remedy{cure.For(m, "remove-packages", v)}
	return []check.Finding{f}
}

// companions must be of torch's own build: their kernels are looked for among
// its own.
func companions(m *machine.Machine, e machine.PythonEnvironment, torch machine.PythonPackage) []check.Finding {
	var out []check.Finding
	for _, p := range e.Watched {
		row, _, _ := rocm.PythonPackageOf(p.Name)
		if row.Companion != "torch" || !p.Build.Known() || p.Build.Value.Kind == rocm.BuildROCm {
			continue
		}
		f := check.Finding{
			Subject: e.Prefix + ": " + p.Name, Verdict: check.Warn,
			Message: fmt.Sprintf("%s %s is a build for %s beside torch %s. Its operators do not fit this torch: they are missing, or run on the processor.",
				p.Name, p.Version, strings.ToUpper(string(p.Build.Value.Kind)), torch.Version),
			Evidence: append([]machine.Evidence{installed(torch.PythonDistribution), installed(p.PythonDistribution)}, p.Build.Value.Evidence...),
		}
		f.Remedies = torchCures(m, e, torch)
		out = append(out, f)
	}
	return out
}

// twoTritons: both write the folder triton, and the one that came last is what
// is imported.
func twoTritons(m *machine.Machine, e machine.PythonEnvironment) []check.Finding {
	var names []string
	var evidence []machine.Evidence
	for _, p := range e.Watched {
		if p.Package == "triton" {
			names = append(names, p.Name)
			evidence = append(evidence, installed(p.PythonDistribution))
		}
	}
	if len(names) < 2 {
		return nil
	}
	return []check.Finding{{
		Subject: e.Prefix + ": triton", Verdict: check.Warn, Evidence: evidence,
		Message:  fmt.Sprintf("%s are both installed, and both write the folder triton. What is imported is a mixture of the two.", strings.Join(names, " and ")),
		Remedies: []remedy.Remedy{reinstall(m, e, names, "triton")},
	}}
}

func reinstall(m *machine.Machine, e machine.PythonEnvironment, names []string, module string) remedy.Remedy {
	v := values(e)
	v["names"], v["remove"] = strings.Join(names, " and "), cure.Words(names...)
	v["folder"] = e.Prefix + "/lib/python" + minor(e.Python) + "/site-packages/" + module
	return cure.For(m, "reinstall-packages", v)
}

// shadowed: a package in the user's own folder comes before that of the
// environment, which is then not the one that is imported.
func shadowed(e machine.PythonEnvironment, torch machine.PythonPackage) []check.Finding {
	if len(torch.Shadows) == 0 {
		return nil
	}
	f := check.Finding{
		Subject: e.Prefix + ": torch", Verdict: check.Warn,
		Message:  fmt.Sprintf("torch %s hides another torch of this environment. The folder it lies in comes first on the search path; with PYTHONNOUSERSITE=1 the user's own folder is left out.", torch.Version),
		Evidence: []machine.Evidence{installed(torch.PythonDistribution)},
	}
	for _, s := range torch.Shadows {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(s), Text: "hidden"})
	}
	return []check.Finding{f}
}
