package report

import (
	"fmt"
	"io"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A LintPlan is what lint would write.
type LintPlan struct {
	Lint   Lint   // the project as it is
	Top    string // of the project, in full
	Mended lint.Mended
	Plan   fix.Plan
}

// touched counts what is written.
func (p LintPlan) touched() string {
	folders := 0
	for _, s := range p.Plan.Steps {
		if s.Act.Kind == state.MakeDir {
			folders++
		}
	}
	switch files := len(p.Plan.Steps) - folders; {
	case folders == 0:
		return plural(files, "file")
	case files == 0:
		return plural(folders, "new folder")
	default:
		return plural(files, "file") + " and " + plural(folders, "new folder")
	}
}

// LintPlanText writes what would be changed, for a person to say yes or no to.
func LintPlanText(w io.Writer, p LintPlan, style Style) error {
	t := &textWriter{style: style, told: map[string]bool{}}
	if len(p.Plan.Steps) > 0 {
		t.line("", fmt.Sprintf("Plan (%s in %s; nothing else is touched)", plural(len(p.Plan.Cures), "mend"), p.touched()))
		t.blank()
	}
	for _, c := range p.Plan.Cures {
		t.line("  "+style.mark(c.Finding.Verdict)+" ", style.plain(c.Finding.Subject+": "+c.Finding.Headline()))
		t.line("    ", style.plain(fmt.Sprintf("%s (%s)", c.Remedy.Title, c.Finding.Check)))
	}
	for i, s := range p.Plan.Steps {
		t.blank()
		t.line(fmt.Sprintf("%3d  ", i+1), style.plain(s.Title))
		t.numbered(s.Detail)
	}
	if len(p.Plan.Steps) > 0 {
		t.blank()
		t.line("", "To take it back: rocsmith undo --last")
		t.blank()
	}
	for _, l := range p.Plan.Left {
		t.line(style.mark(l.Finding.Verdict)+" ", style.plain(l.Finding.Subject+": "+l.Finding.Headline()))
		t.line("  ", style.plain("not mended: "+l.Why))
	}
	if len(p.Plan.Left) > 0 {
		t.line("", style.plain(p.Lint.command()+" shows these with what can be done."))
		t.blank()
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}
