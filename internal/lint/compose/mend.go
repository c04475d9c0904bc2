package compose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A place is a node of a file that some services share.
type place struct {
	value *composefile.Value
	found []*composefile.Service // that break the rule there
	all   bool                   // no other service shares it
}

// places gathers what services break a rule at into nodes. A value that services
// have in common, by an anchor or by extends, is one place.
type places struct {
	order []*place
	found map[*yamltext.Node]*place
	users map[*yamltext.Node][]*composefile.Service
}

// gather begins with who has what: of are the values that a rule is about.
func gather(v *view, of values) *places {
	ps := &places{found: map[*yamltext.Node]*place{}, users: map[*yamltext.Node][]*composefile.Service{}}
	for _, s := range v.services() {
		if pattern(s) {
			continue
		}
		for _, value := range of(s) {
			for _, n := range texts(value) {
				ps.users[n] = append(ps.users[n], s)
			}
		}
	}
	return ps
}

// add takes a value at which a service breaks the rule.
func (ps *places) add(s *composefile.Service, v *composefile.Value) *place {
	p := ps.found[text(v)]
	if p == nil {
		p = &place{value: v}
		ps.found[text(v)] = p
		ps.order = append(ps.order, p)
	}
	if !slices.ContainsFunc(p.found, s.Same) {
		p.found = append(p.found, s)
	}
	p.all = !slices.ContainsFunc(ps.users[text(v)], func(o *composefile.Service) bool { return !slices.ContainsFunc(p.found, o.Same) })
	return p
}

// who names the services of a place.
func (p *place) who() string {
	var names []string
	for _, s := range p.found {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	switch len(names) {
	case 1:
		return "service " + names[0]
	case 2:
		return "services " + names[0] + " and " + names[1]
	}
	return fmt.Sprintf("services %s and %d more", names[0], len(names)-1)
}

// replace writes another value in the place of a scalar. A value that other
// services share is left alone.
func (p *place) replace(to string) (yamltext.Edit, error) {
	edit, err := p.value.Node.Replace(to)
	switch {
	case !p.all:
		return edit, yamltext.ErrShared
	case errors.Is(err, yamltext.ErrShared):
		return p.value.Node.ReplaceShared(to)
	}
	return edit, err
}

// remove takes an item out of a list that no other service shares.
func (p *place) remove() (yamltext.Edit, error) {
	if !p.all {
		return yamltext.Edit{}, yamltext.ErrShared
	}
	return p.value.Node.Remove()
}

// enoughParsed is how many bytes are parsed again to try mends one by one. lint
// does so once more for all of them together, and refuses what breaks a file.
const enoughParsed = 8 << 20

// mend makes a mend of an edit of the file in which a value stands, if it does
// what it should and nothing else.
func mend(p *lint.Pass, v *composefile.Value, title string, edit yamltext.Edit, err error) *lint.Mend {
	if err != nil || !sound(look(p), v.File.YAML, edit) {
		return nil
	}
	f := file(p, v.File.Path)
	return &lint.Mend{Title: title, Edits: []lint.Edit{{File: f, Start: edit.Start, End: edit.End, New: edit.New}}}
}

func sound(v *view, f *yamltext.File, edit yamltext.Edit) bool {
	if v.parsed > enoughParsed {
		return true
	}
	v.parsed += len(f.Data)
	after, err := yamltext.Apply(f.Data, edit)
	return err == nil && f.Verify(after, edit) == nil
}

// file is the project's file with a path. It was read before, so it is there.
func file(p *lint.Pass, path string) *lint.File {
	f, err := p.File(path, lint.Compose)
	if err != nil {
		return &lint.File{Path: path, Kind: lint.Compose}
	}
	return f
}

// shown is a path of the project as a person names it who is in some folder of it.
func shown(p *lint.Pass, path string) string { return p.Name(&lint.File{Path: path}) }

// at begins a finding at a value.
func at(p *lint.Pass, v *composefile.Value) lint.Finding {
	return lint.Finding{File: file(p, v.File.Path), Line: v.Line()}
}

// reports passes findings on, each once: a service may stand in several projects.
type reports struct {
	pass *lint.Pass
	seen map[string]bool
}

func reporting(p *lint.Pass) *reports { return &reports{pass: p, seen: map[string]bool{}} }

func (r *reports) report(f lint.Finding) {
	key := fmt.Sprintf("%s:%d %s", f.File.Path, f.Line, f.Message)
	if !r.seen[key] {
		r.seen[key] = true
		r.pass.Report(f)
	}
}

// advice is a cure that a person takes.
func advice(id, title, text string) []remedy.Remedy {
	return []remedy.Remedy{{ID: id, Title: title, Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Manual, Text: text}}}}
}

// paste is a cure that is a line to paste.
func paste(id, title, text, line string) []remedy.Remedy {
	return []remedy.Remedy{{ID: id, Title: title, Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Command, Text: text, Command: line}}}}
}

// join writes a list as people do.
func join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
