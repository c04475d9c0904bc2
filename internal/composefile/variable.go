package composefile

import (
	"errors"
	"fmt"
	"strings"
)

// A Source is where the value of a variable came from.
type Source string

// The sources of values.
const (
	FromShell   Source = "shell"
	FromEnvFile Source = "env file"
	FromDefault Source = "default" // the one in the reference itself
	Unset       Source = "unset"   // nothing, which compose takes for an empty text
)

// A Reference is a variable in a scalar: $NAME, ${NAME}, ${NAME:-default}.
type Reference struct {
	Name    string
	Default string // "" where it has none
	// HasDefault tells an empty default from none.
	HasDefault bool
	From       Source
	// Value is what it stands for here.
	Value string
	// Setting is the line of the env file that set it.
	Setting *Setting
}

// scope are the variables of a project: those of the shell count before those of
// its env files.
type scope struct {
	shell func(string) (string, bool)
	files map[string]*Setting
}

func (s scope) lookup(name string) (string, Source, *Setting) {
	if s.shell != nil {
		if v, set := s.shell(name); set {
			return v, FromShell, nil
		}
	}
	if set := s.files[name]; set != nil {
		return set.Value, FromEnvFile, set
	}
	return "", Unset, nil
}

// deepest bounds defaults within defaults.
const deepest = 20

// fill replaces the variables of a text. Those of defaults are told too.
func (s scope) fill(text string) (string, []Reference, error) {
	if !strings.Contains(text, "$") {
		return text, nil, nil
	}
	f := filling{scope: s}
	out := f.fill(text, 0)
	return out, f.found, f.err
}

type filling struct {
	scope
	found []Reference
	err   error // the first
}

func (f *filling) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *filling) fill(text string, depth int) string {
	if depth > deepest {
		f.fail(fmt.Errorf("variables stand more than %d deep in defaults", deepest))
		return ""
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		text = rest
		switch {
		case strings.HasPrefix(rest, "$"):
			out.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			inner, after, closed := cutBrace(rest[1:])
			if !closed {
				f.fail(fmt.Errorf("the variable in %q is not closed", "$"+rest))
				return out.String()
			}
			out.WriteString(f.braced(inner, depth))
			text = after
		default:
			name := leadingName(rest)
			if name == "" {
				out.WriteByte('$') // a dollar before what is no name stays one
				continue
			}
			out.WriteString(f.take(Reference{Name: name}))
			text = rest[len(name):]
		}
	}
}

// cutBrace finds the brace that closes a reference, past those within.
func cutBrace(text string) (inner, after string, closed bool) {
	open := 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

func leadingName(text string) string {
	end := 0
	for end < len(text) && (text[end] == '_' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || end > 0 && text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[:end]
}

// braced resolves what stands between braces: a name, perhaps with a default, a
// replacement or a demand.
func (f *filling) braced(inner string, depth int) string {
	name := leadingName(inner)
	operator := inner[len(name):]
	colon := strings.HasPrefix(operator, ":")
	operator = strings.TrimPrefix(operator, ":")
	if name == "" || operator == "" && colon || operator != "" && !strings.ContainsRune("-+?", rune(operator[0])) {
		f.fail(fmt.Errorf("%q is no reference to a variable", "${"+inner+"}"))
		return ""
	}
	if operator == "" {
		return f.take(Reference{Name: name})
	}
	argument := operator[1:]
	value, from, _ := f.lookup(name)
	missing := from == Unset || colon && value == ""
	switch operator[0] {
	case '-':
		if missing {
			text := f.fill(argument, depth+1)
			f.found = append(f.found, Reference{Name: name, Default: argument, HasDefault: true, From: FromDefault, Value: text})
			return text
		}
		return f.take(Reference{Name: name, Default: argument, HasDefault: true})
	case '+':
		if !missing {
			text := f.fill(argument, depth+1)
			f.found = append(f.found, Reference{Name: name, From: from, Value: text})
			return text
		}
		f.found = append(f.found, Reference{Name: name, From: FromDefault})
		return value
	}
	if missing {
		why := f.fill(argument, depth+1)
		f.fail(errors.New(strings.TrimSuffix(fmt.Sprintf("the variable %s must be set: %s", name, why), ": ")))
		return ""
	}
	return f.take(Reference{Name: name})
}

func (f *filling) take(r Reference) string {
	r.Value, r.From, r.Setting = f.lookup(r.Name)
	f.found = append(f.found, r)
	return r.Value
}
