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
		if len(e.Watched) == 0 && !e.Active {
			continue
		}
		f := check.Finding{
			Subject: e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("All %d packages of %s can be read", e.Packages, e.Prefix),
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

func faults(e machine.PythonEnvironment) string {
	if len(e.Faults) == 1 {
		return fmt.Sprintf("One package of %s is not whole. Python may import what is left of it; pip repairs it when it is installed anew with --force-reinstall.", e.Prefix)
	}
	return fmt.Sprintf("%d packages of %s are not whole. Python may import what is left of them; pip repairs each when it is installed anew with --force-reinstall.", len(e.Faults), e.Prefix)
}
