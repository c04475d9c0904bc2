package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// A Lint is what was found in project files.
type Lint struct {
	Version   string // of rocsmith
	Target    string // as somebody named it
	Machine   *machine.Machine
	Elsewhere bool   // the machine is not this one
	For       string // the snapshot of that machine, as somebody named it
	Strict    bool
	Engine    grant.Engine
	Rules     []lint.Rule
	Result    lint.Result
	Took      time.Duration
}

// Verdict is the verdict on the project. Where there is no project file, nothing
// is wrong with any; of templates alone nothing is known.
func (l Lint) Verdict() check.Verdict {
	switch v := check.Worst(l.Result.Checks()); {
	case v != check.Skipped:
		return v
	case slices.ContainsFunc(l.Result.Found, func(f lint.Found) bool { return f.By == nil && counted(f) }):
		return check.Unknown
	}
	return check.OK
}

// Unjudged tells that something could not be read, so that what was found is not
// all that is wrong.
func (l Lint) Unjudged() bool {
	unread := func(f lint.Found) bool { return f.By == nil && f.Verdict == check.Unknown }
	return l.Verdict() == check.Unknown || slices.ContainsFunc(l.Result.Found, unread)
}

// LintText writes the report for a person, by file and line.
func LintText(w io.Writer, l Lint, style Style) error {
	t := &lintWriter{textWriter: textWriter{style: style, told: map[string]bool{}}, fix: l.command("--fix")}
	t.line("", style.plain(l.headline()))
	for _, f := range l.Result.Found {
		if f.By == nil && !counted(f) {
			t.blank()
			t.found(l, f)
		}
	}
	t.blank()
	t.closing(l)
	if _, err := io.WriteString(w, t.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// counted findings are not shown one by one: a chart has many templates.
func counted(f lint.Found) bool { return f.Verdict == check.Skipped && f.Rule.ID == lint.ReadableID }

// headline says what was looked at, and for which machine.
func (l Lint) headline() string {
	parts := []string{l.Target + ": " + l.files()}
	where := "this machine"
	if l.Elsewhere {
		where = "another machine"
	}
	var gids []string
	needs := grant.For(l.Machine)
	for _, g := range needs.Groups {
		gids = append(gids, fmt.Sprintf("gid %d", g.GID))
	}
	switch {
	case !needs.Complete():
		parts = append(parts, fmt.Sprintf("for %s, of which no GPU is known, or not its group", where))
	case needs.Open():
		parts = append(parts, fmt.Sprintf("for %s, whose GPU is open to all", where))
	case len(gids) == 0:
		parts = append(parts, fmt.Sprintf("for %s, whose GPU is closed to every group", where))
	default:
		parts = append(parts, fmt.Sprintf("for %s, whose GPU needs %s", where, strings.Join(gids, " and ")))
	}
	if l.Engine.Kind != "" {
		parts = append(parts, l.engine())
	}
	return strings.Join(parts, " · ")
}

func (l Lint) engine() string {
	words := []string{string(l.Engine.Kind), l.Engine.Version}
	if l.Engine.Rootless {
		words = append([]string{"rootless"}, words...)
	}
	if l.Engine.Remapped {
		words = append(words, "with userns-remap")
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// files counts what was read, by kind.
func (l Lint) files() string {
	files := l.Result.Project.Files
	switch {
	case len(files) == 0 && len(l.Result.Project.Problems) > 0:
		return "no project file could be read"
	case len(files) == 0:
		return "no project file that lint knows"
	}
	var kinds []string
	for _, f := range files {
		if !slices.Contains(kinds, string(f.Kind)) {
			kinds = append(kinds, string(f.Kind))
		}
	}
	slices.Sort(kinds)
	return fmt.Sprintf("%s (%s)", plural(len(files), "file"), strings.Join(kinds, ", "))
}

// command is the line that does something else with the same files, judged for the
// same machine.
func (l Lint) command(flags ...string) string {
	words := append([]string{"rocsmith", "lint"}, flags...)
	if l.For != "" {
		words = append(words, "--for", quotePOSIX(l.For))
	}
	if l.Strict {
		words = append(words, "--strict")
	}
	return strings.Join(append(words, quotePOSIX(l.Target)), " ")
}

type lintWriter struct {
	textWriter
	fix string // the command that mends
}

// found writes one finding: what is wrong, where, the line or what becomes of it,
// and why, once.
func (t *lintWriter) found(l Lint, f lint.Found) {
	c := f.Check()
	t.heading(t.style.mark(c.Verdict)+" ", t.style.plain(c.Headline()), c.Check)
	t.out.WriteString("  " + t.style.faint(t.style.plain(f.Place())) + "\n")
	if f.Mend != nil {
		t.mend(l, f)
	} else if text := f.Shown(); text != "" {
		t.pointAt(f.Line, text)
	}
	if why := c.Explanation(); why != "" && !t.told[why] {
		t.told[why] = true
		t.line("  ", t.style.plain(why))
	}
	more := c.Evidence
	if f.Text() != "" {
		more = more[1:]
	}
	if len(more) > 0 {
		t.blank()
		t.evidence(more)
	}
	for i, r := range c.Remedies {
		if i == 0 {
			t.blank()
		}
		if f.Mend != nil && i == 0 {
			t.line("  cure   ", t.style.plain(r.Title+", as shown: "+t.fix))
			continue
		}
		t.remedy(i, r)
	}
}

// pointAt shows a line with a sign below it.
func (t *lintWriter) pointAt(n int, text string) {
	shown := t.style.plain(untabbed(text))
	bare := strings.TrimSpace(shown)
	indent := len(shown) - len(strings.TrimLeft(shown, " "))
	gutter := fmt.Sprintf("  %5d  ", n)
	t.out.WriteString(gutter + shown + "\n")
	t.out.WriteString(strings.Repeat(" ", len(gutter)+indent) + t.style.paint(check.Fail, strings.Repeat("^", lipgloss.Width(bare))) + "\n")
}

// mend shows what becomes of the file, as a difference with the numbers of its
// lines.
func (t *lintWriter) mend(l Lint, f lint.Found) {
	var files []*lint.File
	for _, e := range f.Mend.Edits {
		if !slices.Contains(files, e.File) {
			files = append(files, e.File)
		}
	}
	for _, file := range files {
		if file != f.File {
			t.out.WriteString("  " + t.style.faint(t.style.plain(l.Result.Project.Name(file))) + "\n")
		}
		t.numbered(fix.Diff(file.Path, string(file.Data), string(file.Preview(*f.Mend))))
	}
	if text := f.Shown(); len(files) == 0 && text != "" {
		t.pointAt(f.Line, text)
	}
	for _, folder := range f.Folders() {
		t.out.WriteString(t.style.paint(check.OK, fmt.Sprintf("  %5s + %s", "", t.style.plain(folder)+"/")) + "\n")
	}
}

// numbered writes a difference with line numbers of the old text.
func (t *textWriter) numbered(diff string) {
	n := 0
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "@@ ") {
			head := strings.TrimSuffix(line, " @@")
			n, _ = strconv.Atoi(head[strings.LastIndex(head, ":")+1:]) // written by Diff
			continue
		}
		t.out.WriteString(t.numberedLine(line, &n))
	}
}

func (t *textWriter) numberedLine(line string, n *int) string {
	text := t.style.plain(untabbed(line[1:]))
	switch line[0] {
	case '-':
		*n++
		return t.style.paint(check.Fail, fmt.Sprintf("  %5d - %s", *n-1, text)) + "\n"
	case '+':
		return t.style.paint(check.OK, fmt.Sprintf("  %5s + %s", "", text)) + "\n"
	}
	*n++
	return fmt.Sprintf("  %5d   %s\n", *n-1, text)
}

func (t *lintWriter) closing(l Lint) {
	c := l.count()
	if c.mends > 0 {
		t.line("", fmt.Sprintf("First: %s mends %d of them, after it showed how.", t.style.plain(t.fix), c.mends))
	}
	t.templates(l)
	count := c.String()
	took := fmt.Sprintf("%d ms", l.Took.Milliseconds())
	if gap := t.style.columns() - len(count) - len(took); gap >= 2 {
		t.out.WriteString(count + strings.Repeat(" ", gap) + t.style.faint(took) + "\n")
		return
	}
	t.line("", count)
}

// templates names the files that nobody was asked about, so that nothing is
// concluded of them.
func (t *lintWriter) templates(l Lint) {
	const most = 3
	var names []string
	for _, f := range l.Result.Found {
		if f.By == nil && counted(f) {
			names = append(names, f.Place())
		}
	}
	if len(names) == 0 {
		return
	}
	which := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		which += fmt.Sprintf(" and %d more", len(names)-most)
	}
	t.line("", t.style.plain(fmt.Sprintf("Not asked, and nothing may be concluded: %s. Helm fills templates in; judge what helm template makes of them.", which)))
}

// A lintCount counts findings as people read them.
type lintCount struct{ failures, warnings, notJudged, templates, suppressed, mends, rules int }

func (l Lint) count() lintCount {
	c := lintCount{rules: l.Result.Asked}
	for _, f := range l.Result.Found {
		switch {
		case f.By != nil:
			c.suppressed++
			continue
		case f.Verdict == check.Fail:
			c.failures++
		case f.Verdict == check.Warn:
			c.warnings++
		case f.Verdict == check.Unknown:
			c.notJudged++
		case counted(f):
			c.templates++
		}
		if f.Mend != nil {
			c.mends++
		}
	}
	return c
}

func (c lintCount) String() string {
	parts := []string{plural(c.failures, "failure"), plural(c.warnings, "warning")}
	if c.notJudged > 0 {
		parts = append(parts, fmt.Sprintf("%d not judged", c.notJudged))
	}
	if c.templates > 0 {
		parts = append(parts, plural(c.templates, "template")+" not asked")
	}
	if c.suppressed > 0 {
		parts = append(parts, fmt.Sprintf("%d suppressed", c.suppressed))
	}
	return strings.Join(append(parts, plural(c.rules, "rule")+" asked"), ", ")
}
