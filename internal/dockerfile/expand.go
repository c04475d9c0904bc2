package dockerfile

import "strings"

// Expand takes quotes and escapes away and puts values in for variables. It is
// not ok where a variable has no value, or a form of ${…} is not known.
func (f *File) Expand(s string, values map[string]string) (string, bool) {
	e := expander{escape: f.Escape, values: values}
	return e.expand(s, 0)
}

// maxNesting is how deep ${A:-${B:-…}} is followed.
const maxNesting = 8

type expander struct {
	escape byte
	values map[string]string
}

func (e expander) expand(s string, depth int) (string, bool) {
	var out strings.Builder
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == e.escape && quote != '\'' && i+1 < len(s) && (quote == 0 || s[i+1] == '"' || s[i+1] == '$' || s[i+1] == e.escape):
			i++
			out.WriteByte(s[i])
		case c == '$' && quote != '\'':
			value, n, ok := e.variable(s[i:], depth)
			if !ok {
				return "", false
			}
			out.WriteString(value)
			i += n - 1
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), true
}

// variable reads $NAME or ${NAME…} at the beginning of a text, and tells how long it is.
func (e expander) variable(s string, depth int) (value string, n int, ok bool) {
	rest := s[1:]
	if !strings.HasPrefix(rest, "{") {
		name := leadingName(rest)
		if name == "" {
			return "$", 1, true
		}
		value, ok = e.values[name]
		return value, 1 + len(name), ok
	}
	end := closing(rest)
	if end < 0 || depth >= maxNesting {
		return "", 0, false
	}
	inside := rest[1:end]
	name := leadingName(inside)
	value, ok = e.operate(name, inside[len(name):], depth)
	return value, 1 + end + 1, ok && name != ""
}

// operate applies what follows a name in braces.
func (e expander) operate(name, operator string, depth int) (string, bool) {
	value, set := e.values[name]
	if operator == "" {
		return value, set
	}
	operator, orEmpty := strings.CutPrefix(operator, ":")
	if operator == "" {
		return "", false
	}
	there := set && (!orEmpty || value != "")
	switch word := operator[1:]; {
	case operator[0] == '-' && there, operator[0] == '?' && there:
		return value, true
	case operator[0] == '-', operator[0] == '+' && there:
		return e.expand(word, depth+1)
	case operator[0] == '+':
		return "", true
	}
	return "", false
}

func leadingName(s string) string {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return s[:i]
		}
	}
	return s
}

// closing finds the brace that closes the one at the beginning.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}
