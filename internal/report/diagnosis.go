// Package report turns findings into text for people, JSON for programs and Markdown for issue trackers.
package report

import (
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
	Took     time.Duration
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

// A tally counts verdicts as people read them.
type tally struct{ failures, warnings, fine, notJudged int }

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
		default:
			t.notJudged++
		}
	}
	return t
}
