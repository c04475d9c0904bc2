package shelltext

import "strings"

// word reads one word. Substitutions in it are read as lists of their own.
func (p *parser) word(depth int) Word {
	start := p.at
	var out strings.Builder
	computed := false
	var quote byte
	for p.at < len(p.text) {
		c := p.text[p.at]
		if quote == 0 && strings.IndexByte(" \t\r\n;&|<>()", c) >= 0 {
			break
		}
		switch {
		case c == '\\' && quote != '\'' && p.at+1 < len(p.text):
			p.escaped(&out, quote)
		case c == '$' && quote != '\'':
			computed = true
			p.dollar(&out, depth)
		case c == '`' && quote != '\'':
			computed = true
			p.backticks(&out, depth)
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
			p.at++
		case quote != 0 && c == quote:
			quote = 0
			p.at++
		default:
			computed = computed || quote == 0 && strings.IndexByte("*?[", c) >= 0
			out.WriteByte(c)
			p.at++
		}
	}
	return p.made(start, out.String(), computed)
}

func (p *parser) made(start int, text string, computed bool) Word {
	w := Word{Text: text, Raw: p.text[start:p.at], Computed: computed}
	w.Start, w.Line = p.origin(start)
	w.End = w.Start
	if p.at > start {
		last, _ := p.origin(p.at - 1)
		w.End = last + 1
	}
	return w
}

// escaped reads a backslash and what follows it.
func (p *parser) escaped(out *strings.Builder, quote byte) {
	next := p.text[p.at+1]
	switch {
	case next == '\n':
	case quote == '"' && strings.IndexByte("\"$`\\", next) < 0:
		out.WriteByte('\\')
		out.WriteByte(next)
	default:
		out.WriteByte(next)
	}
	p.at += 2
}

// dollar reads $NAME, ${…}, $(…) and $((…)), and keeps it as it stands.
func (p *parser) dollar(out *strings.Builder, depth int) {
	start := p.at
	p.at++
	rest := p.text[p.at:]
	switch {
	case strings.HasPrefix(rest, "(("):
		p.at += balanced(rest, '(', ')')
	case strings.HasPrefix(rest, "(") && depth < maxDepth:
		p.at++
		p.list(')', depth+1)
	case strings.HasPrefix(rest, "{"):
		p.at += balanced(rest, '{', '}')
	}
	out.WriteString(p.text[start:p.at])
}

// backticks reads an old substitution. The escapes inside are left alone, which
// is right for all but nested ones.
func (p *parser) backticks(out *strings.Builder, depth int) {
	start := p.at
	p.at++
	if depth < maxDepth && strings.IndexByte(p.text[p.at:], '`') >= 0 {
		end := p.at + strings.IndexByte(p.text[p.at:], '`')
		inner := &parser{text: p.text[:end], at: p.at, origin: p.origin, lists: p.lists, last: map[int]int{}}
		inner.list(0, maxDepth)
		p.commands, p.lists = append(p.commands, inner.commands...), inner.lists
		p.at = end + 1
	}
	out.WriteString(p.text[start:p.at])
}

// balanced is the length of a text in brackets, which quotes do not protect; all
// of it where they do not close.
func balanced(s string, opening, closing byte) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case opening:
			depth++
		case closing:
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// redirection takes < > >> and their target, and notes files that are written and
// heredocs.
func (p *parser) redirection(current *Command, depth int) {
	if strings.HasPrefix(p.text[p.at:], "<<<") {
		p.at += 3
		p.target(depth)
		return
	}
	isHeredoc := strings.HasPrefix(p.text[p.at:], "<<")
	writes := p.text[p.at] == '>'
	for p.at < len(p.text) && strings.IndexByte("<>&", p.text[p.at]) >= 0 {
		p.at++
	}
	if strings.HasPrefix(p.text[p.at:], "(") { // <(…) is a substitution
		return
	}
	tabs := isHeredoc && strings.HasPrefix(p.text[p.at:], "-")
	if tabs {
		p.at++
	}
	w := p.target(depth)
	switch {
	case isHeredoc && w.Text != "":
		p.awaited = append(p.awaited, heredoc{w.Text, tabs})
	case writes && strings.Trim(w.Text, "0123456789-") != "": // 2>&1 writes none
		current.Writes = append(current.Writes, w)
	}
}

func (p *parser) target(depth int) Word {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	return p.word(depth)
}

// skipHeredocs passes over the documents that were announced on the line before.
func (p *parser) skipHeredocs() {
	for _, h := range p.awaited {
		for p.at < len(p.text) {
			line, _, _ := strings.Cut(p.text[p.at:], "\n")
			p.at = min(p.at+len(line)+1, len(p.text))
			line = strings.TrimSuffix(line, "\r")
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == h.name {
				break
			}
		}
	}
	p.awaited = nil
}

// assignment divides NAME=value. The value's place is that of what follows the
// sign.
func assignment(w Word) (name string, value Word, ok bool) {
	raw := strings.IndexByte(w.Raw, '=')
	i := strings.IndexByte(w.Text, '=')
	if raw <= 0 || i != raw || !isName(w.Text[:i]) {
		return "", Word{}, false
	}
	value = Word{Text: w.Text[i+1:], Raw: w.Raw[raw+1:], Start: w.Start + raw + 1, End: w.End, Line: w.Line}
	value.Computed = w.Computed
	return w.Text[:i], value, true
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
