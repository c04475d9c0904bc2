// Package report turns findings into text for people, JSON for programs and Markdown for issue trackers.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// A Diagnosis is everything a report shows.
type Diagnosis struct {
	Version  string // of rocsmith
	Machine  *machine.Machine
	Findings []check.Finding
	Areas    []check.Area // in the order of reading
	// Again is the command that asks again after a cure; "" is doctor.
	Again string
	Took  time.Duration
}

// Verdict is the verdict on the machine.
func (d Diagnosis) Verdict() check.Verdict { return check.Overall(d.Findings) }

// NoAMDGPU reports that we looked and there is no AMD GPU to judge.
func (d Diagnosis) NoAMDGPU() bool {
	return d.Machine.GPUs.Known() && len(d.Machine.AMDGPUs()) == 0
}

// inArea returns the findings of one area.
func (d Diagnosis) inArea(area string) []check.Finding {
	var out []check.Finding
	for _, f := range d.Findings {
		if f.Area() == area {
			out = append(out, f)
		}
	}
	return out
}

// String says the counts; what was not judged only where there is something.
func (t tally) String() string {
	parts := []string{plural(t.failures, "failure"), plural(t.warnings, "warning"), fmt.Sprintf("%d fine", t.fine)}
	if t.notJudged > 0 {
		parts = append(parts, fmt.Sprintf("%d not judged", t.notJudged))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d not asked", t.notAsked)), ", ")
}

// First is what to do, in a sentence: the first cure of what weighs most, or the
// good news.
func (d Diagnosis) first() string {
	weighty := check.ByWeight(d.Findings)
	curable := slices.IndexFunc(weighty, func(f check.Finding) bool { return len(f.Remedies) > 0 })
	switch {
	// What weighs most may have no cure; then the next of the same weight has.
	case curable >= 0 && weighty[curable].Verdict == weighty[0].Verdict:
		return "First: " + lowerFirst(weighty[curable].Remedies[0].Title) + ", then run " + cmp.Or(d.Again, "rocsmith doctor") + " again."
	case len(weighty) == 0 && d.Verdict() == check.OK && len(d.Machine.TargetGPUs()) > 0:
		return "Nothing that was looked at stands in the way of computing on the GPU."
	}
	return ""
}

// A tally counts verdicts as people read them.
type tally struct{ failures, warnings, fine, notJudged, notAsked int }

func (d Diagnosis) tally() tally {
	var t tally
	for _, f := range d.Findings {
		switch f.Verdict {
		case check.Fail:
			t.failures++
		case check.Warn:
			t.warnings++
		case check.OK:
			t.fine++
		case check.Unknown:
			t.notJudged++
		case check.Skipped:
			t.notAsked++
		}
	}
	return t
}
