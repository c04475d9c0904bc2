// Package job holds what each command does, without flags and printing; it is the one place where rooms meet.
package job

import (
	"slices"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/check/all"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// Diagnose looks at a machine and judges it by the selected checks.
func Diagnose(r host.Reader, version string, sel check.Selection, now func() time.Time) (report.Diagnosis, error) {
	checks, wanted, err := sel.Apply(all.Checks())
	if err != nil {
		return report.Diagnosis{}, err
	}
	start := now()
	m := survey.Take(r)
	findings := check.Run(checks, check.Input{Machine: m})
	// A prerequisite that failed is the answer to the question that was asked.
	findings = slices.DeleteFunc(findings, func(f check.Finding) bool {
		return !wanted(f.Check) && f.Verdict != check.Fail && f.Verdict != check.Unknown
	})
	return report.Diagnosis{
		Version: version, Machine: m, Findings: findings, Areas: all.Areas(), Took: now().Sub(start),
	}, nil
}

// Record takes a snapshot of a machine: every question that a diagnosis asks,
// and its answer.
func Record(r host.Reader, version string, at time.Time) *host.Snapshot {
	rec := host.Record(r, version, at)
	survey.Take(rec)
	// Asked for its alias only: the name may stand in other answers.
	_, _ = rec.ReadFile("/proc/sys/kernel/hostname")
	return rec.Snapshot()
}
