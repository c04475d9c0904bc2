package quadlet

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// A unit is a .container file: what it says in [Container], with the place of
// every word.
type unit struct {
	entries []entry // that hold
	all     []entry // those too that were taken back, and that take back
	section int     // where a line may be put behind the heading; 0 where there is none
	wanted  string  // by which target: WantedBy of [Install]
}

// An entry is one assignment, which may go over several lines.
type entry struct {
	file       *lint.File // the unit, or a drop-in
	key        string
	line       int
	start, end int // of its lines, with the end of the last one
	words      []word
}

// A word of a value, without its quotes.
type word struct {
	text       string
	start, end int  // in the file
	plain      bool // it is written as it is meant
}

// maxEntries bounds what is read. A unit has a few dozen lines.
const maxEntries = 10_000

// parse reads a unit as systemd and quadlet do: comments, sections, values that
// go on behind a backslash (systemd.syntax(7)). What is no assignment is passed
// over.
func parse(data []byte) unit {
	var u unit
	section, line := "", 0
	for at := 0; at < len(data) && len(u.all) < maxEntries; {
		end := lineEnd(data, at)
		text := strings.TrimSpace(string(data[at:end]))
		line++
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
		case text[0] == '[' && text[len(text)-1] == ']':
			section = text[1 : len(text)-1]
			if section == container {
				u.section = end
			}
		default:
			e := entry{line: line, start: at, end: end}
			line += e.goOn(data)
			end = e.end
			switch read := e.read(data); {
			case read && section == container:
				u.add(e)
			case read && section == "Install" && e.key == "WantedBy" && len(e.words) > 0:
				u.wanted = e.words[len(e.words)-1].text
			}
		}
		at = end
	}
	return u
}

// container is the section that podman reads.
const container = "Container"

// lineEnd is where the next line begins.
func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}

// goOn takes the lines to which a backslash leads, and counts them. Comments in
// between do not end the value.
func (e *entry) goOn(data []byte) int {
	more := 0
	for last := e.start; continued(data[last:e.end]) && e.end < len(data); {
		last = e.end
		e.end = lineEnd(data, e.end)
		more++
		for e.end < len(data) && isComment(data[last:e.end]) {
			last = e.end
			e.end = lineEnd(data, e.end)
			more++
		}
	}
	return more
}

// open tells that the value would go on in the next line, if the file had one.
func (e *entry) open() bool {
	var last []byte
	for line := range bytes.Lines(e.file.Data[e.start:e.end]) {
		if !isComment(line) {
			last = line
		}
	}
	return e.end == len(e.file.Data) && continued(last)
}

func continued(line []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte(`\`))
}

func isComment(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) > 0 && (text[0] == '#' || text[0] == ';')
}

// read divides an assignment into key and words.
func (e *entry) read(data []byte) bool {
	text := data[e.start:e.end]
	i := bytes.IndexByte(text, '=')
	if i < 0 {
		return false
	}
	e.key = strings.TrimSpace(string(text[:i]))
	e.words = split(data, e.start+i+1, e.end)
	return true
}

// split finds the words between two places. Quotes keep blanks together, and a
// comment line in a value is none of it.
func split(data []byte, at, end int) []word {
	var out []word
	fresh := false // at the beginning of a line that goes on
	for at < end {
		switch c := data[at]; {
		case c == '\n':
			fresh = true
			at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\\' && blankBehind(data, at+1, end):
			at++
		case fresh && (c == '#' || c == ';'):
			at = lineEnd(data, at)
		default:
			fresh = false
			w := oneWord(data, at, end)
			out = append(out, w)
			at = w.end
		}
	}
	return out
}

func blankBehind(data []byte, at, end int) bool {
	return at >= end || data[at] == '\n' || data[at] == '\r'
}

func oneWord(data []byte, at, end int) word {
	w := word{start: at, plain: true}
	var text []byte
	quote := byte(0)
	for ; at < end; at++ {
		c := data[at]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\r' || c == '\n'), quote != 0 && c == '\n':
			w.end, w.text = at, string(text)
			return w
		case c == '\\' && blankBehind(data, at+1, end):
			w.end, w.text = at, string(text)
			return w
		case c == '\\':
			w.plain = false
			at++
			text = append(text, data[at])
		case quote == 0 && (c == '"' || c == '\''):
			w.plain, quote = false, c
		case quote != 0 && c == quote:
			quote = 0
		default:
			text = append(text, c)
		}
	}
	w.end, w.text = at, string(text)
	return w
}

// add keeps an entry. An empty value takes back what was said of the key before.
func (u *unit) add(e entry) {
	u.all = append(u.all, e)
	if len(e.words) == 0 {
		u.entries = slices.DeleteFunc(u.entries, func(o entry) bool { return o.key == e.key })
		return
	}
	u.entries = append(u.entries, e)
}

// A said is one value that the unit gives, by a key or by an argument for podman.
type said struct {
	word
	entry *entry
	from  int  // where it begins, with the flag in front of it
	alone bool // the entry says nothing else
}

// values are those of a key, and of the flags of podman run that mean the same.
func (u *unit) values(key string, flags ...string) []said {
	var out []said
	for i := range u.entries {
		e := &u.entries[i]
		switch e.key {
		case key:
			for _, w := range e.words {
				out = append(out, said{w, e, w.start, len(e.words) == 1})
			}
		case "PodmanArgs":
			out = append(out, e.flagged(flags)...)
		}
	}
	return out
}

// flagged are the values of flags: --flag=value, or in the next word.
func (e *entry) flagged(flags []string) []said {
	var out []said
	for i, w := range e.words {
		for _, flag := range flags {
			if value, found := strings.CutPrefix(w.text, flag+"="); found {
				from := w.start
				w.start, w.text = w.start+len(flag)+1, value
				out = append(out, said{w, e, from, len(e.words) == 1})
			} else if w.text == flag && i+1 < len(e.words) {
				out = append(out, said{e.words[i+1], e, w.start, len(e.words) == 2})
			}
		}
	}
	return out
}

// last is the value that counts of a key that has one.
func (u *unit) last(key string, flags ...string) string {
	if all := u.values(key, flags...); len(all) > 0 {
		return all[len(all)-1].text
	}
	return ""
}
