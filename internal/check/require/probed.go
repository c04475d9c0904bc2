package require

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// shownByWork answers from what a probe showed, where it speaks. Work that
// failed is a failure, and work that passed outweighs what files seem to say.
// Where the operation itself was not tried, one that it builds on counts if it
// failed. A library that the probe did not find says nothing: an application
// may bring its own.
func shownByWork(p operation.Results, o operation.Operation) (check.Finding, bool) {
	passed, failed, open := sortOut(p, o.ID)
	below, broken := failedBelow(p, o)
	switch {
	case len(failed) > 0:
		return workFailed(o, failed[0]), true
	case len(passed) > 0 && len(open) == 0:
		return check.Finding{
			Subject: o.ID, Verdict: check.OK, Message: fmt.Sprintf("%s can be served: %s did it on the GPU, and the result was right", o.ID, passed[0].Library),
			Evidence: workEvidence(passed),
		}, true
	case broken:
		return workFailed(o, below), true
	case len(open) > 0:
		why := either(open[0].Why, string(open[0].Verdict))
		return check.CannotTell(o.ID, "whether "+o.ID+" can be served", machine.Source("probe: "+open[0].Task), strings.TrimSuffix(why, ".")), true
	}
	return check.Finding{}, false
}

// sortOut parts the results of an operation. Open are those that show nothing
// either way: time that ran out, and what was not asked.
func sortOut(p operation.Results, id string) (passed, failed, open []operation.Result) {
	for _, r := range p.Results {
		switch {
		case r.Operation != id || r.Verdict == operation.NoLibrary:
		case r.Verdict == operation.Pass:
			passed = append(passed, r)
		case r.Verdict == operation.Slow || r.Verdict == operation.CannotStart || r.Verdict == operation.Skipped:
			open = append(open, r)
		default:
			failed = append(failed, r)
		}
	}
	return passed, failed, open
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// failedBelow finds work that failed of an operation that this one builds on.
func failedBelow(p operation.Results, o operation.Operation) (operation.Result, bool) {
	below, ok := operation.Lookup(o.BuildsOn)
	if !ok {
		return operation.Result{}, false
	}
	if _, failed, _ := sortOut(p, below.ID); len(failed) > 0 {
		return failed[0], true
	}
	return failedBelow(p, below)
}

func workFailed(o operation.Operation, r operation.Result) check.Finding {
	what := strings.ReplaceAll(string(r.Verdict), "-", " ")
	return check.Finding{
		Subject: o.ID, Verdict: check.Fail,
		Message:  fmt.Sprintf("%s cannot be served here: %s of %s gave %s. Real work on the GPU showed it; rocsmith probe says more.", o.ID, r.Task, r.Library, what),
		Evidence: workEvidence([]operation.Result{r}),
	}
}

func workEvidence(results []operation.Result) []machine.Evidence {
	var out []machine.Evidence
	for _, r := range results {
		text := string(r.Verdict)
		if r.Why != "" {
			text += ": " + r.Why
		}
		out = append(out, machine.Evidence{From: machine.Source("probe: " + r.Task), Text: text})
	}
	return out
}
