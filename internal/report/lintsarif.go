package report

import (
	"cmp"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// LintSARIF writes the findings as results of a static analysis (SARIF 2.1.0), with
// the mends as fixes and what the owner suppressed as such.
func LintSARIF(w io.Writer, l Lint) error {
	run := sarifRun{
		Tool:  sarifTool{sarifDriver{Name: "rocsmith", Version: l.Version, About: homepage, Rules: []sarifRule{}}},
		Calls: []sarifCall{{Successful: !l.Unjudged()}},
		// Where that is on this machine is nobody's business whom the report is sent to.
		Bases:      map[string]sarifArtifact{sourceRoot: {Description: &sarifText{Text: "The top of the repository, or the folder that was judged."}}},
		ColumnKind: "utf16CodeUnits",
		Results:    []sarifResult{},
	}
	for _, r := range l.Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.ID, Short: sarifText{Text: r.Title + "."}, Full: sarifText{Text: r.Title + ". " + r.Why}, Help: sarifText{Text: r.Why, Markdown: r.Why},
			HelpURI: homepage + "/blob/main/docs/rules.md#" + strings.ReplaceAll(r.ID, "/", ""),
		})
	}
	prints := map[*lint.File][]string{}
	for _, f := range l.Result.Found {
		if _, known := prints[f.File]; !known {
			prints[f.File] = lineHashes(string(f.File.Data))
		}
		run.Results = append(run.Results, lintResult(l.Rules, f, prints[f.File]))
	}
	return asJSON(w, sarifLog{sarifVersion, sarifSchema, []sarifRun{run}})
}

func lintResult(rules []lint.Rule, f lint.Found, hashes []string) sarifResult {
	levels := map[check.Verdict]string{check.Fail: "error", check.Warn: "warning", check.Unknown: "warning"}
	level, known := levels[f.Verdict]
	if !known {
		level = "note"
	}
	out := sarifResult{
		Rule: f.Rule.ID, RuleIndex: slices.IndexFunc(rules, func(r lint.Rule) bool { return r.ID == f.Rule.ID }),
		Level: level, Message: sarifText{Text: f.Message},
		Locations: []sarifLocation{{sarifPlace{inRepository(f.File), lineRegion(f)}}},
	}
	if n := max(f.Line, 1); n <= len(hashes) {
		out.Fingerprints = map[string]string{"primaryLocationLineHash": hashes[n-1]}
	}
	if f.By != nil {
		kind := "inSource"
		if f.By.File != f.File {
			kind = "external"
		}
		out.Suppressions = []sarifSuppression{{kind, "accepted", f.By.Reason}}
	}
	if f.Mend != nil && len(f.Mend.Edits) > 0 { // SARIF knows no folders
		out.Fixes = []sarifFix{mendFix(*f.Mend)}
	}
	return out
}

// lineRegion is the text of the line that a finding is about, or of the first one
// where it is about the whole file: GitHub shows nothing without a line.
func lineRegion(f lint.Found) *sarifRegion {
	line := max(f.Line, 1)
	text := f.Text()
	if f.Line == 0 {
		text = ""
	}
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	return &sarifRegion{StartLine: line, StartColumn: units(text[:indent]) + 1, EndLine: line, EndColumn: units(text) + 1}
}

// mendFix is a mend as replacements, file by file.
func mendFix(m lint.Mend) sarifFix {
	fix := sarifFix{Description: sarifText{Text: m.Title + "."}}
	at := map[*lint.File]int{}
	inOrder := slices.SortedStableFunc(slices.Values(m.Edits), func(a, b lint.Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) // an insertion before what is taken away behind it
	})
	for _, e := range inOrder {
		i, known := at[e.File]
		if !known {
			i = len(fix.Changes)
			at[e.File] = i
			fix.Changes = append(fix.Changes, sarifChange{Artifact: inRepository(e.File)})
		}
		fix.Changes[i].Replacements = append(fix.Changes[i].Replacements, sarifReplacement{region(string(e.File.Data), e.Start, e.End), sarifText{Text: e.New}})
	}
	return fix
}

// inRepository names a file from the top of the repository, wherever rocsmith was
// started: GitHub matches it with the files of a commit.
func inRepository(f *lint.File) sarifArtifact {
	return sarifArtifact{URI: (&url.URL{Path: f.Path}).String(), Base: sourceRoot}
}

// region names bytes by lines and by columns of UTF-16, which SARIF counts in.
func region(text string, start, end int) sarifRegion {
	line, column := position(text, start)
	endLine, endColumn := position(text, end)
	return sarifRegion{line, column, endLine, endColumn}
}

func position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	last := strings.LastIndex(before, "\n") + 1
	return strings.Count(before, "\n") + 1, units(before[last:]) + 1
}

// units is the length of text in UTF-16.
func units(text string) int { return len(utf16.Encode([]rune(text))) }
