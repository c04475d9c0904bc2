package python

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func runPackages(in check.Input) []check.Finding {
	envs, nothing := environments(in.Machine)
	if nothing != nil {
		return nothing
	}
	var out []check.Finding
	for _, e := range envs {
		if len(e.Closed) > 0 && (e.Read || e.Active) {
			out = append(out, closed(e, "which packages "+e.Prefix+" holds"))
			continue
		}
		if !e.Read {
			continue
		}
		f := check.Finding{
			Subject: e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("%s holds %s, all of them whole", e.Prefix, count(e.Packages)),
			Evidence: []machine.Evidence{{From: machine.Source(e.Prefix), Text: fmt.Sprintf("found by %s", e.Why)}},
		}
		f.Message += apart(e)
		if len(e.Faults) > 0 {
			f.Verdict = check.Warn
			f.Message = faults(e)
			f.Evidence = nil
		}
		const shown = 8
		for _, fault := range e.Faults[:min(len(e.Faults), shown)] {
			f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(fault.Path), Text: fault.What})
		}
		for _, a := range e.Apart[:min(len(e.Apart), shown)] {
			f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(a.Path), Text: a.What})
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("Python", "no environment is active, and none holds a package that computes on GPUs")}
	}
	return out
}

// apart counts what was not looked into.
func apart(e machine.PythonEnvironment) string {
	switch n := len(e.Apart); n {
	case 0:
		return ""
	case 1:
		return "; one lies apart and was not looked into"
	default:
		return fmt.Sprintf("; %d lie apart and were not looked into", n)
	}
}

// faults names the first thing, and counts the others; several may be of one
// package.
func faults(e machine.PythonEnvironment) string {
	first := e.Faults[0]
	if e.Kind == "none" {
		return fmt.Sprintf("%s %s. It was deleted or moved since; a plain python is another one. Open a new shell, or make the environment anew.", first.Path, first.What)
	}
	head := fmt.Sprintf("%s %s", first.Path[strings.LastIndexAny(first.Path, `/\`)+1:], first.What)
	if n := len(e.Faults); n > 1 {
		head = fmt.Sprintf("%d things in %s are not as they should be. The first: %s", n, e.Prefix, head)
	}
	return head + ". Python may import what is left of a package, or the wrong one of two. Take such a package out with pip, delete what is left of it, and install it once, from the index that it came from: torch from PyPI is a build for CUDA."
}
