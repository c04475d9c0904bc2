// Package job holds what each command does, without flags and printing; it is the one place where rooms meet.
package job

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/check/all"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A Question is what somebody wants to know of a machine.
type Question struct {
	Selection  check.Selection
	Operations []string            // that must be served
	Services   []operation.Service // parts of an application, with their operations
	Programs   []string            // files to ask the loader about
	Probed     operation.Results   // what real work on the GPU showed, where somebody did it
}

// selection asks for the answers to what was required, whatever else is left
// out.
func (q Question) selection() check.Selection {
	s := q.Selection
	if len(s.Only) > 0 && len(q.Operations)+len(q.Services) > 0 {
		s.Only = append(slices.Clone(s.Only), "require")
	}
	return s
}

// Diagnose looks at a machine and judges it by the selected checks.
func Diagnose(r host.Reader, version string, q Question, now func() time.Time) (report.Diagnosis, error) {
	checks, wanted, err := q.selection().Apply(all.Checks())
	if err != nil {
		return report.Diagnosis{}, err
	}
	start := now()
	m := survey.Take(r, q.Programs...)
	if err := sameGPU(m, q.Probed); err != nil {
		return report.Diagnosis{}, err
	}
	findings := check.Run(checks, check.Input{Machine: m, Operations: q.Operations, Services: q.Services, Probed: q.Probed})
	// A prerequisite that failed is the answer to the question that was asked.
	findings = slices.DeleteFunc(findings, func(f check.Finding) bool {
		return unasked(q, f) || !wanted(f.Check) && f.Verdict != check.Fail && f.Verdict != check.Unknown
	})
	return report.Diagnosis{
		Version: version, Machine: m, Findings: findings, Areas: all.Areas(), Took: now().Sub(start),
	}, nil
}

// sameGPU refuses a probe of another machine: it would speak for a GPU that is
// not here.
func sameGPU(m *machine.Machine, p operation.Results) error {
	if p.Gfx == "" || m.GPUs.Unread() {
		return nil
	}
	var here []string
	for _, g := range m.AMDGPUs() {
		here = append(here, m.EffectiveGfx(g))
	}
	if len(here) == 0 || slices.Contains(here, p.Gfx) {
		return nil
	}
	return fmt.Errorf("the probe was of a %s, and this machine has %s: it was made on another machine, or under another override", p.Gfx, strings.Join(here, ", "))
}

// unasked reports an answer to somebody who did not say what they need.
func unasked(q Question, f check.Finding) bool {
	return f.Check == "require/operations" && len(q.Operations) == 0 || f.Check == "require/services" && len(q.Services) == 0
}

// Record takes a snapshot of a machine: every question that a diagnosis asks, and
// that lint asks of the engines of containers, and its answer.
func Record(r host.Reader, version string, at time.Time, programs ...string) *host.Snapshot {
	rec := host.Record(r, version, at)
	survey.Take(rec, programs...)
	_, _ = survey.Engine(rec), survey.Podman(rec)
	// Asked for its alias only: the name may stand in other answers.
	_, _ = rec.ReadFile("/proc/sys/kernel/hostname")
	return rec.Snapshot()
}
