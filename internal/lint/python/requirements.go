package python

import (
	"bytes"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/pydist"
)

// A list is a file of requirements or constraints that was read.
type list struct {
	requirements []requirement
	index        *option
	extra, find  []option
	listed       []string // by -r
	constrained  []string // by -c
	partly       bool     // the rest was not read
}

// maxRequirements bounds a list. What packages ask of each other is compared, each
// with each; the longest lists that people freeze have some hundreds.
const maxRequirements = 2000

// parseList reads requirements as pip does: a line each, continued by a
// backslash, with comments and options.
func parseList(f *lint.File) list {
	var l list
	line, at := 0, 0
	continued, first := "", 0 // a line that goes on, and where it began
	for text := range strings.Lines(string(f.Data)) {
		if l.partly = len(l.requirements) >= maxRequirements; l.partly {
			return l
		}
		line++
		start := at
		at += len(text)
		body := strings.TrimRight(text, "\r\n")
		joined, more := strings.CutSuffix(body, "\\")
		if continued != "" || more {
			if continued == "" {
				first = line
			}
			continued += strings.TrimSpace(joined) + " "
			if more {
				continue
			}
			l.add(f, first, continued, -1)
			continued = ""
			continue
		}
		l.add(f, line, body, start)
	}
	if continued != "" {
		l.add(f, first, continued, -1)
	}
	return l
}

// add takes a line that begins at a byte of the file, -1 where it is not edited.
func (l *list) add(f *lint.File, line int, text string, start int) {
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	body := strings.TrimSpace(text)
	if body == "" || body[0] == '#' {
		return
	}
	indent := strings.Index(text, body)
	if body[0] == '-' {
		l.option(f, line, body, start+indent, start >= 0)
		return
	}
	// Options of one requirement, such as hashes, follow it.
	wanted, _, _ := strings.Cut(body, " --")
	wanted = strings.TrimSpace(wanted)
	r, err := pydist.ParseRequirement(wanted)
	if err != nil || elsewhere(r) {
		return // a path, an address, or a template; or for another system
	}
	req := requirement{Requirement: r, file: f, line: line, text: wanted}
	if start >= 0 {
		req.start, req.end = start+indent, start+indent+len(wanted)
	}
	l.requirements = append(l.requirements, req)
}

func (l *list) option(f *lint.File, line int, body string, start int, exact bool) {
	i := strings.IndexAny(body, "= \t")
	if i < 0 {
		i = len(body)
	}
	o := option{name: body[:i], value: strings.Trim(body[i:], "= \t\"'"), file: f, line: line}
	if exact {
		o.start, o.end = start, start+i
	}
	switch o.name {
	case "-r", "--requirement":
		l.listed = append(l.listed, o.value)
	case "-c", "--constraint":
		l.constrained = append(l.constrained, o.value)
	case "-i", "--index-url":
		l.index = &o
	case "--extra-index-url":
		l.extra = append(l.extra, o)
	case "-f", "--find-links":
		l.find = append(l.find, o)
	}
}

// maxLists bounds files that name each other.
const maxLists = 20

// lists adds the files that an install names, and those that they name.
// Those that the build edited before are not read.
func (i *install) lists(p *lint.Project, edited map[string]bool) {
	seen := map[string]bool{}
	queue := i.listed
	for n := 0; n < len(queue) && n < maxLists; n++ {
		f := listNamed(p, i.file, queue[n])
		if f == nil || seen[f.Path] {
			i.partly, i.blind = i.partly || f == nil, i.blind || f == nil
			continue
		}
		seen[f.Path] = true
		if edited[path.Base(f.Path)] {
			i.unread, i.partly, i.blind = append(i.unread, f), true, true
			continue
		}
		l := parseList(f)
		i.partly, i.blind = i.partly || l.partly, i.blind || l.partly
		i.requirements = append(i.requirements, l.requirements...)
		i.extra, i.find = append(i.extra, l.extra...), append(i.find, l.find...)
		if l.index != nil {
			i.index = l.index
		}
		i.constrained = append(i.constrained, l.constrained...)
		for _, next := range l.listed {
			queue = append(queue, path.Join(path.Dir(f.Path), next))
		}
	}
	for _, name := range i.constrained {
		if f := listNamed(p, i.file, name); f != nil {
			i.constraints = append(i.constraints, parseList(f).requirements...)
		} else {
			i.partly = true
		}
	}
}

// listNamed finds a file of the project that a command names. In a build the
// folder is that of the image, so the name counts: beside the file that names it,
// or the only one of that name, unless it lies apart and is not spoken of.
func listNamed(p *lint.Project, from *lint.File, name string) *lint.File {
	if strings.ContainsAny(name, "$*") {
		return nil
	}
	var found []*lint.File
	for _, f := range p.Of(lint.Requirements) {
		switch {
		case f.Path == path.Clean(name), f.Path == path.Join(path.Dir(from.Path), name), f.Path == path.Join(path.Dir(from.Path), path.Base(name)):
			return f
		case path.Base(f.Path) == path.Base(name):
			found = append(found, f)
		}
	}
	if len(found) == 1 && (within(found[0].Path, from.Path) || bytes.Contains(from.Data, []byte(found[0].Path))) {
		return found[0]
	}
	return nil
}

// within tells that one of two files lies in the folder of the other, or below it.
func within(a, b string) bool {
	a, b = path.Dir(a), path.Dir(b)
	below := func(a, b string) bool { return b == "." || a == b || strings.HasPrefix(a, b+"/") }
	return below(a, b) || below(b, a)
}
