package python

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/tomltext"
)

// poetrySection reads the sections of dependencies: of all of them, of a group, or of
// one package.
func (m *manifest) poetrySection(s tomltext.Section, name string) {
	if n := len(s.Name); n > 3 && s.Name[n-2] == "dependencies" {
		one := s.Name[n-1]
		value := tomltext.Value{Kind: tomltext.Table, Pairs: s.Pairs, Line: s.Line}
		s = tomltext.Section{Name: s.Name[:n-1], Pairs: []tomltext.Pair{{Key: []string{one}, Value: value, Line: s.Line}}}
		name = strings.TrimSuffix(name, "."+one)
	}
	switch {
	case name == "tool.poetry.dependencies":
		m.base = append(m.base, m.poetry(s)...)
	case strings.HasSuffix(name, ".dependencies"), name == "tool.poetry.dev-dependencies":
		m.groups = append(m.groups, group{name, m.poetry(s)})
	}
}

// poetry reads a table of Poetry's, where names are keys and versions are written
// in its own way.
func (m *manifest) poetry(s tomltext.Section) []requirement {
	var out []requirement
	for _, p := range s.Pairs {
		name := p.Key[0]
		if name == "python" || len(p.Key) > 1 {
			continue
		}
		if pydist.Normalize(name) == "torch" {
			m.take(p.Value, "source")
		}
		for _, v := range append(slices.Clone(p.Value.Items), p.Value) {
			if r, ok := wish(name, v); ok {
				r.file = m.file
				out = append(out, r)
			}
		}
	}
	return out
}

// wish is what a name is given: a version, or a table with one. A list of tables
// asks for nothing itself, nor does a path or an address.
func wish(name string, v tomltext.Value) (requirement, bool) {
	version, marker := v, tomltext.Value{}
	if v.Kind == tomltext.Table {
		version, _ = v.Get("version")
		marker, _ = v.Get("markers")
	}
	if version.Kind != tomltext.String {
		return requirement{}, false
	}
	text := name + poetryVersion(version.Text)
	if marker.Text != "" {
		text += " ; " + marker.Text
	}
	r, err := pydist.ParseRequirement(text)
	return requirement{Requirement: r, line: v.Line, text: name + " = " + strconv.Quote(version.Text)}, err == nil && !elsewhere(r)
}

// poetryVersion writes a version of Poetry's as the rest of Python does: ^2.9 is
// >=2.9,<3 and a bare 2.9 is that version alone (Poetry's documentation, "Dependency
// specification"). What cannot be said in that way allows all.
func poetryVersion(text string) string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		switch {
		case strings.Contains(text, "|"):
			return ""
		case part == "" || part == "*":
		case strings.HasPrefix(part, "^"), strings.HasPrefix(part, "~") && !strings.HasPrefix(part, "~="):
			out = append(out, ">="+strings.TrimSpace(part[1:]))
			if upper := above(strings.TrimSpace(part[1:]), part[0] == '^'); upper != "" {
				out = append(out, "<"+upper)
			}
		case part[0] >= '0' && part[0] <= '9':
			out = append(out, "=="+part)
		default:
			out = append(out, part)
		}
	}
	return strings.Join(out, ",")
}

// above is the first version that ^ or ~ exclude: ^ holds the first number that is
// not zero, ~ the first two.
func above(version string, caret bool) string {
	release, _, _ := strings.Cut(version, "+")
	numbers := strings.Split(release, ".")
	held := 0
	if !caret {
		held = min(1, len(numbers)-1)
	}
	for caret && held < len(numbers)-1 && numbers[held] == "0" {
		held++
	}
	n, err := strconv.Atoi(numbers[held])
	if err != nil {
		return ""
	}
	return strings.Join(append(numbers[:held:held], strconv.Itoa(n+1)), ".")
}
