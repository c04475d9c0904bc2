package report

import (
	"io"

	"github.com/rocsmith/rocsmith/internal/lint"
)

type jsonLint struct {
	jsonReport
	Lint jsonProject `json:"lint"`
}

// jsonProject is what was looked at, and for which engine.
type jsonProject struct {
	Target string     `json:"target"`
	Files  []jsonFile `json:"files"`
	Rules  int        `json:"rules"` // asked
	Engine *string    `json:"engine"`
}

type jsonFile struct {
	Path string    `json:"path"`
	Kind lint.Kind `json:"kind"`
}

// LintJSON writes the report for programs, in the form of the doctor's.
func LintJSON(w io.Writer, l Lint) error {
	out := jsonLint{
		jsonReport: jsonReport{
			Schema: Schema, Rocsmith: l.Version, Verdict: l.Verdict(),
			Machine: machineJSON(l.Machine), Findings: complete(l.Result.Checks()),
		},
		Lint: jsonProject{Target: l.Target, Files: []jsonFile{}, Rules: l.Result.Asked, Engine: orNull(string(l.Engine.Kind))},
	}
	for _, f := range l.Result.Project.Files {
		out.Lint.Files = append(out.Lint.Files, jsonFile{l.Result.Project.Name(f), f.Kind})
	}
	return asJSON(w, out)
}
