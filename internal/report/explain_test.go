package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
)

func explanation() (explain.Log, explain.Explanation) {
	line := explain.Evidence{File: "train.log", Line: 18190, Text: "attempt to write a \x1b[31mreadonly database", Count: 3}
	return explain.Log{Names: []string{"train.log"}, Lines: 18204}, explain.Explanation{
		Verdict: explain.Failure,
		Causes: []explain.Suspect{
			{
				Cause:      cause.Cause{ID: "miopen-db-readonly", Family: "miopen", Title: "MIOpen cannot write its cache", Meaning: "Kernels are compiled anew.", Decide: "ls -l ~/.cache/miopen"},
				Confidence: explain.Likely, Score: 0.7, Why: "The database is read-only.", Evidence: []explain.Evidence{line}, ConfirmedBy: []string{"miopen/cache"},
				Remedies: []remedy.Remedy{{ID: "move", Title: "Move it aside", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Command, Text: "rename it", Command: "mv a b"}}}},
			},
			{Cause: cause.Cause{ID: "other", Family: "fault", Title: "Something else", Meaning: "m", Decide: "dmesg"}, Confidence: explain.Possible, Why: "m", Evidence: []explain.Evidence{line}},
		},
		Harmless: []explain.Note{{Evidence: explain.Evidence{File: "train.log", Line: 2, Text: "Missing system database file", Count: 2}, Says: "It only slows the first run."}},
	}
}

func TestExplainReports(t *testing.T) {
	t.Parallel()
	log, e := explanation()
	var text, md, asJSON bytes.Buffer
	for _, err := range []error{
		report.ExplainText(&text, log, e, report.Style{Unicode: true}), report.ExplainMarkdown(&md, "test", log, e), report.ExplainJSON(&asJSON, e),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, out := range map[string]string{"text": text.String(), "md": md.String(), "json": asJSON.String()} {
		for _, want := range []string{"miopen-db-readonly", "readonly database", "miopen/cache", "mv a b", "other", "It only slows the first run."} {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not hold %q:\n%s", name, want, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%s hands on what rules a terminal", name)
		}
	}
	for _, want := range []string{"train.log: 18,204 lines", "line 18,190  attempt", "(3 times)", "miopen-db-readonly · likely", "It may also be:", "decide dmesg"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text does not hold %q:\n%s", want, text.String())
		}
	}
	for _, l := range strings.Split(text.String(), "\n") {
		if len([]rune(l)) > 80 {
			t.Errorf("wider than 80 columns: %q", l)
		}
	}
	var doc struct {
		Schema  int
		Verdict string
		Causes  []struct {
			Cause, Confidence string
			Evidence          []struct{ Line int }
			Remedies          []struct{ ID string }
		}
	}
	if err := json.Unmarshal(asJSON.Bytes(), &doc); err != nil || doc.Schema != 1 || doc.Verdict != "failure" || len(doc.Causes) != 2 || doc.Causes[0].Evidence[0].Line != 18190 {
		t.Errorf("%+v, %v", doc, err)
	}
}

func TestExplainNothing(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[explain.Verdict]string{explain.Benign: "Nothing is broken", explain.Unknown: "Unknown: no line"} {
		var text, md, asJSON bytes.Buffer
		e := explain.Explanation{Verdict: verdict}
		log := explain.Log{Names: []string{"a", "b"}, Lines: 1, Binary: []string{"b"}}
		for _, err := range []error{report.ExplainText(&text, log, e, report.Style{}), report.ExplainMarkdown(&md, "test", log, e), report.ExplainJSON(&asJSON, e)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(text.String(), want) || !strings.Contains(text.String(), "a, b: 1 line; b is no text") || !strings.Contains(md.String(), want) {
			t.Errorf("%s:\n%s\n%s", verdict, text.String(), md.String())
		}
		for _, key := range []string{`"causes": []`, `"benign": []`, `"recognised": []`} {
			if !strings.Contains(asJSON.String(), key) {
				t.Errorf("%s: no %s", verdict, key)
			}
		}
	}
}
