// Package require asks whether this machine can serve the operations that an application needs.
package require

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// Checks are the questions of this area, in order. They stand last: they are
// answered from what the others found.
var Checks = []check.Check{
	{
		ID:    "require/operations",
		Title: "Each operation that is asked for can be served here",
		Doc: `Asked with ` + "`--require gemm,conv2d`" + `. Each operation names the checks that must hold for it; a failure among them is the reason why it
cannot be served. "Can be served" is a statement about files, drivers and rights: no work is done on the GPU. With ` + "`--probe FILE`" + `, the
JSON of ` + "`rocsmith probe`" + `, what that work showed counts where it speaks: a task that passed or failed outweighs every file.`,
		Run: runOperations,
	},
	{
		ID:    "require/services",
		Title: "Each service of the application can be served here",
		Doc: `Asked with ` + "`--services FILE`" + `, a table of lines ` + "`name: [gemm, conv2d]`" + `. A service is served where all of its operations are; so an
application can start what works and say what does not.`,
		Run: runServices,
	},
}

func runOperations(in check.Input) []check.Finding {
	if len(in.Operations) == 0 {
		return []check.Finding{check.NotHere("operations", "no operation was asked for (--require)")}
	}
	var out []check.Finding
	for _, id := range in.Operations {
		o, ok := operation.Lookup(id)
		if !ok {
			out = append(out, check.CannotTell(id, "whether "+id+" can be served", "--require", "there is no such operation"))
			continue
		}
		if f, spoken := shownByWork(in.Probed, o); spoken {
			out = append(out, f)
			continue
		}
		out = append(out, judge(in, o))
	}
	return out
}

func runServices(in check.Input) []check.Finding {
	if len(in.Services) == 0 {
		return []check.Finding{check.NotHere("services", "no table of services was given (--services)")}
	}
	var out []check.Finding
	for _, s := range in.Services {
		out = append(out, judgeService(in, s))
	}
	return out
}

// judgeService passes on what is worst among the operations of a service.
func judgeService(in check.Input, s operation.Service) check.Finding {
	var worst check.Finding
	for _, f := range runOperations(check.Input{Machine: in.Machine, Found: in.Found, Probed: in.Probed, Operations: s.Needs}) {
		if worst.Verdict == "" || f.Verdict.Worse(worst.Verdict) {
			worst = f
		}
	}
	needs := strings.Join(s.Needs, ", ")
	switch worst.Verdict {
	case check.OK:
		worst.Message = fmt.Sprintf("%s can be served: nothing that was looked at stands in the way of %s", s.Name, needs)
	case check.Unknown:
		worst.Message = fmt.Sprintf("Not judged: whether %s can be served. %s", s.Name, worst.Explanation())
	case check.Fail:
		worst.Message = fmt.Sprintf("%s cannot be served here, for want of %s. %s", s.Name, worst.Subject, worst.Message)
	default:
		worst.Message = fmt.Sprintf("%s is in doubt here, because of %s. %s", s.Name, worst.Subject, worst.Message)
	}
	worst.Subject = s.Name
	return worst
}

// judge says whether an operation can be served, from what was found before.
func judge(in check.Input, o operation.Operation) check.Finding {
	ok := check.Finding{
		Subject: o.ID, Verdict: check.OK, Message: fmt.Sprintf("%s can be served: nothing that was looked at stands in its way", o.ID),
		Evidence: []machine.Evidence{{From: machine.Source(o.Library), Text: o.Title}},
	}
	var doubt *check.Finding
	for _, need := range o.AllNeeds() {
		f, left := worst(in.Found, need)
		switch {
		case left:
			return check.CannotTell(o.ID, "whether "+o.ID+" can be served", machine.Source(need), "the check "+need+" was left out, and it must hold first")
		case f == nil:
		case f.Verdict == check.Fail:
			return because(o, *f, check.Fail, "cannot be served here")
		case doubt == nil || f.Verdict.Worse(doubt.Verdict):
			doubt = f
		}
	}
	switch {
	case doubt != nil && doubt.Verdict == check.Unknown:
		return check.CannotTell(o.ID, "whether "+o.ID+" can be served", machine.Source(doubt.Check), strings.TrimSuffix(doubt.Message, "."))
	case in.Machine.ROCm.Known() && len(in.Machine.ROCm.Value) == 0:
		return check.CannotTell(o.ID, "whether "+o.ID+" can be served", in.Machine.ROCm.From, "no ROCm was found here, neither installed nor in a Python environment, so nothing can be said of "+o.Library)
	case doubt != nil:
		return because(o, *doubt, check.Warn, "is in doubt here")
	case !shown(in, o):
		return check.CannotTell(o.ID, "whether "+o.ID+" can be served", machine.Source(o.Library), "nothing stands in its way, but nothing was found here that does it: neither "+o.Library+" nor a Python package built for ROCm")
	}
	return ok
}

// shown reports whether something was found that does the operation. A build for
// NVIDIA's GPUs, good beside one, does nothing on AMD's.
func shown(in check.Input, o operation.Operation) bool {
	for _, f := range in.Found {
		if f.Verdict == check.OK && slices.Contains(o.AllShownBy(), f.Check) && !strings.Contains(f.Message, "a build for CUDA") {
			return true
		}
	}
	return false
}

// because gives the reason in the sentence itself, unless nobody would read it
// to the end.
func because(o operation.Operation, f check.Finding, v check.Verdict, how string) check.Finding {
	const readable = 140
	head := fmt.Sprintf("%s %s: %s", o.ID, how, f.Headline())
	if len(head) > readable {
		head = fmt.Sprintf("%s %s, because of %s. %s", o.ID, how, f.Check, f.Headline())
	}
	return check.Finding{
		Subject: o.ID, Verdict: v, Cause: f.Cause,
		Message:  fmt.Sprintf("%s. Programs %s through %s.", head, o.Title, o.Library),
		Evidence: append([]machine.Evidence{{From: machine.Source(f.Check), Text: string(f.Verdict)}}, f.Evidence[:min(1, len(f.Evidence))]...),
		Remedies: f.Remedies,
	}
}

// worst returns the finding that weighs most among those of a check, or of a
// whole area, and nil where none weighs anything. A warning of a check weighs
// nothing after a good answer of the same check: what is active, or comes first,
// stands first, and is enough. Warnings of an area say that the GPU can be used.
// left means that the check was not run at all.
func worst(found []check.Finding, need string) (f *check.Finding, left bool) {
	left = true
	good := false
	for i := range found {
		if found[i].Check != need && found[i].Area() != need {
			continue
		}
		left = false
		v := found[i].Verdict
		good = good || v == check.OK
		switch {
		case !v.Worse(check.OK):
		case v == check.Warn && (good || !strings.Contains(need, "/")):
		case f == nil || v.Worse(f.Verdict):
			f = &found[i]
		}
	}
	return f, left
}
