package report_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/report"
)

// TestLintOfOneLine: programs write files in one line, which is not told with each of its
// findings, mended or not.
func TestLintOfOneLine(t *testing.T) {
	t.Parallel()
	text := "[" + strings.Repeat(`"a", `, 50_000) + `"b"]` + "\n"
	f := &lint.File{Path: "compose.yaml", Kind: lint.Compose, Data: []byte(text)}
	rule := lint.Rule{ID: "compose/x", Title: "X", Run: func(p *lint.Pass) {
		at := strings.Index(text, "b")
		for _, m := range []*lint.Mend{nil, {Title: "Write c", Edits: []lint.Edit{{File: f, Start: at, End: at + 1, New: "c"}}}} {
			p.Report(lint.Finding{File: f, Line: 1, Verdict: check.Warn, Message: "This is b.", Mend: m})
		}
	}}
	result := lint.Run(&lint.Project{Files: []*lint.File{f}}, lint.Setting{Machine: &machine.Machine{OS: "linux"}}, []lint.Rule{rule})
	l := report.Lint{Target: ".", Machine: &machine.Machine{OS: "linux"}, Rules: []lint.Rule{rule}, Result: result}
	var out strings.Builder
	if err := report.LintText(&out, l, report.Style{Unicode: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"a", "a",…`, `"a", "b"]`, `"a", "c"]`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if out.Len() > 5000 {
		t.Errorf("%d bytes are written", out.Len())
	}
}
