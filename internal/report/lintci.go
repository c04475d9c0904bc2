package report

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// LintSARIF writes the findings as results of a static analysis (SARIF 2.1.0), with
// the mends as fixes and what the owner suppressed as such.
func LintSARIF(w io.Writer, l Lint) error {
	rules := []map[string]any{}
	for _, r := range l.Rules {
		rules = append(rules, map[string]any{
			"id":               r.ID,
			"shortDescription": map[string]string{"text": r.Title + "."},
			"help":             map[string]string{"text": r.Why, "markdown": r.Why},
		})
	}
	results := []map[string]any{}
	for _, f := range l.Result.Found {
		results = append(results, lintResult(l, f))
	}
	return asJSON(w, map[string]any{
		"version": "2.1.0",
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"runs": []any{map[string]any{
			"columnKind": "utf16CodeUnits",
			"tool": map[string]any{"driver": map[string]any{
				"name": "rocsmith", "version": l.Version, "informationUri": "https://github.com/rocsmith/rocsmith", "rules": rules,
			}},
			"results": results,
		}},
	})
}

func lintResult(l Lint, f lint.Found) map[string]any {
	levels := map[check.Verdict]string{check.Fail: "error", check.Warn: "warning", check.Unknown: "warning"}
	level, known := levels[f.Verdict]
	if !known {
		level = "note"
	}
	place := map[string]any{"artifactLocation": map[string]string{"uri": uri(l, f.File)}}
	if f.Line > 0 {
		place["region"] = map[string]int{"startLine": f.Line}
	}
	out := map[string]any{
		"ruleId": f.Rule.ID, "level": level, "message": map[string]string{"text": f.Message},
		"locations": []any{map[string]any{"physicalLocation": place}},
	}
	if f.By != nil {
		kind := "inSource"
		if f.By.File != f.File {
			kind = "external"
		}
		out["suppressions"] = []any{map[string]string{"kind": kind, "justification": f.By.Reason}}
	}
	if f.Mend != nil && len(f.Mend.Edits) > 0 { // SARIF knows no folders
		out["fixes"] = []any{sarifFix(l, *f.Mend)}
	}
	return out
}

// sarifFix is a mend as replacements, file by file.
func sarifFix(l Lint, m lint.Mend) map[string]any {
	changes := []map[string]any{}
	for _, e := range m.Edits {
		replacement := map[string]any{
			"deletedRegion":   region(string(e.File.Data), e.Start, e.End),
			"insertedContent": map[string]string{"text": e.New},
		}
		changes = append(changes, map[string]any{
			"artifactLocation": map[string]string{"uri": uri(l, e.File)},
			"replacements":     []any{replacement},
		})
	}
	return map[string]any{"description": map[string]string{"text": m.Title + "."}, "artifactChanges": changes}
}

func uri(l Lint, f *lint.File) string {
	return (&url.URL{Path: filepath.ToSlash(l.Result.Project.Name(f))}).String()
}

// region names bytes by lines and by columns of UTF-16, which SARIF counts in.
func region(text string, start, end int) map[string]int {
	line, column := position(text, start)
	endLine, endColumn := position(text, end)
	return map[string]int{"startLine": line, "startColumn": column, "endLine": endLine, "endColumn": endColumn}
}

func position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	last := strings.LastIndex(before, "\n") + 1
	return strings.Count(before, "\n") + 1, len(utf16.Encode([]rune(before[last:]))) + 1
}

// LintMarkdown writes the report to be pasted into a pull request.
func LintMarkdown(w io.Writer, l Lint) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### rocsmith lint: %s\n\n%s\n\n", l.Verdict(), cell(l.headline()))
	for _, f := range l.Result.Found {
		if f.By != nil || counted(f) {
			continue
		}
		c := f.Check()
		fmt.Fprintf(&b, "%s: ", escape(c.Subject))
		if f.Mend != nil {
			c.Remedies = c.Remedies[1:]
		}
		findingMarkdown(&b, c)
		mendMarkdown(&b, l, f)
	}
	fmt.Fprintf(&b, "%s\n\n<sub>rocsmith %s</sub>\n", l.count(), cell(l.Version))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}

func mendMarkdown(b *strings.Builder, l Lint, f lint.Found) {
	if f.Mend == nil {
		return
	}
	fmt.Fprintf(b, "Cure: %s (`%s`)\n\n```diff\n", escape(f.Mend.Title), harmless(strings.ReplaceAll(l.command("--fix"), "`", "'")))
	seen := map[*lint.File]bool{}
	for _, e := range f.Mend.Edits {
		if seen[e.File] {
			continue
		}
		seen[e.File] = true
		for line := range strings.Lines(fix.Diff(l.Result.Project.Name(e.File), string(e.File.Data), string(e.File.Preview(*f.Mend)))) {
			b.WriteString(strings.ReplaceAll(harmless(untabbed(strings.TrimRight(line, "\r\n"))), "```", "'''") + "\n")
		}
	}
	for _, folder := range f.Folders() {
		b.WriteString(strings.ReplaceAll(harmless("+ "+folder+"/"), "```", "'''") + "\n")
	}
	b.WriteString("```\n\n")
}
