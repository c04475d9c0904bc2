package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
)

// ProbeJUnit writes a probe as test results: one test a task. What could not be
// tried is skipped, and where the probe cannot start that is an error.
func ProbeJUnit(w io.Writer, r probe.Report) error {
	suite := junitSuite{Name: "rocsmith probe"}
	for _, o := range r.Outcomes {
		test := junitCase{Class: harmless(o.Task.Library), Name: o.Task.ID}
		said := &junitText{Message: string(o.Answer.Verdict), Text: harmless(o.Answer.Why)}
		switch {
		case o.Answer.Verdict == operation.CannotStart:
			test.Error = said
			suite.Errors++
		case o.Weight == check.Fail:
			test.Failure = said
			suite.Failures++
		case o.Weight != check.OK:
			test.Skipped = said
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, test)
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, text); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	return nil
}

// ProbeMarkdown writes a probe to be pasted into an issue.
func ProbeMarkdown(w io.Writer, r probe.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### rocsmith probe: %s\n\n%s\n\n", r.Verdict, escape(probeHeadline(r)))
	b.WriteString("| operation | library | verdict | |\n|---|---|---|---|\n")
	for _, o := range r.Outcomes {
		words := badWords(o)
		if o.Answer.Verdict == operation.Pass {
			words = goodWords(o)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", o.Task.ID, cell(o.Task.Library), o.Answer.Verdict, cell(words))
	}
	b.WriteString("\n| gate | | verdict | |\n|---|---|---|---|\n")
	for _, g := range r.Gates {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", g.ID, cell(g.Title), g.Verdict, cell(g.Why))
	}
	b.WriteByte('\n')
	for _, a := range r.Anomalies {
		fmt.Fprintf(&b, "Anomaly: %s.\n\n", escape(a))
	}
	for _, f := range r.Findings {
		findingMarkdown(&b, f)
	}
	for _, sentence := range probeClosing(r) {
		b.WriteString(escape(sentence) + "\n\n")
	}
	fmt.Fprintf(&b, "<sub>rocsmith %s</sub>\n", cell(r.Version))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}
