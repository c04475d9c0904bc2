package report

import (
	"io"

	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// ExplainSchema is the number of the JSON format of explain.
const ExplainSchema = 1

type jsonExplanation struct {
	Schema     int             `json:"schema"`
	Verdict    explain.Verdict `json:"verdict"`
	Causes     []jsonSuspect   `json:"causes"`
	Benign     []jsonNote      `json:"benign"`
	Recognised []jsonNote      `json:"recognised"`
	Decide     string          `json:"decide,omitempty"`
}

type jsonSuspect struct {
	Cause       string             `json:"cause"`
	Family      string             `json:"family"`
	Confidence  explain.Confidence `json:"confidence"`
	Title       string             `json:"title"`
	Why         string             `json:"why"`
	Evidence    []jsonEvidence     `json:"evidence"`
	ConfirmedBy []string           `json:"confirmed_by"`
	Contradicts []string           `json:"contradicted_by,omitempty"`
	Release     string             `json:"another_release,omitempty"`
	Remedies    []remedy.Remedy    `json:"remedies"`
}

type jsonEvidence struct {
	File  string `json:"file"`
	Line  int64  `json:"line"`
	Text  string `json:"text"`
	Count int    `json:"count,omitempty"`
}

type jsonNote struct {
	jsonEvidence
	Says string `json:"says"`
}

// ExplainJSON writes an explanation for programs.
func ExplainJSON(w io.Writer, e explain.Explanation) error {
	out := jsonExplanation{
		Schema: ExplainSchema, Verdict: e.Verdict, Causes: []jsonSuspect{}, Decide: e.Decide,
		Benign: jsonNotes(e.Harmless), Recognised: jsonNotes(e.Recognised),
	}
	for _, c := range e.Causes {
		s := jsonSuspect{
			Cause: c.Cause.ID, Family: c.Cause.Family, Confidence: c.Confidence, Title: c.Cause.Title, Why: c.Why,
			Evidence: []jsonEvidence{}, ConfirmedBy: append([]string{}, c.ConfirmedBy...), Contradicts: c.Contradicts, Release: c.Release, Remedies: append([]remedy.Remedy{}, c.Remedies...),
		}
		for _, line := range c.Evidence {
			s.Evidence = append(s.Evidence, jsonEvidence(line))
		}
		out.Causes = append(out.Causes, s)
	}
	return asJSON(w, out)
}

func jsonNotes(notes []explain.Note) []jsonNote {
	out := []jsonNote{}
	for _, n := range notes {
		out = append(out, jsonNote{jsonEvidence(n.Evidence), n.Says})
	}
	return out
}
