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

func runPaths(in check.Input) []check.Finding {
	m := in.Machine
	if m.VariablePaths.Unread() {
		return notRead(m, "where the variables of ROCm point to")
	}
	var out []check.Finding
	for _, v := range m.VariablePaths.Value {
		if rule, ok := rocm.PathRuleFor(v.Name); ok {
			out = append(out, judgePath(m, v, rule))
		}
	}
	if len(out) == 0 {
		return []check.Finding{{Subject: "environment", Verdict: check.OK, Message: "No variable moves a directory of ROCm"}}
	}
	return out
}

func judgePath(m *machine.Machine, v machine.VariablePath, rule rocm.PathRule) check.Finding {
	f := check.Finding{Subject: v.Name, Verdict: check.Warn, Evidence: pathEvidence(m, v)}
	warn := func(says string) check.Finding {
		f.Message = fmt.Sprintf("%s points to %s. %s", v.Name, says, rule.Why)
		f.Remedies = []remedy.Remedy{repoint(m, v, rule)}
		return f
	}
	wanted := machine.PathDirectory
	if rule.Is == "file" {
		wanted = machine.PathFile
	}
	named := shortened(v.Path)
	switch kind := v.Kind.Value; {
	case m.OS == "windows" && v.Name == "HIP_PATH":
		return check.NotHere(v.Name, "where HIP_PATH leads is judged with the SDKs (runtime/hip-path)")
	case v.Kind.Unread():
		return check.NotHere(v.Name, fmt.Sprintf("what %s points to cannot be seen from here", v.Name))
	case kind == machine.PathMissing && rule.Needed:
		return warn(named + ", which does not exist")
	case kind == machine.PathMissing && wanted == machine.PathDirectory && looksLikeFile(v.Path):
		return warn(fmt.Sprintf("%s, which is named like a file, and a directory is wanted", named))
	case kind != wanted && kind != machine.PathMissing && kind != machine.PathOther:
		return warn(fmt.Sprintf("%s, which is a %s, and a %s is wanted", named, kind, wanted))
	case v.Writable.Known() && !v.Writable.Value && strings.HasPrefix(v.Name, "MIOPEN_"):
		return check.NotHere(v.Name, fmt.Sprintf("whether %s can be written is asked for the cache itself (miopen/cache-writable)", named))
	case v.Writable.Known() && !v.Writable.Value:
		return warn(fmt.Sprintf("%s, which this user may not write to", named))
	}
	f.Verdict, f.Message = check.OK, v.Name+" points to "+named
	return f
}

// looksLikeFile knows the names that MIOpen's own files end with.
func looksLikeFile(p string) bool {
	return slices.Contains([]string{".db", ".txt", ".udb", ".ukdb", ".kdb", ".ufdb", ".sqlite"}, path.Ext(p))
}

func repoint(m *machine.Machine, v machine.VariablePath, rule rocm.PathRule) remedy.Remedy {
	if rule.Written && rule.Is == "directory" {
		return cure.For(m, "env-own-directory", cure.Values{"name": v.Name, "directory": directoryFor(v.Name)})
	}
	return setting{Variable: machine.Variable{Name: v.Name}, lines: m.SourcesOf(v.Name)}.unset(m)
}

// directoryFor is a place of the user's own, apart for databases and kernels.
func directoryFor(name string) string {
	if name == "MIOPEN_USER_DB_PATH" {
		return "$HOME/.config/miopen"
	}
	return "$HOME/.cache/miopen"
}

func pathEvidence(m *machine.Machine, v machine.VariablePath) []machine.Evidence {
	value, _ := m.Variable(v.Name)
	s := setting{Variable: machine.Variable{Name: v.Name, Value: value}, set: true, lines: m.SourcesOf(v.Name)}
	out := s.evidence(m)
	if v.Kind.Known() {
		text := string(v.Kind.Value)
		if v.Writable.Known() && !v.Writable.Value {
			text += "; writing: " + v.Writable.Why
		}
		out = append(out, machine.Evidence{From: v.Kind.From, Text: text})
	}
	return out
}
