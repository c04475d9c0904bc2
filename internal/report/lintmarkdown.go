package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/lint"
)

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
