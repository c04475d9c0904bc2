package composefile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// A Setting is a line of an env file.
type Setting struct {
	Name, Value string
	Path        string
	Line        int
	Start, End  int // of the value in the text, without quotes
	Quoted      bool
	Inherited   bool // a name alone: the value is that of the shell
}

// ParseEnvFile reads an env file as compose does: values in single quotes are
// taken as they are, others may hold variables. An error names its line.
func ParseEnvFile(path string, data []byte, shell func(string) (string, bool)) ([]*Setting, error) {
	p := envParser{path: path, text: string(data), at: 0, line: 1, known: map[string]*Setting{}}
	p.scope = scope{shell: shell, files: p.known}
	p.at = len(p.text) - len(strings.TrimPrefix(p.text, "\ufeff"))
	var out []*Setting
	for p.skip() {
		s, err := p.setting()
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, s)
			p.known[s.Name] = s
		}
	}
	return out, nil
}

type envParser struct {
	path  string
	text  string
	at    int
	line  int
	known map[string]*Setting
	scope scope
}

func (p *envParser) fail(format string, args ...any) error {
	return &Error{Path: p.path, Line: p.line, Reason: fmt.Sprintf(format, args...)}
}

// skip passes blank lines and comments; it is false at the end.
func (p *envParser) skip() bool {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		r := []rune(rest[:min(len(rest), 4)])[0]
		switch {
		case r == '\n':
			p.line++
			p.at++
		case unicode.IsSpace(r):
			p.at += len(string(r))
		case r == '#':
			p.at += lineLength(rest)
		default:
			return true
		}
	}
	return false
}

// lineLength is how long the text is up to its line break.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

func (p *envParser) setting() (*Setting, error) {
	line := p.text[p.at : p.at+lineLength(p.text[p.at:])]
	if after, export := strings.CutPrefix(line, "export"); export && after != strings.TrimLeft(after, " \t\v\f\r") {
		blanks := len(after) - len(strings.TrimLeft(after, " \t\v\f\r"))
		p.at += len("export") + blanks
		line = after[blanks:]
	}
	end := strings.IndexFunc(line, func(r rune) bool { return r == '=' || r == ':' })
	name := line
	if end >= 0 {
		name = line[:end]
	}
	if bad := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsSpace(r) && !strings.ContainsRune("_.-[]", r)
	}); bad >= 0 {
		return nil, p.fail("%q cannot stand in the name of a variable", []rune(name[bad:])[0])
	}
	name = strings.TrimRightFunc(name, unicode.IsSpace)
	if strings.Contains(name, " ") {
		return nil, p.fail("the name of a variable cannot hold a space")
	}
	s := &Setting{Name: name, Path: p.path, Line: p.line}
	if end < 0 {
		p.at += len(line)
		return p.inherited(s), nil
	}
	p.at += end + 1
	for p.at < len(p.text) && strings.ContainsRune(" \t\v\f\r", rune(p.text[p.at])) {
		p.at++
	}
	return s, p.value(s)
}

// inherited is a name alone: it passes the value of the shell on, if there is
// one.
func (p *envParser) inherited(s *Setting) *Setting {
	if p.scope.shell == nil {
		return nil
	}
	value, set := p.scope.shell(s.Name)
	if !set {
		return nil
	}
	s.Value, s.Inherited = value, true
	return s
}

func (p *envParser) value(s *Setting) error {
	rest := p.text[p.at:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		return p.quoted(s, rest)
	}
	line := rest[:lineLength(rest)]
	p.at += len(line)
	raw, _, _ := strings.Cut(line, " #")
	raw = strings.TrimRightFunc(raw, unicode.IsSpace)
	s.Start, s.End = p.at-len(line), p.at-len(line)+len(raw)
	return p.fill(s, raw)
}

func (p *envParser) quoted(s *Setting, rest string) error {
	quote := rest[0]
	var raw strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest) && rest[i+1] == quote:
			i++
			raw.WriteByte(quote)
		case c == '\\' && i+1 < len(rest):
			raw.WriteByte(c)
			i++
			raw.WriteByte(rest[i])
			if rest[i] == '\n' {
				p.line++
			}
		case c == quote:
			s.Start, s.End, s.Quoted = p.at+1, p.at+i, true
			p.at += i + 1
			if quote == '\'' {
				s.Value = raw.String()
				return nil
			}
			return p.fill(s, unescape(raw.String()))
		default:
			if c == '\n' {
				p.line++
			}
			raw.WriteByte(c)
		}
	}
	return p.fail("the quoted value of %s has no end", s.Name)
}

func (p *envParser) fill(s *Setting, raw string) error {
	text, _, err := p.scope.fill(raw)
	if err != nil {
		return p.fail("%v", err)
	}
	s.Value = text
	return nil
}

var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(?:[abcfnrtv$"\\]|0[0-9]{0,3})`) })

// unescape replaces the escapes that compose knows between double quotes.
func unescape(text string) string {
	return escapes().ReplaceAllStringFunc(text, func(match string) string {
		if match == `\$` {
			return "$$"
		}
		if digits, octal := strings.CutPrefix(match, `\0`); octal {
			match = `\` + digits
		}
		value, _, _, err := strconv.UnquoteChar(match, '"')
		if err != nil {
			return match
		}
		return string(value)
	})
}
