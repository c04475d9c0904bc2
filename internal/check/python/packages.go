package python

import (
	"fmt"

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
		if len(e.Faults) > 0 {
			f.Verdict = check.Warn
			f.Message = faults(e)
			f.Evidence = nil
		}
		const shown = 5
		for _, fault := range e.Faults[:min(len(e.Faults), shown)] {
			f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(fault.Path), Text: fault.What})
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("Python", "no environment is active, and none holds a package that computes on GPUs")}
	}
	return out
}

// faults count what was found, which may be several of one package.
func faults(e machine.PythonEnvironment) string {
	head := fmt.Sprintf("Something in %s is not as it should be", e.Prefix)
	if len(e.Faults) > 1 {
		head = fmt.Sprintf("%d things in %s are not as they should be", len(e.Faults), e.Prefix)
	}
	return head + ". Python may import what is left of a package, or the wrong one of two; pip repairs a package when it is installed anew with --force-reinstall."
}
