// Package env asks whether the environment variables of ROCm are read by anything, mean what they are taken for, and point to something.
package env

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "env/values",
		Title: "The variables of ROCm mean what they are taken for",
		Needs: []string{"gpu/present"},
		Doc: `Settings that stop a library (MIOpen throws at a boolean it does not know), that cost minutes or data (MIOPEN_FIND_ENFORCE=3, which is
SEARCH), that are something else than they are taken for (MIOPEN_FIND_MODE=1 is NORMAL), that change nothing at run time
(PYTORCH_ROCM_ARCH), or that were set to find a fault and forgotten (AMD_SERIALIZE_KERNEL). Lines in the files that shells read at
login are judged too, and the finding says whether this process has them.`,
		Run: runValues,
	},
	{
		ID:    "env/paths",
		Title: "The variables that hold a path lead somewhere",
		Needs: []string{"gpu/present"},
		Doc: `MIOPEN_USER_DB_PATH and MIOPEN_CUSTOM_CACHE_DIR are directories, not files, and must be writable; what ROCBLAS_TENSILE_LIBPATH, ROCM_PATH
and their like name must exist. Relative paths depend on where a program starts, and are not judged.`,
		Run: runPaths,
	},
	{
		ID:    "env/names",
		Title: "Each variable of ROCm is read by something",
		Needs: []string{"gpu/present"},
		Doc: `Compared with every name that MIOpen, ROCr, HIP, the math libraries, RCCL and the tools read, taken from their sources. A warning is given
only for names that are passed on although nothing reads them (MIOPEN_DEBUG_DISABLE_FIND_ENFORCE) and for probable slips of a known name.
Any other name is not known to us and only mentioned: newer releases read more.`,
		Run: runNames,
	},
}

// A setting is a variable with a value, and where both were found.
type setting struct {
	machine.Variable
	set   bool                     // in this process
	lines []machine.VariableSource // with this value
	other []machine.VariableSource // with another value
}

// settings returns what the process has, then what only stands in a file.
func settings(m *machine.Machine) []setting {
	var out []setting
	for _, v := range m.Variables.Value {
		s := setting{Variable: v, set: true}
		for _, line := range m.SourcesOf(v.Name) {
			if line.Value == v.Value {
				s.lines = append(s.lines, line)
			} else {
				s.other = append(s.other, line)
			}
		}
		out = append(out, s)
	}
	for _, line := range m.VariableSources.Value {
		if _, set := m.Variable(line.Name); set || computed(line.Value) {
			continue
		}
		v := machine.Variable{Name: line.Name, Value: line.Value}
		i := slices.IndexFunc(out, func(s setting) bool { return s.Variable == v })
		if i < 0 {
			out, i = append(out, setting{Variable: v}), len(out)
		}
		out[i].lines = append(out[i].lines, line)
	}
	return out
}

// computed tells a value that only a shell could work out.
func computed(value string) bool { return strings.ContainsAny(value, "$`") }

// where says, after the judgement, what the files have to do with it.
func (s setting) where() string {
	switch {
	case !s.set && unitOf(s.lines[0].File) != "":
		return fmt.Sprintf(" This process does not have it: it stands in %s, and counts for %s.", place(s.lines[0]), unitOf(s.lines[0].File))
	case !s.set:
		return fmt.Sprintf(" This process does not have it: it stands in %s, and counts for shells and logins that read that file.", place(s.lines[0]))
	case len(s.other) > 0 && !computed(s.other[0].Value):
		return fmt.Sprintf(" In %s it is set to %s instead.", place(s.other[0]), quoted(s.other[0].Value))
	}
	return ""
}

func place(l machine.VariableSource) string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// text writes a setting as people do. Values come from outside, and may be long.
func (s setting) text() string { return s.Name + "=" + shortened(s.Value) }

func quoted(s string) string { return fmt.Sprintf("%q", shortened(s)) }

func shortened(s string) string {
	const most = 48
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}

func (s setting) evidence(m *machine.Machine) []machine.Evidence {
	var out []machine.Evidence
	if s.set {
		out = append(out, machine.Evidence{From: m.Variables.From, Text: s.text()})
	}
	for _, l := range slices.Concat(s.lines, s.other) {
		out = append(out, machine.Evidence{From: machine.Source(place(l)), Text: l.Name + "=" + shortened(l.Value)})
	}
	return out
}

func provenance(p rocm.Provenance) machine.Evidence {
	return machine.Evidence{From: machine.Source(p.Confidence), Text: p.Source}
}

// unset advises to take a setting away, from the very line where one is known. A
// line with another value is not where it comes from.
func (s setting) unset(m *machine.Machine) remedy.Remedy {
	lines := slices.Clone(s.lines)
	for _, l := range s.other {
		if computed(l.Value) {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return cure.For(m, "env-unset", cure.Values{"name": s.Name})
	}
	at := lines[0]
	unit := unitOf(at.File)
	id := "env-remove-line"
	switch {
	case unit != "" && strings.Contains(at.File, "/systemd/user/"):
		id = "env-remove-from-own-unit"
	case unit != "":
		id = "env-remove-from-unit"
	}
	values := cure.Values{"name": s.Name, "file": at.File, "line": fmt.Sprint(at.Line)}
	if id != "env-remove-line" {
		values["unit"] = unit
		return cure.For(m, id, values)
	}
	r := cure.For(m, id, values)
	return cure.WithoutLines(m, remedy.Remedy{ID: r.ID, Title: r.Title, Risk: r.Risk, Proof: r.Proof, Apply: r.Apply, Steps: r.Steps[1:]}, plainFiles(lines))
}

// plainFiles leaves out the units of services, which have a cure of their own.
func plainFiles(lines []machine.VariableSource) []machine.VariableSource {
	return slices.DeleteFunc(slices.Clone(lines), func(l machine.VariableSource) bool { return unitOf(l.File) != "" })
}

// unitOf returns the service that a file of systemd belongs to, as the unit or
// as an addition to it.
func unitOf(file string) string {
	if strings.HasSuffix(file, ".service") {
		return path.Base(file)
	}
	if added := path.Base(path.Dir(file)); strings.HasSuffix(added, ".service.d") {
		return strings.TrimSuffix(added, ".d")
	}
	return ""
}

// notRead is the finding where the variables could not be read.
func notRead(m *machine.Machine, question string) []check.Finding {
	return []check.Finding{check.CannotTell("environment", question, m.Variables.From, m.Variables.Why)}
}
