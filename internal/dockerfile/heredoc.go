package dockerfile

import "strings"

// heredocs reads the documents that the line of an instruction announces.
func (p *parser) heredocs(in *Instruction, line text) error {
	carrier := in
	if in.Inner != nil {
		carrier = in.Inner
	}
	switch carrier.Name {
	case "ADD", "COPY", "RUN":
	default:
		return nil
	}
	if carrier.JSON || !strings.Contains(line.s, "<<") {
		return nil
	}
	begin := p.line
	for _, h := range announced(line.s) {
		h.Start, h.Line = p.next, p.line+1
		if !p.skipTo(&h) {
			return &SyntaxError{begin, "the heredoc " + h.Name + " has no end"}
		}
		carrier.Heredocs = append(carrier.Heredocs, h)
	}
	in.EndLine, carrier.EndLine = p.line, p.line
	return nil
}

// skipTo reads lines up to the one that ends a heredoc.
func (p *parser) skipTo(h *Heredoc) bool {
	for p.next < len(p.data) {
		h.End = p.next
		line, err := p.readLine()
		if err != nil {
			return false
		}
		s := line.s
		if h.Chomp {
			s = strings.TrimLeft(s, "\t")
		}
		if s == h.Name {
			return true
		}
	}
	return false
}

// announced finds the heredocs in a line. A line whose quotes do not close
// announces none.
func announced(line string) []Heredoc {
	var out []Heredoc
	for _, word := range heredocWords(line) {
		digits := strings.TrimLeft(word, "0123456789")
		name, ok := strings.CutPrefix(digits, "<<")
		if !ok {
			continue
		}
		name, chomp := strings.CutPrefix(name, "-")
		if name == "" || strings.Contains(name, "<") {
			continue
		}
		plain := unquoted(name)
		out = append(out, Heredoc{Name: plain, Chomp: chomp, Expand: quotes(plain) == quotes(name)})
	}
	return out
}

func quotes(s string) int { return strings.Count(s, `"`) + strings.Count(s, "'") }

// heredocWords divides a line as a shell does. The escape is always the
// backslash here, whatever the directive says.
func heredocWords(line string) []string {
	var out []string
	for i := 0; i < len(line); {
		if strings.IndexByte(" \t\v\f\r", line[i]) >= 0 {
			i++
			continue
		}
		end, closed := shellWordEnd(line, i)
		if !closed {
			return nil
		}
		out = append(out, line[i:end])
		i = end
	}
	return out
}

// shellWordEnd is the byte after a word; not closed where a quote stays open.
func shellWordEnd(s string, i int) (end int, closed bool) {
	var quote byte
	for ; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '\'' && i+1 < len(s):
			i++
		case quote == 0 && strings.IndexByte(" \t\v\f\r", s[i]) >= 0:
			return i, true
		case quote == 0 && (s[i] == '\'' || s[i] == '"'):
			quote = s[i]
		case quote != 0 && s[i] == quote:
			quote = 0
		}
	}
	return len(s), quote == 0
}

// unquoted takes quotes and escapes away as a shell does.
func unquoted(s string) string {
	var out strings.Builder
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && quote == 0 && i+1 < len(s), c == '\\' && quote == '"' && i+1 < len(s) && strings.IndexByte(`"$\`, s[i+1]) >= 0:
			i++
			out.WriteByte(s[i])
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
