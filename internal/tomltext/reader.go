package tomltext

import "strings"

// maxDepth bounds lists in lists.
const maxDepth = 50

// A reader goes through a text once.
type reader struct {
	text  string
	at    int
	depth int
	// Lines are counted up to a byte that was asked for before.
	counted, lines int
}

func (r *reader) done() bool { return r.at >= len(r.text) }

func (r *reader) peek() byte {
	if r.done() {
		return 0
	}
	return r.text[r.at]
}

func (r *reader) skip(s string) bool {
	if !strings.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *reader) line() int {
	r.lines += strings.Count(r.text[r.counted:r.at], "\n")
	r.counted = r.at
	return r.lines + 1
}

func (r *reader) fail(what string) *Error { return &Error{r.line(), what} }

// blank passes blanks and, where lines may end, ends of lines and comments.
func (r *reader) blank(lines bool) {
	for !r.done() {
		switch c := r.peek(); {
		case c == ' ' || c == '\t', lines && (c == '\n' || c == '\r' && strings.HasPrefix(r.text[r.at:], "\r\n")):
			r.at++
		case lines && c == '#':
			r.comment()
		default:
			return
		}
	}
}

func (r *reader) comment() {
	if n := strings.IndexByte(r.text[r.at:], '\n'); n >= 0 {
		r.at += n
		return
	}
	r.at = len(r.text)
}

// endLine wants nothing more on a line, and goes to the next one.
func (r *reader) endLine() *Error {
	r.blank(false)
	if r.peek() == '#' {
		r.comment()
	}
	if r.done() || r.skip("\n") || r.skip("\r\n") {
		return nil
	}
	return r.fail("something stands behind the value that does not belong there")
}

func (r *reader) header() (Section, *Error) {
	s := Section{Line: r.line()}
	closing := "]"
	r.at++
	if r.skip("[") {
		s.List, closing = true, "]]"
	}
	r.blank(false)
	name, err := r.key()
	if err != nil {
		return s, err
	}
	s.Name = name
	if !r.skip(closing) {
		return s, r.fail("the name of a table is not closed by " + closing)
	}
	return s, r.endLine()
}

// pair reads a key and its value.
func (r *reader) pair() (Pair, *Error) {
	p := Pair{Line: r.line()}
	var err *Error
	if p.Key, err = r.key(); err != nil {
		return p, err
	}
	if !r.skip("=") {
		return p, r.fail("there is no = behind the key " + strings.Join(p.Key, "."))
	}
	r.blank(false)
	p.Value, err = r.value()
	return p, err
}

// key reads the parts of a key, and the blanks behind it.
func (r *reader) key() ([]string, *Error) {
	var out []string
	for {
		part, err := r.part()
		if err != nil {
			return nil, err
		}
		out = append(out, part)
		r.blank(false)
		if !r.skip(".") {
			return out, nil
		}
		r.blank(false)
	}
}

func (r *reader) part() (string, *Error) {
	if c := r.peek(); c == '"' || c == '\'' {
		v, err := r.string()
		if err == nil && v.Line != r.line() {
			err = r.fail("a key goes over several lines")
		}
		return v.Text, err
	}
	start := r.at
	for !r.done() && isBare(r.peek()) {
		r.at++
	}
	if r.at == start {
		return "", r.fail("there is no key where one should be")
	}
	return r.text[start:r.at], nil
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
