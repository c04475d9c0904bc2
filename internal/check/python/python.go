// Package python asks whether the Python packages that were found are builds for the GPUs that are here, and whole.
package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "python/build",
		Title: "The packages that compute are built for AMD GPUs",
		Needs: []string{"gpu/present"},
		Doc: `Wheels come as builds for NVIDIA (CUDA), for AMD (ROCm) and for none (CPU), often under one name. What a build is shows in its version
(` + "`+rocm6.4`, `+cu128`, `+cpu`" + `), in ` + "`torch/version.py`" + `, in its files, and in the libraries that its binaries ask for; nothing is run. A CUDA
or CPU build of torch finds no AMD GPU, whatever else is done: a failure in the environment that is active, a warning in others. Where parts of a ROCm
build lie beside it, the ROCm build was replaced, usually by pip as it installed something else.`,
		Run: runBuild,
	},
	{
		ID:    "python/device",
		Title: "AMD's torch has the package with the code for each GPU",
		Needs: []string{"gpu/present"},
		Doc: `The newer wheels of AMD (TheRock) keep the code for each GPU in a package of its own, which an extra brings: ` + "`torch[device-gfx1100]`" + `.
Without it torch finds the GPU, and every kernel ends in hipErrorInvalidImage.`,
		Run: runDevice,
	},
	{
		ID:    "python/mixed",
		Title: "No environment mixes builds for AMD and NVIDIA",
		Needs: []string{"gpu/present"},
		Doc: `Packages of NVIDIA's libraries beside a torch for ROCm, a torchvision of another build, two Tritons in one folder, a torch that hides
another: what is imported is then not what was meant, or the next ` + "`pip install`" + ` replaces it.`,
		Run: runMixed,
	},
	{
		ID:    "python/requirements",
		Title: "Each package finds the packages that it asks for",
		Doc: `Every installed package lists what it needs (Requires-Dist), with versions, for this Python and this system. What is not met is what an
installation with --no-deps left out, or what a later one replaced. Only environments with a package that computes on GPUs, and active ones, are looked at. A
failure where a package is known to refuse to start, as numba does with a NumPy that is too new; a warning elsewhere.`,
		Run: runRequirements,
	},
	{
		ID:    "python/packages",
		Title: "The packages can be read",
		Doc: `Half-removed packages, metadata that is cut short, a package that is installed twice: named, so that nobody looks for the fault
elsewhere.`,
		Run: runPackages,
	},
}

// environments returns what was found, or the finding that says why there is
// nothing to judge.
func environments(m *machine.Machine) ([]machine.PythonEnvironment, []check.Finding) {
	switch {
	case m.Python.Unread() && m.Python.Why == "":
		return nil, []check.Finding{check.NotHere("Python", "Python environments were not looked for")}
	case m.Python.Unread():
		return nil, []check.Finding{check.CannotTell("Python", "which Python packages there are", m.Python.From, m.Python.Why)}
	case len(m.Python.Value) == 0:
		return nil, []check.Finding{check.NotHere("Python", "no Python environment was found")}
	}
	return m.Python.Value, nil
}

// judged are the environments whose packages were all read.
func judged(envs []machine.PythonEnvironment) []machine.PythonEnvironment {
	return slices.DeleteFunc(slices.Clone(envs), func(e machine.PythonEnvironment) bool { return !e.Read })
}

// closed is the answer for an environment that may not be read: unknown where
// somebody works in it, and no question elsewhere.
func closed(e machine.PythonEnvironment, question string) check.Finding {
	f := check.CannotTell(e.Prefix, question, machine.Source(e.Closed[0]), fmt.Sprintf("%s may not be read", shorten(e.Closed)))
	if !e.Active {
		f.Verdict = check.Skipped
	}
	return f
}

// count says a number of packages.
func count(n int) string {
	if n == 1 {
		return "one package"
	}
	return fmt.Sprintf("%d packages", n)
}

// weigh makes a failure only of what a plain "python" runs into. The system's own
// Python is nobody's place to work, but in a container it is.
func weigh(m *machine.Machine, e machine.PythonEnvironment) check.Verdict {
	if e.Active && (e.Kind != "system" || m.Container.Known()) {
		return check.Fail
	}
	return check.Warn
}

// gathered keeps one finding for what several environments have in common: the
// one of the active environment, or the first, with the others as evidence. Good
// answers and bad ones are kept apart.
type gathered struct {
	order []string
	by    map[string]*check.Finding
}

func (g *gathered) add(key string, f check.Finding) {
	if g.by == nil {
		g.by = map[string]*check.Finding{}
	}
	if !f.Verdict.Worse(check.OK) {
		key += string(f.Verdict)
	}
	first, known := g.by[key]
	if !known {
		g.order = append(g.order, key)
		g.by[key] = &f
		return
	}
	if f.Verdict.Worse(first.Verdict) {
		*first, f = f, *first
	}
	first.Evidence = append(first.Evidence, machine.Evidence{From: machine.Source(f.Subject), Text: "the same there"})
}

func (g *gathered) findings(none string) []check.Finding {
	if len(g.order) == 0 {
		return []check.Finding{check.NotHere("Python", none)}
	}
	out := make([]check.Finding, len(g.order))
	for i, key := range g.order {
		out[i] = *g.by[key]
	}
	return out
}

func installed(d machine.PythonDistribution) machine.Evidence {
	return machine.Evidence{From: machine.Source(d.Path), Text: d.Name + " " + d.Version}
}

// shorten keeps a long list readable.
func shorten(list []string) string {
	const most = 4
	if len(list) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
