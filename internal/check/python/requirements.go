package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runRequirements(in check.Input) []check.Finding {
	envs, nothing := environments(in.Machine)
	if nothing != nil {
		return nothing
	}
	var out []check.Finding
	for _, e := range judged(envs) {
		out = append(out, judgeRequirements(in.Machine, e)...)
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("Python", "no environment is active, and none holds a package that computes on GPUs")}
	}
	return out
}

func judgeRequirements(m *machine.Machine, e machine.PythonEnvironment) []check.Finding {
	if len(e.Unmet) == 0 && len(e.Closed) > 0 {
		return []check.Finding{closed(e, "whether the packages of "+e.Prefix+" find what they ask for")}
	}
	if e.Packages == 0 {
		return []check.Finding{check.NotHere(e.Prefix, e.Prefix+" holds no packages")}
	}
	if len(e.Unmet) == 0 {
		return []check.Finding{{
			Subject: e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("All packages of %s find what they ask for", e.Prefix),
			Evidence: []machine.Evidence{{From: machine.Source(e.Prefix), Text: fmt.Sprintf("%s, Python %s", count(e.Packages), e.Python)}},
		}}
	}
	var out []check.Finding
	var others []machine.UnmetRequirement
	for _, u := range e.Unmet {
		if wrongTorch(m, e, u) {
			continue
		}
		guard, ok := rocm.GuardOf(u.By.Name)
		switch {
		case ok && slices.Contains(guard.Wants, u.Name):
			out = append(out, guarded(m, e, u, guard))
		case u.Name == "python":
			out = append(out, otherPython(e, u))
		case ofTorch(u.Name):
			out = append(out, unmet(e, []machine.UnmetRequirement{u}, agree(m, e, u)))
		default:
			others = append(others, u)
		}
	}
	if len(others) > 0 {
		out = append(out, unmet(e, others, install(m, e, others)))
	}
	return out
}

// wrongTorch: what a torch for NVIDIA's GPUs misses is gone with it, and the right
// one misses other things (python/build).
func wrongTorch(m *machine.Machine, e machine.PythonEnvironment, u machine.UnmetRequirement) bool {
	torch, has := e.Has("torch")
	wrong := has && torch.Build.Known() && torch.Build.Value.Kind != rocm.BuildROCm
	return wrong && u.By.Name == "torch" && len(m.AMDGPUs()) > 0 && len(m.NVIDIAGPUs()) == 0
}

// guarded is a requirement without which a package refuses to be imported.
func guarded(m *machine.Machine, e machine.PythonEnvironment, u machine.UnmetRequirement, guard rocm.ImportGuard) check.Finding {
	f := check.Finding{
		Subject: e.Prefix + ": " + u.By.Name + " wants " + u.Name, Verdict: weigh(m, e),
		Evidence: append(asked(u), machine.Cite(guard.Provenance)),
		Remedies: install(m, e, []machine.UnmetRequirement{u}),
	}
	if u.Missing() {
		f.Cause = "python-missing-dep"
		f.Message = fmt.Sprintf("%s %s needs %s, and it is not installed. Importing %s, or a package that uses it, ends in \"No module named '%s'\"; an installation with --no-deps leaves such holes.",
			u.By.Name, u.By.Version, u.Name, u.By.Name, u.Name)
		return f
	}
	f.Cause = "python-numpy-numba"
	f.Message = fmt.Sprintf("%s %s does not work with %s %s: it asks for %s. It looks when it is imported, and stops.", u.By.Name, u.By.Version, u.Name, u.Found, u.Requirement)
	if u.Name != "numpy" {
		return f
	}
	if says := saysOf(guard, u); says != "" {
		f.Message = fmt.Sprintf("%s with %q", strings.TrimSuffix(f.Message, "."), says)
	}
	if newer, ok := rocm.NumbaFor(machine.MinorVersion(u.Found)); ok && e.Kind != "system" {
		v := cure.ForPython(e)
		v["name"], v["version"], v["other"] = "numba", newer.Numba, "numpy "+u.Found
		v["install"] = cure.Words("numba>=" + newer.Numba)
		f.Remedies = append(f.Remedies, cure.For(m, newerID(e), v))
	}
	return f
}

// newerID is the cure that also keeps pip from replacing what computes, where
// there is something to keep.
func newerID(e machine.PythonEnvironment) string {
	if cure.HoldsBack(e) {
		return "newer-package"
	}
	return "newer-package-plainly"
}

// otherPython is a package that was installed for another Python.
func otherPython(e machine.PythonEnvironment, u machine.UnmetRequirement) check.Finding {
	return check.Finding{
		Subject: e.Prefix + ": " + u.By.Name, Verdict: check.Warn,
		Message:  fmt.Sprintf("%s %s asks for Python %s, and this is %s. It was installed past pip's own checks, or the environment was moved to another Python.", u.By.Name, u.By.Version, strings.TrimPrefix(u.Requirement, "python"), u.Found),
		Evidence: []machine.Evidence{{From: metadata(u.By), Text: "Requires-Python: " + strings.TrimPrefix(u.Requirement, "python")}, {From: machine.Source(e.Prefix), Text: "Python " + u.Found}},
	}
}

// saysOf is what the package says of NumPy, with the bound that it names: of "<2.4" it
// says "2.3 or less".
func saysOf(guard rocm.ImportGuard, u machine.UnmetRequirement) string {
	for clause := range strings.SplitSeq(strings.TrimPrefix(u.Requirement, u.Name), ",") {
		below, ok := strings.CutPrefix(strings.TrimSpace(clause), "<")
		if !ok || rocm.CompareKernel(u.Found, below) < 0 {
			continue
		}
		major, last, _ := strings.Cut(below, ".")
		n, err := strconv.Atoi(last)
		if err != nil || n == 0 {
			return ""
		}
		return strings.NewReplacer("{bound}", fmt.Sprintf("%s.%d or less", major, n-1), "{found}", machine.MinorVersion(u.Found)).Replace(guard.Says)
	}
	return ""
}

// metadata is the file in which a package says what it needs.
func metadata(d machine.PythonDistribution) machine.Source {
	if strings.Contains(d.Path, `\`) {
		return machine.Source(d.Path + `\METADATA`)
	}
	return machine.Source(d.Path + "/METADATA")
}

func asked(u machine.UnmetRequirement) []machine.Evidence {
	out := []machine.Evidence{{From: metadata(u.By), Text: "Requires-Dist: " + u.Requirement}}
	if u.Missing() {
		return append(out, machine.Evidence{From: machine.Source(u.Name), Text: "is not installed"})
	}
	return append(out, machine.Evidence{From: machine.Source(u.FoundPath), Text: u.Name + " " + u.Found})
}

const sometimes = "Some packages stop when they are imported without what they ask for, others only when they use it."

// single says one requirement in a sentence.
func single(u machine.UnmetRequirement) string {
	if u.Missing() {
		return fmt.Sprintf("%s %s asks for %s, which is not installed", u.By.Name, u.By.Version, u.Requirement)
	}
	return fmt.Sprintf("%s %s asks for %s, and here is %s %s", u.By.Name, u.By.Version, u.Requirement, u.Name, u.Found)
}

// unmet gathers what may show when it is used, or never.
func unmet(e machine.PythonEnvironment, list []machine.UnmetRequirement, cures []remedy.Remedy) check.Finding {
	f := check.Finding{Subject: e.Prefix, Verdict: check.Warn, Remedies: cures}
	if ofTorch(list[0].Name) {
		f.Subject += ": " + list[0].By.Name + " wants " + list[0].Name
	}
	var texts []string
	for _, u := range list {
		if u.Missing() {
			f.Cause = "python-missing-dep"
			texts = append(texts, fmt.Sprintf("%s (for %s)", u.Name, u.By.Name))
		} else {
			texts = append(texts, fmt.Sprintf("%s %s (%s wants %s)", u.Name, u.Found, u.By.Name, strings.TrimPrefix(u.Requirement, u.Name)))
		}
		f.Evidence = append(f.Evidence, asked(u)...)
	}
	if addressed := slices.ContainsFunc(list, func(u machine.UnmetRequirement) bool { return u.Address }); addressed {
		texts = append(texts, "one is asked for by an address, and comes from there only")
	}
	const shown = 8
	f.Evidence = f.Evidence[:min(len(f.Evidence), shown)]
	if n := len(list); n != 1 {
		f.Message = fmt.Sprintf("%d requirements of packages are not met in %s. %s. %s", n, e.Prefix, shorten(texts), sometimes)
	} else {
		f.Message = single(list[0]) + ". " + sometimes
	}
	return f
}
