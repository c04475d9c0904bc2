package dockerfile

import (
	"sort"
	"strings"
	"unicode"
)

// A text is a part of the file with its continuation lines joined. It knows
// where its bytes stand.
type text struct {
	s      string
	base   int // of s in the joined text
	source *[]run
}

// A run is where the bytes of the joined text that follow a place come from.
type run struct{ at, place, line int }

func (t text) cut(i, j int) text { return text{t.s[i:j], t.base + i, t.source} }

// trim takes white space away from both ends.
func (t text) trim() text {
	left := len(t.s) - len(strings.TrimLeftFunc(t.s, unicode.IsSpace))
	right := len(strings.TrimRightFunc(t.s, unicode.IsSpace))
	return t.cut(min(left, right), right)
}

// joined collects the lines of a text.
type joined struct {
	s    strings.Builder
	runs []run
}

func (j *joined) add(line text) {
	r := (*line.source)[0]
	j.runs = append(j.runs, run{j.s.Len(), r.place + line.base, r.line})
	j.s.WriteString(line.s)
}

func (j *joined) text() text { return text{s: j.s.String(), source: &j.runs} }

func (t text) find(i int) run {
	runs := *t.source
	k := sort.Search(len(runs), func(k int) bool { return runs[k].at > t.base+i })
	return runs[max(k-1, 0)]
}

func (t text) place(i int) int {
	r := t.find(i)
	return r.place + t.base + i - r.at
}

// end is the byte after the last one, on the line of the last one.
func (t text) end() int {
	if t.s == "" {
		return t.place(0)
	}
	return t.place(len(t.s)-1) + 1
}

func (t text) word() Word {
	return Word{Text: t.s, Line: t.find(0).line, Start: t.place(0), End: t.end(), from: t}
}

// cutBlank divides a text at its first white space.
func (t text) cutBlank() (first, rest text, ok bool) {
	i := strings.IndexAny(t.s, blank)
	if i < 0 {
		return t, t.cut(len(t.s), len(t.s)), false
	}
	j := i + len(t.s[i:]) - len(strings.TrimLeft(t.s[i:], blank))
	return t.cut(0, i), t.cut(j, len(t.s)), true
}
