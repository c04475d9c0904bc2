package report

import (
	"io"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
)

type jsonProbe struct {
	Schema     int             `json:"schema"`
	Rocsmith   string          `json:"rocsmith"`
	Verdict    probe.Verdict   `json:"verdict"`
	Where      *string         `json:"where"`
	GPU        jsonProbed      `json:"gpu"`
	Gates      []jsonGate      `json:"gates"`
	Anomalies  []string        `json:"anomalies"`
	Operations []jsonOutcome   `json:"operations"`
	Answers    *bool           `json:"gpu_still_answers"` // null: nothing happened after which one would ask
	Left       *string         `json:"not_removed"`       // null: nothing is left of the probe
	Findings   []check.Finding `json:"findings"`
}

type jsonProbed struct {
	Device       int     `json:"device"`
	Name         *string `json:"name"`
	Gfx          *string `json:"gfx"`
	EffectiveGfx *string `json:"effective_gfx"`
	Override     *string `json:"override"`
	Runtime      *string `json:"runtime"`
}

type jsonGate struct {
	ID      string        `json:"id"`
	Title   string        `json:"title"`
	Verdict check.Verdict `json:"verdict"`
	Why     string        `json:"why"`
}

type jsonOutcome struct {
	Op        string             `json:"op"`        // the task
	Operation string             `json:"operation"` // that it shows
	Library   string             `json:"library"`
	File      *string            `json:"file"` // that was loaded
	Verdict   operation.Verdict  `json:"verdict"`
	Weight    check.Verdict      `json:"weight"`
	Why       string             `json:"why"`
	Ms        float64            `json:"ms"`
	Numbers   map[string]float64 `json:"numbers"`
	Facts     map[string]string  `json:"facts"`
	Words     *string            `json:"stderr"` // what the library wrote where it did not pass
	Noise     *string            `json:"stdout"` // what it wrote among the answers
}

// ProbeJSON writes a probe for programs.
func ProbeJSON(w io.Writer, r probe.Report) error {
	g := r.GPU
	out := jsonProbe{
		Schema: operation.ResultSchema, Rocsmith: r.Version, Verdict: r.Verdict, Where: orNull(r.Where),
		GPU:   jsonProbed{g.Device, orNull(g.Name), orNull(g.Gfx), orNull(g.Effective), orNull(g.Override), orNull(g.Runtime)},
		Gates: []jsonGate{}, Anomalies: append([]string{}, r.Anomalies...), Operations: []jsonOutcome{}, Left: orNull(r.Left), Findings: complete(r.Findings),
	}
	if r.Health != nil {
		out.Answers = &r.Health.Answers
	}
	for _, gate := range r.Gates {
		out.Gates = append(out.Gates, jsonGate(gate))
	}
	for _, o := range r.Outcomes {
		out.Operations = append(out.Operations, outcomeJSON(o))
	}
	return asJSON(w, out)
}

func outcomeJSON(o probe.Outcome) jsonOutcome {
	a := o.Answer
	out := jsonOutcome{
		Op: o.Task.ID, Operation: o.Task.Operation, Library: o.Task.Library, File: orNull(a.Library), Verdict: a.Verdict,
		Weight: o.Weight, Why: a.Why, Ms: a.Ms, Numbers: a.Numbers, Facts: a.Facts, Noise: orNull(o.Noise),
	}
	if a.Verdict != operation.Pass {
		out.Words = orNull(o.Words)
	}
	if out.Numbers == nil {
		out.Numbers = map[string]float64{}
	}
	if out.Facts == nil {
		out.Facts = map[string]string{}
	}
	return out
}
