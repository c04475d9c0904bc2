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
	for _, e := range envs {
		if len(e.Watched) > 0 || e.Active {
			out = append(out, judgeRequirements(in.Machine, e)...)
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("Python", "no environment is active, and none holds a package that computes on GPUs")}
	}
	return out
}

func judgeRequirements(m *machine.Machine, e machine.PythonEnvironment) []check.Finding {
	if len(e.Unmet) == 0 {
		return []check.Finding{{
			Subject: e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("The %d packages of %s find what they ask for", e.Packages, e.Prefix),
			Evidence: []machine.Evidence{{From: machine.Source(e.Prefix), Text: fmt.Sprintf("%d packages, Python %s", e.Packages, e.Python)}},
		}}
	}
	var out []check.Finding
	var others []machine.UnmetRequirement
	for _, u := range e.Unmet {
		guard, ok := rocm.GuardOf(u.By.Name)
		switch {
		case ok && slices.Contains(guard.Wants, u.Name):
			out = append(out, guarded(m, e, u, guard))
		case u.Name == "python":
			out = append(out, otherPython(e, u))
		default:
			others = append(others, u)
		}
	}
	if len(others) > 0 {
		out = append(out, unmet(m, e, others))
	}
	return out
}

// guarded is a requirement without which a package refuses to be imported.
func guarded(m *machine.Machine, e machine.PythonEnvironment, u machine.UnmetRequirement, guard rocm.ImportGuard) check.Finding {
	f := check.Finding{
		Subject: e.Prefix + ": " + u.By.Name + " wants " + u.Name, Verdict: weigh(m, e),
		Evidence: append(asked(u), machine.Cite(guard.Provenance)),
		Remedies: []remedy.Remedy{install(m, e, []machine.UnmetRequirement{u})},
	}
	if u.Missing() {
		f.Cause = "python-missing-dep"
		f.Message = fmt.Sprintf("%s %s needs %s, and it is not installed. Importing %s, or a package that uses it, ends in \"No module named '%s'\"; an installation with --no-deps leaves such holes.",
			u.By.Name, u.By.Version, u.Name, u.By.Name, u.Name)
		return f
	}
	f.Cause = "python-numpy-numba"
	f.Message = fmt.Sprintf("%s %s does not work with %s %s: it asks for %s. It looks when it is imported, and stops", u.By.Name, u.By.Version, u.Name, u.Found, u.Requirement)
	if words := words(guard, u); words != "" {
		f.Message += fmt.Sprintf(" with %q", words)
	} else {
		f.Message += "."
	}
	if newer, ok := rocm.NumbaFor(minor(u.Found)); ok && u.By.Name == "numba" && u.Name == "numpy" {
		v := values(e)
		v["name"], v["version"], v["other"] = "numba", newer.Numba, "numpy "+u.Found
		v["install"] = cure.Words("numba>=" + newer.Numba)
		f.Remedies = append(f.Remedies, cure.For(m, "newer-package", v))
	}
	return f
}

// otherPython is a package that was installed for another Python.
func otherPython(e machine.PythonEnvironment, u machine.UnmetRequirement) check.Finding {
	return check.Finding{
		Subject: e.Prefix + ": " + u.By.Name, Verdict: check.Warn,
		Message:  fmt.Sprintf("%s %s asks for Python %s, and this is %s. It was installed past pip's own checks, or the environment was moved to another Python.", u.By.Name, u.By.Version, strings.TrimPrefix(u.Requirement, "python"), u.Found),
		Evidence: []machine.Evidence{{From: machine.Source(u.By.Path + "/METADATA"), Text: "Requires-Python: " + strings.TrimPrefix(u.Requirement, "python")}, {From: machine.Source(e.Prefix), Text: "Python " + u.Found}},
	}
}

// words are what the package says, with the bound that it names: of "<2.4" it
// says "2.3 or less".
func words(guard rocm.ImportGuard, u machine.UnmetRequirement) string {
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
		return strings.NewReplacer("{bound}", fmt.Sprintf("%s.%d or less", major, n-1), "{found}", minor(u.Found)).Replace(guard.Says)
	}
	return ""
}

func asked(u machine.UnmetRequirement) []machine.Evidence {
	out := []machine.Evidence{{From: machine.Source(u.By.Path + "/METADATA"), Text: "Requires-Dist: " + u.Requirement}}
	if u.Missing() {
		return append(out, machine.Evidence{From: machine.Source(u.Name), Text: "is not installed"})
	}
	return append(out, machine.Evidence{From: machine.Source(u.FoundPath), Text: u.Name + " " + u.Found})
}

// unmet gathers what may show when it is used, or never.
func unmet(m *machine.Machine, e machine.PythonEnvironment, list []machine.UnmetRequirement) check.Finding {
	f := check.Finding{Subject: e.Prefix, Verdict: check.Warn}
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
	const shown = 8
	f.Evidence = f.Evidence[:min(len(f.Evidence), shown)]
	count := "A package does not find what it asks for"
	if len(list) > 1 {
		count = fmt.Sprintf("%d requirements of packages are not met", len(list))
	}
	f.Message = fmt.Sprintf("%s in %s. %s. Some packages stop when they are imported, others only when they use it.", count, e.Prefix, shorten(texts))
	f.Remedies = installAll(m, e, list)
	return f
}

// installAll leaves torch to the index of its build: from PyPI it would be one
// for CUDA.
func installAll(m *machine.Machine, e machine.PythonEnvironment, list []machine.UnmetRequirement) []remedy.Remedy {
	ofTorch := func(u machine.UnmetRequirement) bool {
		row, _, _ := rocm.PythonPackageOf(u.Name)
		return row.Name == "torch" || row.Companion == "torch"
	}
	if slices.ContainsFunc(list, ofTorch) {
		torch, _ := e.Has("torch")
		return torchCures(m, e, torch)
	}
	return []remedy.Remedy{install(m, e, list)}
}

func install(m *machine.Machine, e machine.PythonEnvironment, list []machine.UnmetRequirement) remedy.Remedy {
	v := values(e)
	var wanted []string
	for _, u := range list {
		if !slices.Contains(wanted, u.Requirement) {
			wanted = append(wanted, u.Requirement)
		}
	}
	v["install"], v["names"] = cure.Words(wanted...), "what is missing"
	if len(wanted) == 1 {
		v["names"] = wanted[0]
	}
	return cure.For(m, "install-requirements", v)
}
