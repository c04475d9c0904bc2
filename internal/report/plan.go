package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/state"
)

// Plan writes what would be done, for a person to say yes or no to.
func Plan(w io.Writer, p fix.Plan, style Style) error {
	t := &textWriter{style: style, told: map[string]bool{}}
	if len(p.Steps) > 0 {
		t.planned(p)
	}
	for _, l := range p.Left {
		t.line(t.style.mark(l.Finding.Verdict)+" ", style.plain(l.Finding.Headline()))
		t.line("  ", style.plain("not done by rocsmith: "+l.Why))
	}
	if len(p.Left) > 0 {
		t.line("", "rocsmith doctor shows these with their cures.")
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

func (t *textWriter) planned(p fix.Plan) {
	t.line("", t.style.plain(heading(p)))
	t.blank()
	for _, c := range p.Cures {
		t.line("  "+t.style.mark(c.Finding.Verdict)+" ", t.style.plain(c.Finding.Headline()))
		t.line("    ", t.style.plain(fmt.Sprintf("%s (%s, %s; from %s)", c.Remedy.Title, c.Remedy.ID, c.Remedy.Risk, c.From)))
		if c.Finding.Check == "" {
			for _, e := range c.Finding.Evidence {
				t.line("    ", t.style.plain(e.Text))
			}
		}
	}
	t.blank()
	for i := 0; i < len(p.Steps); i++ {
		if n := copies(p.Steps[i:]); n > mostListed {
			t.line(fmt.Sprintf("%3d  ", i+1), t.style.plain(copied(p.Steps[i:i+n])))
			i += n - 1
			continue
		}
		s := p.Steps[i]
		title := s.Title
		if s.Root {
			title += " (as root)"
		}
		t.line(fmt.Sprintf("%3d  ", i+1), t.style.plain(title))
		if s.Why != "" {
			t.line("       ", t.style.plain(s.Why))
		}
		for line := range strings.Lines(s.Detail) {
			t.out.WriteString("       " + t.style.plain(untabbed(line)) + "\n")
		}
	}
	t.list("Afterwards, by you:", p.Then)
	t.list("To take it back: rocsmith undo --last, or by hand:", p.ByHand())
	t.list("If the machine does not start any more:", p.Rescue())
	t.blank()
}

// mostListed is how many files of one folder are named one by one; --format json
// names all.
const mostListed = 8

// copies counts the steps at the beginning that bring files into one folder.
func copies(steps []fix.Step) int {
	brings := func(s fix.Step) bool {
		return (s.Act.Kind == state.Copy || s.Act.Kind == state.Move) && path.Dir(s.Act.Path) == path.Dir(steps[0].Act.Path)
	}
	n := 0
	one := false
	for n < len(steps) && brings(steps[n]) {
		one = one || steps[n].Act.Kind == state.Copy
		n++
	}
	if !one {
		return 0
	}
	return n
}

// copied says many copies in a sentence.
func copied(steps []fix.Step) string {
	var files, moved int
	var bytes int64
	for _, s := range steps {
		if s.Act.Kind == state.Move {
			moved++
			continue
		}
		files, bytes = files+1, bytes+s.Act.Size
	}
	text := fmt.Sprintf("copy %s (%s) into %s", plural(files, "file"), thousands(bytes, "byte"), path.Dir(steps[0].Act.Path))
	if moved > 0 {
		text += fmt.Sprintf(", and move %s aside that are there (to names that end in .aside)", plural(moved, "file"))
	}
	if steps[0].Root {
		text += " (as root)"
	}
	return text
}

func heading(p fix.Plan) string {
	parts := []string{plural(len(p.Steps), "step")}
	if n := len(p.Root()); n == 1 {
		parts = append(parts, "1 needs root")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d need root", n))
	}
	login, reboot := "no new login", "no restart"
	waits := p.Waits()
	if slices.Contains(waits, fix.NewLogin) {
		login = fix.NewLogin
	}
	if slices.Contains(waits, fix.Restart) {
		reboot = fix.Restart
	}
	return fmt.Sprintf("Plan (%s)", strings.Join(append(parts, login, reboot), ", "))
}

func (t *textWriter) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.blank()
	t.line("", t.style.plain(title))
	for _, l := range lines {
		t.line("  "+t.style.plain("· "), t.style.plain(l))
	}
}

// Applied writes what became of a plan.
func Applied(w io.Writer, e state.Entry, p fix.Plan, style Style) error {
	t := &textWriter{style: style}
	for i, proof := range e.Proofs {
		verdict, text := proved(proof)
		if i < len(e.Cures) {
			text = fmt.Sprintf("%s. %s", e.Cures[i].Title, text)
		}
		t.line("  "+t.style.mark(verdict)+" ", style.plain(text))
	}
	for _, trial := range e.Trials {
		t.trial(trial)
	}
	t.list("Afterwards, by you:", p.Then)
	t.blank()
	t.line("", "Done. To take it back: rocsmith undo "+e.ID)
	_, err := io.WriteString(w, t.out.String())
	return err
}

// proved says what a check said afterwards. What has to wait is no failure.
func proved(p state.Proof) (check.Verdict, string) {
	verdict := check.Verdict(p.After)
	text := fmt.Sprintf("%s: was %s, now %s", p.Check, p.Before, p.After)
	switch {
	case p.Check == "":
		text = "No check can prove it"
	case p.Waits != "" && p.After == p.Before:
		text = fmt.Sprintf("%s: was %s, and still is", p.Check, p.Before)
	}
	if p.Waits == "" && p.Says != "" {
		text += ": " + p.Says
	}
	if p.Waits == "" {
		return verdict, text
	}
	if verdict.Worse(check.OK) {
		verdict = check.Skipped
	}
	return verdict, text + "; it waits for " + p.Waits
}

// trial says what work on the GPU showed, or why it could not be done.
func (t *textWriter) trial(trial state.Trial) {
	verdict, text := check.OK, trial.Task+" in a fresh process: "+trial.Verdict
	switch {
	case trial.Verdict == "pass" && trial.After > trial.Before:
		text += fmt.Sprintf("; %s grew from %s to %s", trial.File, thousands(trial.Before, "byte"), thousands(trial.After, "byte"))
	case trial.Verdict == "pass":
		text += "; its caches did not grow: nothing had to be compiled"
	case trial.Failed():
		verdict, text = check.Fail, text+": "+trial.Why
	default:
		verdict, text = check.Skipped, trial.Task+" was not tried on the GPU: "+trial.Why
	}
	t.line("  "+t.style.mark(verdict)+" ", t.style.plain(text))
}

// Conflicts writes what undo left alone, with what it was, what rocsmith made of
// it, and what it is now.
func Conflicts(w io.Writer, e state.Entry, conflicts []state.Conflict, style Style) error {
	t := &textWriter{style: style}
	for _, c := range conflicts {
		t.line("! ", style.plain(c.Path+": "+c.Why+". It was left as it is."))
		i := slices.IndexFunc(e.Steps, func(s state.Step) bool { return s.Path == c.Path && s.Kind == state.Write })
		if i < 0 || len(c.Now.Data) == 0 {
			continue
		}
		ours := string(e.Steps[i].New)
		t.difference("what rocsmith changed", c.Path, string(c.Before.Data), ours)
		if ours != string(c.Now.Data) {
			t.difference("what was changed since", c.Path, ours, string(c.Now.Data))
		}
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

func (t *textWriter) difference(title, name, before, after string) {
	t.line("  ", title)
	for line := range strings.Lines(fix.Diff(name, before, after)) {
		t.out.WriteString("    " + t.style.plain(untabbed(line)) + "\n")
	}
}

// untabbed is a line of a file as it can be shown: tabs would be written out.
func untabbed(line string) string {
	return strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")
}
