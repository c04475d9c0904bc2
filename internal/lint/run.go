package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// The rules that the engine speaks through itself.
const (
	ReadableID    = "project/readable"
	SuppressionID = "project/suppression"
)

// A Found is a finding, with the rule that it breaks and what its owner said of it.
type Found struct {
	Rule Rule
	Finding
	// By suppresses it; Ended did, until its day was over.
	By, Ended *Suppression

	shown func(string) string
}

// A Result is what the rules found in a project, by file and line.
type Result struct {
	Project *Project
	Found   []Found
	Asked   int // rules
}

// Run asks rules about a project.
func Run(p *Project, s Setting, rules []Rule) Result {
	out := Result{Project: p}
	for _, by := range p.Ignored {
		by.used = false
	}
	for _, r := range rules {
		if r.Strict && !s.Strict {
			continue
		}
		out.Asked++
		for _, f := range ask(r, p, s) {
			out.Found = append(out.Found, Found{Rule: r, Finding: f, shown: p.shown})
		}
	}
	out.suppress(s)
	out.Found = append(out.Found, idle(p, rules)...)
	slices.SortStableFunc(out.Found, func(a, b Found) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Line, b.Line))
	})
	return out
}

func (p *Project) shown(name string) string {
	if p.Shown == nil {
		return name
	}
	return p.Shown(name)
}

// Name is how a person would name a file of the project.
func (p *Project) Name(f *File) string { return p.shown(f.Path) }

// maxFound bounds the findings of one rule. Each of them looks at its file again,
// and nobody reads so many.
const maxFound = 1000

// enough is thrown by Report to leave a rule that found too much.
type enough struct{}

// ask keeps one broken rule from silencing all others.
func ask(r Rule, p *Project, s Setting) (found []Finding) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case enough:
			last := found[len(found)-1]
			found = append(found, Finding{
				File: last.File, Line: last.Line, Verdict: check.Unknown,
				Message: fmt.Sprintf("Not judged: what else there may be. There are more than %d findings of %s, and no more were looked for.", maxFound, r.ID),
			})
		default:
			found = append(found, Finding{
				File: &File{Path: "."}, Verdict: check.Unknown,
				Message: fmt.Sprintf("Not judged: the rule %s itself is broken. Please report it: %v.", r.ID, why),
			})
		}
	}()
	r.Run(&Pass{Project: p, Setting: s, report: func(f Finding) {
		if len(found) >= maxFound {
			panic(enough{})
		}
		found = append(found, f)
	}})
	return found
}

// suppress looks up what the owner of the files said of each finding. What lint
// says of suppressions cannot be suppressed.
func (r *Result) suppress(s Setting) {
	for i := range r.Found {
		f := &r.Found[i]
		if f.Rule.ID == SuppressionID {
			continue
		}
		for _, by := range r.Project.Ignored {
			if !by.about(f.Rule.ID, f.File, f.Line) {
				continue
			}
			by.used = true
			if by.Expired(s.Now) {
				f.Ended = by
			} else {
				f.By = by
			}
		}
	}
}

// idle tells of suppressions that hide nothing. That is no fault of itself: a rule
// may find something on another machine only.
func idle(p *Project, rules []Rule) []Found {
	var out []Found
	for _, s := range p.Ignored {
		if s.used || s.Wrong != "" {
			continue
		}
		f := Finding{
			File: s.File, Line: s.Line, Verdict: check.Skipped,
			Message: fmt.Sprintf("This suppression of %s hides nothing here. Take it out, unless it is for another machine.", s.Rule),
		}
		if s.misnamed(rules) {
			f.Verdict = check.Warn
			f.Message = fmt.Sprintf("There is no rule %s, so this suppression hides nothing. docs/rules.md names them.", s.Rule)
		}
		out = append(out, Found{Rule: Rule{ID: SuppressionID}, Finding: f, shown: p.shown})
	}
	return out
}

// misnamed reports a name that no rule of its area has.
func (s *Suppression) misnamed(rules []Rule) bool {
	area, _, _ := strings.Cut(s.Rule, "/")
	siblings := false
	for _, r := range rules {
		if same, err := path.Match(s.Rule, r.ID); err == nil && same {
			return false
		}
		siblings = siblings || r.Area() == area
	}
	return siblings
}

// Place is where a finding is, as a person would name it.
func (f Found) Place() string {
	if f.Line == 0 {
		return f.shown(f.File.Path)
	}
	return fmt.Sprintf("%s:%d", f.shown(f.File.Path), f.Line)
}

// Text is the line that a finding is about, without its end.
func (f Found) Text() string { return f.File.line(f.Line) }

// Shown is that line as far as a person reads it.
func (f Found) Shown() string { return shortened(f.Text()) }

func (f *File) line(n int) string {
	i := 0
	for line := range bytes.Lines(f.Data) {
		if i++; i == n {
			return string(bytes.TrimRight(line, "\r\n"))
		}
	}
	return ""
}

// Check is the finding as all of rocsmith speaks of findings.
func (f Found) Check() check.Finding {
	out := check.Finding{
		Check: f.Rule.ID, Subject: f.Place(), Verdict: f.Verdict, Cause: f.Cause, Message: f.Message,
		Remedies: f.remedies(),
	}
	if text := f.Text(); text != "" {
		out.Evidence = append(out.Evidence, machine.Evidence{From: machine.Source(f.Place()), Text: shortened(strings.TrimSpace(text))})
	}
	out.Evidence = append(out.Evidence, f.Evidence...)
	switch {
	case f.By != nil:
		out.Verdict = check.Skipped
		out.Message = fmt.Sprintf("Suppressed until %s: %s. %s", f.By.Until.Format(dayForm), strings.TrimRight(f.By.Reason, "."), f.Message)
	case f.Ended != nil:
		out.Message = strings.TrimSuffix(f.Message, ".") + fmt.Sprintf(". It was suppressed until %s: %s.", f.Ended.Until.Format(dayForm), strings.TrimRight(f.Ended.Reason, "."))
	}
	if s := cmp.Or(f.By, f.Ended); s != nil {
		from := fmt.Sprintf("%s:%d", f.shown(s.File.Path), s.Line)
		out.Evidence = append(out.Evidence, machine.Evidence{From: machine.Source(from), Text: shortened(strings.TrimSpace(s.File.line(s.Line)))})
	}
	return out
}

// shortened keeps a file in one line from being told with each of its findings.
func shortened(line string) string {
	const most = 500
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// remedies are the mend, and what is left to a person.
func (f Found) remedies() []remedy.Remedy {
	if f.Mend == nil {
		return f.Advice
	}
	m := remedy.Remedy{ID: f.Rule.ID, Title: f.Mend.Title, Risk: remedy.Safe, Proof: []string{f.Rule.ID}, Apply: true}
	for _, e := range f.Mend.Edits {
		m.Steps = append(m.Steps, remedy.Step{
			Kind: remedy.EditFile, Text: f.Mend.Title, Path: f.shown(e.File.Path), Line: lineAt(e.File.Data, e.Start),
			Old: e.old(), New: e.New,
		})
	}
	for _, folder := range f.Mend.Folders {
		m.Steps = append(m.Steps, remedy.Step{Kind: remedy.Command, Text: f.Mend.Title, Command: remedy.Paste("mkdir", "-p", f.shownFolder(folder))})
	}
	return append([]remedy.Remedy{m}, f.Advice...)
}

// shownFolder is a folder of a mend as a person would name it.
func (f Found) shownFolder(folder string) string {
	if path.IsAbs(folder) {
		return folder
	}
	return f.shown(folder)
}

// Folders are those that the mend makes, as a person would name them.
func (f Found) Folders() []string {
	var out []string
	for _, folder := range f.Mend.Folders {
		out = append(out, f.shownFolder(folder))
	}
	return out
}

func (e Edit) old() string {
	if !e.fits() {
		return ""
	}
	return string(e.File.Data[e.Start:e.End])
}

// Checks are all findings, and for each file that was read that it could be.
func (r Result) Checks() []check.Finding {
	out := []check.Finding{}
	for _, f := range r.Found {
		out = append(out, f.Check())
	}
	for _, f := range r.Project.Files {
		name := r.Project.shown(f.Path)
		out = append(out, check.Finding{
			Check: ReadableID, Subject: name, Verdict: check.OK, Message: fmt.Sprintf("%s was read as %s.", name, f.Kind),
			Evidence: []machine.Evidence{{From: machine.Source(name), Text: fmt.Sprintf("%d bytes", len(f.Data))}},
		})
	}
	return out
}

// Area is the part of a rule's id before the slash.
func (r Rule) Area() string { return check.Check{ID: r.ID}.Area() }
