package pydist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Specifier says which versions are allowed: ">=1.22,<2.4". All its clauses
// must hold. The zero value allows every version.
type Specifier struct {
	clauses []clause
}

// A clause is one comparison of a specifier.
type clause struct {
	op      string
	version string // without ".*"
	prefix  bool   // it ended in ".*"
}

// operators are those of PEP 440, longer ones before their beginnings.
var operators = []string{"===", "==", "~=", "!=", "<=", ">=", "<", ">"}

// maxClauses bounds a specifier; real ones have fewer than twenty.
const maxClauses = 256

var errClauses = errors.New("the specifier has too many clauses")

// ParseSpecifier reads a version specifier of PEP 440.
func ParseSpecifier(s string) (Specifier, error) {
	n := strings.Count(s, ",") + 1
	if n > maxClauses {
		return Specifier{}, errClauses
	}
	if strings.TrimSpace(s) == "" {
		return Specifier{}, nil
	}
	clauses := make([]clause, 0, n)
	for rest, more := s, true; more; {
		var text string
		text, rest, more = strings.Cut(rest, ",")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		c, err := parseClause(text)
		if err != nil {
			return Specifier{}, err
		}
		clauses = append(clauses, c)
	}
	return Specifier{clauses}, nil
}

func parseClause(text string) (clause, error) {
	i := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(text, op) })
	if i < 0 {
		return clause{}, fmt.Errorf("%q has no operator", text)
	}
	c := clause{op: operators[i], version: strings.TrimSpace(text[len(operators[i]):])}
	if c.op == "===" {
		if c.version == "" || strings.ContainsAny(c.version, " \t;)") {
			return clause{}, fmt.Errorf("%q compares with no version", text)
		}
		return c, nil
	}
	if bare, found := strings.CutSuffix(c.version, ".*"); found {
		c.version, c.prefix = bare, true
	}
	v, ok := shapeOf(c.version)
	if !ok {
		return clause{}, fmt.Errorf("%q compares with no version", text)
	}
	if why := c.refusal(v); why != "" {
		return clause{}, fmt.Errorf("%q %s", text, why)
	}
	return c, nil
}

// A shape is what the rules for operators ask about a version.
type shape struct {
	numbers int  // of its release
	bare    bool // it is nothing but a release
	local   bool
}

func shapeOf(text string) (shape, bool) {
	v, ok := parseVersion(text)
	if !ok {
		return shape{}, false
	}
	return shape{numbers: len(v.release), bare: !v.isPre() && !v.isPost() && len(v.local) == 0, local: len(v.local) > 0}, true
}

// refusal says why PEP 440 does not allow a version after an operator.
func (c clause) refusal(v shape) string {
	equality := c.op == "==" || c.op == "!="
	switch {
	case c.prefix && !equality:
		return "may not end in .*"
	case c.prefix && !v.bare:
		return "has .* behind more than a release"
	case !equality && v.local:
		return "may not name a local version"
	case c.op == "~=" && v.numbers < 2:
		return "needs a version of two numbers"
	}
	return ""
}

// String writes the specifier without blanks: ">=1.22,<2.4".
func (s Specifier) String() string {
	var b strings.Builder
	for i, c := range s.clauses {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.op)
		b.WriteString(c.version)
		if c.prefix {
			b.WriteString(".*")
		}
	}
	return b.String()
}

// IsZero tells whether every version is allowed.
func (s Specifier) IsZero() bool { return len(s.clauses) == 0 }

// Contains tells whether a version is allowed. A pre-release counts like any
// other version: it is installed already, as for pip check. A text that is no
// version is allowed by nothing but "===" with that text.
func (s Specifier) Contains(text string) bool {
	return s.contains(text, make(versions))
}

// versions remembers what was parsed: one installed version is compared with
// the wishes of many others.
type versions map[string]*version // nil for what is no version

func (m versions) parse(text string) (version, bool) {
	v, known := m[text]
	if !known {
		if parsed, ok := parseVersion(text); ok {
			v = &parsed
		}
		m[text] = v
	}
	if v == nil {
		return version{}, false
	}
	return *v, true
}

func (s Specifier) contains(text string, known versions) bool {
	if len(s.clauses) == 0 {
		return true
	}
	v, ok := known.parse(text)
	for _, c := range s.clauses {
		if c.op == "===" {
			if !strings.EqualFold(strings.TrimSpace(text), c.version) && (!ok || !strings.EqualFold(v.String(), c.version)) {
				return false
			}
			continue
		}
		want, wanted := known.parse(c.version)
		if !ok || !wanted || !c.allows(v, want) {
			return false
		}
	}
	return true
}

// allows compares as PEP 440 defines each operator.
func (c clause) allows(v, want version) bool {
	switch c.op {
	case "==":
		return c.equal(v, want)
	case "!=":
		return !c.equal(v, want)
	case ">=":
		return v.public().compare(want) >= 0
	case "<=":
		return v.public().compare(want) <= 0
	case "<":
		return less(v, want)
	case ">":
		return greater(v, want)
	default: // "~="
		return v.public().compare(want) >= 0 && compatible(v, want)
	}
}

func (c clause) equal(v, want version) bool {
	if c.prefix {
		return v.epoch == want.epoch && hasPrefix(v.release, want.release)
	}
	if len(want.local) == 0 {
		v = v.public()
	}
	return v.compare(want) == 0
}

// less leaves out the pre-releases of the version itself: 2.4.0rc1 is not what
// somebody wants who asks for <2.4.
func less(v, want version) bool {
	if v.compare(want) >= 0 {
		return false
	}
	return !v.isPre() || want.isPre() || !v.sameBase(want)
}

// greater leaves out the post-releases and local builds of the version itself.
func greater(v, want version) bool {
	if v.compare(want) <= 0 {
		return false
	}
	if v.isPost() && !want.isPost() || len(v.local) > 0 {
		return !v.sameBase(want)
	}
	return true
}

// compatible tells whether all numbers but the last agree.
func compatible(v, want version) bool {
	return v.epoch == want.epoch && hasPrefix(v.release, want.release[:max(len(want.release)-1, 0)])
}
