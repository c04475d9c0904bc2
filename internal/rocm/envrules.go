package rocm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SettingWord is the verdict on a setting in one word.
type SettingWord string

// The words.
const (
	SettingThrows     SettingWord = "throws"     // its reader stops with an error
	SettingWrong      SettingWord = "wrong"      // not what it is taken for
	SettingHarmful    SettingWord = "harmful"    // costs time, data or the GPU
	SettingNoOp       SettingWord = "no-op"      // changes nothing
	SettingBuildTime  SettingWord = "build-time" // changes nothing at run time
	SettingDiagnostic SettingWord = "diagnostic" // useful for a while, and forgotten
)

// SettingRule is what is known of some values of a variable.
type SettingRule struct {
	Names  words  `json:"name"`
	Values words  // exact, in any case of letters
	When   string // on, off, set or any, in place of values
	Word   SettingWord
	Says   string // completes the sentence that the setting begins
	Why    string
	Better string // a value that does what is often meant
	Provenance
}

// AnyValue tells that the rule speaks of the variable rather than of a value.
func (r SettingRule) AnyValue() bool { return r.When == "any" || r.When == "set" }

// Invention is a name that people pass on and nothing reads.
type Invention struct {
	Names   words `json:"name"`
	Build   bool  // an option of a build has this name
	Instead string
	Why     string
	Provenance
}

// PathRule says what a variable that holds a path must point to.
type PathRule struct {
	Names   words  `json:"name"`
	Is      string // directory or file
	Needed  bool   // must exist; otherwise its reader makes it
	Written bool
	Home    bool // its reader replaces ~ by the home directory
	Why     string
	Provenance
}

type enumRule struct {
	Names  words `json:"name"`
	Values []string
	Min    uint64
	Max    uint64
	Provenance
}

type numberRule struct {
	Names words `json:"name"`
	Max   uint64
	Provenance
}

type booleanRule struct {
	Reader  string
	Default bool
	Names   []string
	Provenance
}

// settingFile is the embedded table.
type settingFile struct {
	Inventions []Invention
	Rules      []SettingRule
	Enums      []enumRule
	Numbers    []numberRule
	Paths      []PathRule
	Booleans   []booleanRule
}

// Inventions are names that nothing reads.
func Inventions() []Invention { return slices.Clone(settingData.Inventions) }

// SettingRules are the rules for values.
func SettingRules() []SettingRule { return slices.Clone(settingData.Rules) }

// PathRules are the variables that hold a path.
func PathRules() []PathRule { return slices.Clone(settingData.Paths) }

// Invented finds a name among those that nothing reads.
func Invented(name string) (Invention, bool) {
	return find(settingData.Inventions, func(i Invention) bool { return slices.Contains(i.Names, name) })
}

// PathRuleFor finds what a variable must point to.
func PathRuleFor(name string) (PathRule, bool) {
	return find(settingData.Paths, func(p PathRule) bool { return slices.Contains(p.Names, name) })
}

// Concerns reports whether a variable is one that rocsmith knows something of.
func Concerns(name string) bool {
	if _, ok := ReadBy(name); ok {
		return true
	}
	if _, ok := Invented(name); ok {
		return true
	}
	return slices.ContainsFunc(settingData.Rules, func(r SettingRule) bool { return slices.Contains(r.Names, name) })
}

// JudgeSetting finds what is known to be wrong with a setting. Not found means that nothing is.
func JudgeSetting(name, value string) (SettingRule, bool) {
	t := settingData
	if r, ok := find(t.Rules, func(r SettingRule) bool { return slices.Contains(r.Names, name) && r.holds(value) }); ok {
		return r, true
	}
	if e, ok := find(t.Enums, func(e enumRule) bool { return slices.Contains(e.Names, name) }); ok {
		return e.judge(value)
	}
	if n, ok := find(t.Numbers, func(n numberRule) bool { return slices.Contains(n.Names, name) }); ok {
		return n.judge(value)
	}
	if b, ok := find(t.Booleans, func(b booleanRule) bool { return slices.Contains(b.Names, name) }); ok {
		return b.judge(name, value)
	}
	return SettingRule{}, false
}

func (r SettingRule) holds(value string) bool {
	on, isBool := miopenBool(value)
	switch r.When {
	case "any":
		return true
	case "set":
		return value != ""
	case "on":
		return isBool && on
	case "off":
		return isBool && !on
	}
	return slices.ContainsFunc(r.Values, func(v string) bool { return strings.EqualFold(v, value) })
}

// miopenBool reads a boolean as MIOpen does.
func miopenBool(value string) (on, ok bool) {
	switch strings.ToLower(value) {
	case "1", "enable", "enabled", "yes", "on", "true":
		return true, true
	case "0", "disable", "disabled", "no", "off", "false":
		return false, true
	}
	return false, false
}

// judge reads a value as MIOpen does: a name, else what std::stoul makes of it, which throws where no digit leads.
func (e enumRule) judge(value string) (SettingRule, bool) {
	known := slices.ContainsFunc(e.Values, func(v string) bool { return strings.EqualFold(v, value) })
	if value == "" || known {
		return SettingRule{}, false
	}
	names := strings.Join(e.Values, ", ")
	n, ok := leadingNumber(value)
	switch {
	case !ok:
		return SettingRule{
			Word: SettingThrows, Says: "stops MIOpen with an error", Provenance: e.Provenance,
			Why: fmt.Sprintf("It takes a number from %d to %d or one of %s. Other text is read as a number, and that fails.", e.Min, e.Max, names),
		}, true
	case n < e.Min || n > e.Max:
		return SettingRule{
			Word: SettingNoOp, Says: "is out of range, and MIOpen takes its default", Provenance: e.Provenance,
			Why: fmt.Sprintf("It takes a number from %d to %d or one of %s.", e.Min, e.Max, names),
		}, true
	}
	return SettingRule{}, false
}

// judge reads a value as std::strtoull does: what is no number is 0.
func (n numberRule) judge(value string) (SettingRule, bool) {
	v, ok := leadingNumber(value)
	switch {
	case value == "":
	case !ok:
		return SettingRule{
			Word: SettingNoOp, Says: "is no number, and MIOpen reads it as 0", Provenance: n.Provenance,
			Why: "It says so nowhere.",
		}, true
	case n.Max > 0 && v > n.Max:
		return SettingRule{
			Word: SettingWrong, Says: fmt.Sprintf("is beyond the largest value, which is %d", n.Max), Provenance: n.Provenance,
			Why: fmt.Sprintf("It takes a number from 0 to %d.", n.Max),
		}, true
	}
	return SettingRule{}, false
}

func (b booleanRule) judge(name, value string) (SettingRule, bool) {
	on, ok := miopenBool(value)
	switch {
	case !ok:
		return SettingRule{
			Word: SettingThrows, Says: "stops " + b.Reader + " with an error", Provenance: b.Provenance,
			Why: "It is a boolean, and only 0, 1, enable, enabled, disable, disabled, yes, no, on, off, true and false are accepted. Anything else, nothing included, throws \"Invalid value for env variable\".",
		}, true
	case b.Default && on && strings.HasPrefix(name, "MIOPEN_DEBUG_"):
		return SettingRule{
			Word: SettingNoOp, Says: "changes nothing, because it is on anyway", Provenance: b.Provenance,
			Why: "Only 0 changes something: it switches this off. 1 is often taken for \"use this one\"; a single solver is chosen with MIOPEN_DEBUG_FIND_ONLY_SOLVER.",
		}, true
	}
	return SettingRule{}, false
}

// leadingNumber reads the number that a text begins with, decimal or 0x, as C does; below 0 it wraps to the largest.
func leadingNumber(s string) (uint64, bool) {
	s = strings.ToLower(strings.TrimLeft(s, " \t"))
	digits, negative := strings.CutPrefix(s, "-")
	alphabet, base := "0123456789", 10
	if rest, hex := strings.CutPrefix(digits, "0x"); hex {
		digits, alphabet, base = rest, "0123456789abcdef", 16
	}
	n, err := strconv.ParseUint(digits[:len(digits)-len(strings.TrimLeft(digits, alphabet))], base, 64)
	if negative && err == nil && n > 0 {
		return math.MaxUint64, true
	}
	return n, err == nil
}
