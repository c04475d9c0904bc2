package pydist

import "strings"

// A variable is one of those that a marker may ask about.
type variable uint8

const (
	_ variable = iota
	osName
	sysPlatform
	platformMachine
	platformPythonImplementation
	platformRelease
	platformSystem
	platformVersion
	pythonVersion
	pythonFullVersion
	implementationName
	implementationVersion
	extra
)

// variables are the names of PEP 508, and the older ones that setuptools wrote
// and pip still understands.
var variables = map[string]variable{
	"os_name": osName, "os.name": osName,
	"sys_platform": sysPlatform, "sys.platform": sysPlatform,
	"platform_machine": platformMachine, "platform.machine": platformMachine,
	"platform_python_implementation": platformPythonImplementation,
	"platform.python_implementation": platformPythonImplementation,
	"python_implementation":          platformPythonImplementation,
	"platform_release":               platformRelease,
	"platform_system":                platformSystem,
	"platform_version":               platformVersion, "platform.version": platformVersion,
	"python_version":         pythonVersion,
	"python_full_version":    pythonFullVersion,
	"implementation_name":    implementationName,
	"implementation_version": implementationVersion,
	"extra":                  extra,
}

// Markers are the values that markers are compared with: one Python on one
// machine. A comparison with a value that is not known does not hold.
type Markers struct {
	OSName                       string // posix, nt
	SysPlatform                  string // linux, win32, darwin
	PlatformMachine              string // x86_64, AMD64
	PlatformPythonImplementation string // CPython
	PlatformRelease              string
	PlatformSystem               string // Linux, Windows, Darwin
	PlatformVersion              string
	PythonVersion                string // 3.12
	PythonFullVersion            string // 3.12.3
	ImplementationName           string // cpython
	ImplementationVersion        string
}

func (m Markers) value(v variable) string {
	switch v {
	case osName:
		return m.OSName
	case sysPlatform:
		return m.SysPlatform
	case platformMachine:
		return m.PlatformMachine
	case platformPythonImplementation:
		return m.PlatformPythonImplementation
	case platformRelease:
		return m.PlatformRelease
	case platformSystem:
		return m.PlatformSystem
	case platformVersion:
		return m.PlatformVersion
	case pythonVersion:
		return m.PythonVersion
	case pythonFullVersion:
		return m.PythonFullVersion
	case implementationName:
		return m.ImplementationName
	case implementationVersion:
		return m.ImplementationVersion
	}
	return ""
}

// Applies tells whether the marker holds, for a distribution wanted with some
// extras or with none.
func (m Marker) Applies(env Markers, extras ...string) bool {
	e := newEvaluation(env)
	if e.marker(m, "") {
		return true
	}
	for _, extra := range extras {
		if e.marker(m, Normalize(extra)) {
			return true
		}
	}
	return false
}

// An evaluation holds what stays the same from marker to marker, and what was
// answered: a site has few markers, many times.
type evaluation struct {
	env      Markers
	known    versions
	answered map[markerCase]bool
}

// A markerCase is a marker, as written, with an extra or "".
type markerCase struct{ text, extra string }

func newEvaluation(env Markers) evaluation {
	return evaluation{env: env, known: make(versions), answered: make(map[markerCase]bool)}
}

func (e evaluation) marker(m Marker, extra string) bool {
	if m.IsZero() {
		return true
	}
	key := markerCase{m.text, extra}
	answer, known := e.answered[key]
	if !known {
		answer = e.holds(m.choices, extra)
		e.answered[key] = answer
	}
	return answer
}

func (e evaluation) holds(choices alternatives, extra string) bool {
	for _, c := range choices {
		if e.all(c, extra) {
			return true
		}
	}
	return false
}

func (e evaluation) all(c conjunction, extra string) bool {
	for _, t := range c {
		if t.group != nil {
			if !e.holds(t.group, extra) {
				return false
			}
		} else if !e.compare(t, extra) {
			return false
		}
	}
	return true
}

func (e evaluation) compare(t term, wanted string) bool {
	if t.left.variable == extra || t.right.variable == extra {
		return compareTexts(Normalize(e.extraOr(t.left, wanted)), t.op, Normalize(e.extraOr(t.right, wanted)))
	}
	for _, full := range e.env.fullVersions() {
		if !e.compareWith(t, full) {
			return false
		}
	}
	return true
}

// fullVersions are those that Python may have: one where it is known, else the
// first and the last of its line, and then a comparison holds for both or not.
func (m Markers) fullVersions() []string {
	if m.PythonFullVersion != "" || m.PythonVersion == "" {
		return []string{m.PythonFullVersion}
	}
	return []string{m.PythonVersion + ".0", m.PythonVersion + ".99"}
}

// compareWith compares for one full version of Python.
func (e evaluation) compareWith(t term, full string) bool {
	e.env.PythonFullVersion = full
	left, right := e.text(t.left), e.text(t.right)
	if left == "" && t.left.variable != 0 || right == "" && t.right.variable != 0 {
		return false
	}
	if holds, both := compareVersions(left, t.op, right, e.known); both {
		return holds
	}
	return compareTexts(left, t.op, right)
}

func (e evaluation) text(o operand) string {
	if o.variable == 0 {
		return o.text
	}
	return e.env.value(o.variable)
}

func (e evaluation) extraOr(o operand, wanted string) string {
	if o.variable == extra {
		return wanted
	}
	return e.text(o)
}

// compareVersions compares by PEP 440 where both sides are versions.
func compareVersions(left, op, right string, known versions) (holds, both bool) {
	if op == "in" || op == "not in" {
		return false, false
	}
	if _, ok := known.parse(left); !ok {
		return false, false
	}
	c, err := parseClause(op + right)
	if err != nil {
		return false, false
	}
	return Specifier{clauses: []clause{c}}.contains(left, known), true
}

// compareTexts compares as Python compares strings. "~=" has no meaning there.
func compareTexts(left, op, right string) bool {
	switch op {
	case "==", "===":
		return left == right
	case "!=":
		return left != right
	case "<":
		return left < right
	case "<=":
		return left <= right
	case ">":
		return left > right
	case ">=":
		return left >= right
	case "in":
		return strings.Contains(right, left)
	case "not in":
		return !strings.Contains(right, left)
	}
	return false
}
