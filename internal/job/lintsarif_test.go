package job_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/all"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A sarifLog is what other programs read of SARIF.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Results []sarifResult
	}
}

type sarifResult struct {
	RuleID    string
	RuleIndex int
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation sarifFile
			Region           sarifRegion
		}
	}
	Fixes []struct {
		ArtifactChanges []struct {
			ArtifactLocation sarifFile
			Replacements     []struct {
				DeletedRegion   sarifRegion
				InsertedContent struct{ Text string }
			}
		}
	}
}

type sarifFile struct{ URI string }

type sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }

// cut finds the bytes of a region, counted as SARIF does.
func (r sarifRegion) cut(t *testing.T, text string) (start, end int) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	offset := func(line, column int) int {
		if line > len(lines) {
			t.Fatalf("line %d of %d", line, len(lines))
		}
		units := utf16.Encode([]rune(lines[line-1]))
		if column-1 > len(units) {
			t.Fatalf("column %d of %d in %q", column, len(units), lines[line-1])
		}
		return len(strings.Join(lines[:line-1], "")) + len(string(utf16.Decode(units[:column-1])))
	}
	return offset(r.StartLine, r.StartColumn), offset(r.EndLine, r.EndColumn)
}

// Every rule's own example, as a code scanning service gets it: by the letter of the
// format, and with fixes that make of a file what the mend does.
func TestLintSARIF(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	rules := all.Rules()
	mended := 0
	for _, r := range rules {
		for _, crlf := range []bool{false, true} {
			s, _ := lint.OnExample(r.Bad.On)
			s.Strict = true
			p := r.Bad.Project(crlf)
			l := report.Lint{Version: "1.2.3", Machine: &machine.Machine{}, Rules: rules, Result: lint.Run(p, s, rules)}
			var out bytes.Buffer
			if err := report.LintSARIF(&out, l); err != nil {
				t.Fatal(err)
			}
			if err := validate(t, schema, out.String()); err != nil {
				t.Errorf("%s: %v\n%s", r.ID, err, out.String())
			}
			var log sarifLog
			if err := json.Unmarshal(out.Bytes(), &log); err != nil || len(log.Runs[0].Results) != len(l.Result.Found) {
				t.Fatalf("%s: %v", r.ID, err)
			}
			for i, f := range l.Result.Found {
				got := log.Runs[0].Results[i]
				if got.RuleID != f.Rule.ID || log.Runs[0].Tool.Driver.Rules[got.RuleIndex].ID != f.Rule.ID {
					t.Errorf("%s: result %d is of %s, number %d", r.ID, i, got.RuleID, got.RuleIndex)
				}
				sameLine(t, got, f)
				mended += sameMend(t, got, f)
			}
		}
	}
	if mended == 0 {
		t.Error("no fix was tried")
	}
}

func sameLine(t *testing.T, got sarifResult, f lint.Found) {
	t.Helper()
	start, end := got.Locations[0].PhysicalLocation.Region.cut(t, string(f.File.Data))
	if text := string(f.File.Data[start:end]); text != strings.TrimLeft(f.Text(), " \t") {
		t.Errorf("%s at %s points at %q", f.Rule.ID, f.Place(), text)
	}
}

// sameMend applies the fixes of a result from the last to the first.
func sameMend(t *testing.T, got sarifResult, f lint.Found) int {
	t.Helper()
	if f.Mend == nil || len(f.Mend.Edits) == 0 {
		if len(got.Fixes) > 0 {
			t.Errorf("%s has fixes without a mend", f.Rule.ID)
		}
		return 0
	}
	for _, change := range got.Fixes[0].ArtifactChanges {
		i := slices.IndexFunc(f.Mend.Edits, func(e lint.Edit) bool { return (&url.URL{Path: e.File.Path}).String() == change.ArtifactLocation.URI })
		if i < 0 {
			t.Errorf("%s mends %s, which the mend does not", f.Rule.ID, change.ArtifactLocation.URI)
			continue
		}
		file := f.Mend.Edits[i].File
		text := string(file.Data)
		slices.Reverse(change.Replacements)
		for _, r := range change.Replacements {
			start, end := r.DeletedRegion.cut(t, string(file.Data))
			text = text[:start] + r.InsertedContent.Text + text[end:]
		}
		if want := string(file.Preview(*f.Mend)); text != want {
			t.Errorf("%s: the fix makes\n%s\nwant\n%s", f.Rule.ID, text, want)
		}
	}
	return 1
}
