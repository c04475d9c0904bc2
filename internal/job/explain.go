package job

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/report"
)

// An ExplainRequest is what somebody wants explained.
type ExplainRequest struct {
	Inputs       []explain.Input
	Catalogue    cause.Catalogue
	Surroundings explain.Surroundings
	Machine      host.Reader // on which the log was written; nil where only the log counts
	Top          int         // causes; 0 is all
	Progress     func(read int64)
}

// Explain reads logs and says what went wrong.
func Explain(ctx context.Context, q ExplainRequest, version string, now func() time.Time) (explain.Log, explain.Explanation, error) {
	log, err := explain.Read(ctx, q.Inputs, q.Catalogue, q.Progress)
	if err != nil {
		return log, explain.Explanation{}, err
	}
	around := q.Surroundings
	if q.Machine != nil {
		if around, err = onMachine(around, q.Machine, version, now); err != nil {
			return log, explain.Explanation{}, err
		}
	}
	e, err := explain.Judge(log, q.Catalogue, around)
	if q.Top > 0 && len(e.Causes) > q.Top {
		e.Causes = e.Causes[:q.Top]
	}
	return log, e, err
}

// onMachine adds what the doctor finds on a machine. One without an AMD GPU is not the one on which anything went wrong
// with it, and adds nothing.
func onMachine(s explain.Surroundings, r host.Reader, version string, now func() time.Time) (explain.Surroundings, error) {
	d, err := Diagnose(r, version, Question{}, now)
	if err != nil || d.NoAMDGPU() {
		return s, err
	}
	return around(s, d), nil
}

// around adds a machine that was looked at.
func around(s explain.Surroundings, d report.Diagnosis) explain.Surroundings {
	s.Examined, s.Findings = d.Machine, d.Findings
	if len(s.GPUs) == 0 {
		for _, g := range d.Machine.AMDGPUs() {
			if g.Gfx.Known() {
				s.GPUs = append(s.GPUs, g.Gfx.Value)
			}
		}
	}
	for _, e := range d.Machine.Python.Value {
		if e.Active && s.Python == "" {
			s.Python = minor(e.Python)
		}
	}
	given := s.Env
	s.Env = map[string]string{}
	for _, v := range d.Machine.Variables.Value {
		s.Env[v.Name] = v.Value
	}
	maps.Copy(s.Env, given)
	return s
}

// minor is the part of a version of Python by which wheels are told apart: "3.12".
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}
