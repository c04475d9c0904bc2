package host

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An environment is what a snapshot knows of the variables: single ones, set or
// not, and prefixes of which all set ones are known.
type environment struct {
	vars     map[string]variable
	prefixes map[string]fault
}

type variable struct {
	value string
	set   bool
	fault fault
}

func newEnvironment() environment {
	return environment{vars: map[string]variable{}, prefixes: map[string]fault{}}
}

func (e environment) empty() bool { return len(e.vars) == 0 && len(e.prefixes) == 0 }

// covered says whether all variables with a prefix are known, and the fault
// with which the system refused them.
func (e environment) covered(prefix string) (fault, bool) {
	for _, p := range slices.Sorted(maps.Keys(e.prefixes)) {
		if strings.HasPrefix(prefix, p) {
			return e.prefixes[p], true
		}
	}
	return "", false
}

// get answers Getenv; known is false where the snapshot cannot tell.
func (e environment) get(name string) (v variable, known bool) {
	if v, ok := e.vars[name]; ok {
		return v, true
	}
	f, known := e.covered(name)
	return variable{fault: f}, known
}

// list returns the set variables with a prefix, sorted by name.
func (e environment) list(prefix string) []Variable {
	var found []Variable
	for _, name := range slices.Sorted(maps.Keys(e.vars)) {
		if v := e.vars[name]; v.set && strings.HasPrefix(name, prefix) {
			found = append(found, Variable{Name: name, Value: v.value})
		}
	}
	return found
}

// format writes a line for each prefix and variable:
//
//	MIOPEN_*
//	HIP_VISIBLE_DEVICES unset
//	HSA_OVERRIDE_GFX_VERSION="10.3.0"
//	HOME error=another-root
func (e environment) format() []byte {
	var b bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(e.prefixes)) {
		b.WriteString(quoteName(p + "*"))
		if f := e.prefixes[p]; f != "" {
			b.WriteString(" " + optionError + string(f))
		}
		b.WriteByte('\n')
	}
	for _, name := range slices.Sorted(maps.Keys(e.vars)) {
		b.WriteString(quoteName(name))
		switch v := e.vars[name]; {
		case v.fault != "":
			b.WriteString(" " + optionError + string(v.fault))
		case v.set:
			b.WriteString("=" + strconv.Quote(v.value))
		default:
			b.WriteString(" unset")
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func quoteName(name string) string {
	if strings.Contains(name, "=") {
		return strconv.Quote(name)
	}
	return quoteWord(name)
}

// parseEnvironment reads what format writes.
func parseEnvironment(body []byte) (environment, error) {
	e := newEnvironment()
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := e.parseLine(line); err != nil {
			return environment{}, fmt.Errorf("variable %q: %w", line, err)
		}
	}
	return e, nil
}

func (e environment) parseLine(line string) error {
	w, rest, err := cutWord(line, "= ")
	if err != nil {
		return err
	}
	name := w.text
	if quoted, ok := strings.CutPrefix(rest, "="); ok {
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return errors.New("the value must be quoted")
		}
		e.vars[name] = variable{value: value, set: true}
		return nil
	}
	rest = strings.TrimSpace(rest)
	if rest == "unset" {
		e.vars[name] = variable{}
		return nil
	}
	var f fault
	if text, ok := strings.CutPrefix(rest, optionError); ok {
		if f, err = parseFault(text); err != nil {
			return err
		}
	} else if rest != "" {
		return errors.New(`want NAME="value", NAME unset, PREFIX* or error=`)
	}
	if prefix, ok := strings.CutSuffix(name, "*"); ok {
		e.prefixes[prefix] = f
		return nil
	}
	if f == "" {
		return errors.New(`want NAME="value", NAME unset, PREFIX* or error=`)
	}
	e.vars[name] = variable{fault: f}
	return nil
}
