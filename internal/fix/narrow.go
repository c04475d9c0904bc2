package fix

import (
	"strings"
	"unicode/utf8"
)

// Lines longer than wide are not shown whole: programs write all of a file in one. What
// differs is shown, with a little around it.
const (
	wide = 1000
	near = 40
)

// narrow shortens the long lines of a difference. A line that went is held against the one
// that came in its place.
func narrow(ops []op) {
	for i := 0; i < len(ops); {
		went := run(ops[i:], '-')
		came := run(ops[i+went:], '+')
		for n := range max(went, came) {
			var old, now *op
			if n < went {
				old = &ops[i+n]
			}
			if n < came {
				now = &ops[i+went+n]
			}
			cut(old, now)
		}
		if i += went + came; went+came == 0 {
			cut(&ops[i], nil)
			i++
		}
	}
}

// run counts the lines of a kind at the beginning.
func run(ops []op, kind byte) int {
	n := 0
	for n < len(ops) && ops[n].kind == kind {
		n++
	}
	return n
}

// cut leaves of two lines, either of which may be missing, what is not the same in both.
func cut(old, now *op) {
	from, tail := 0, 0
	if old != nil && now != nil {
		a, b := old.text, now.text
		for from < min(len(a), len(b)) && a[from] == b[from] {
			from++
		}
		for tail < min(len(a), len(b))-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
			tail++
		}
	}
	for _, o := range []*op{old, now} {
		if o != nil && len(o.text) > wide {
			o.text = part(o.text, from-near, len(o.text)-tail+near)
		}
	}
}

// part is a piece of a line, at most wide, with a mark where something was left out.
func part(line string, from, to int) string {
	body, end := line, ""
	if text, ended := strings.CutSuffix(line, "\n"); ended {
		body, end = text, "\n"
	}
	from, to = max(from, 0), min(to, len(body))
	for from > 0 && !utf8.RuneStart(body[from]) {
		from--
	}
	to = min(to, from+wide)
	for to < len(body) && !utf8.RuneStart(body[to]) {
		to++
	}
	text := body[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(body) {
		text += "…"
	}
	return text + end
}
