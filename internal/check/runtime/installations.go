package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func runInstallations(in check.Input) []check.Finding {
	m := in.Machine
	const subject = "ROCm installations"
	if m.ROCm.Unread() {
		return []check.Finding{check.CannotTell(subject, "which ROCm a program would use", m.ROCm.From, m.ROCm.Why)}
	}
	found := shared(m)
	if len(found) == 0 {
		return []check.Finding{check.NotHere(subject, "ROCm is not installed for the whole system")}
	}
	if gone := pointersGone(m); len(gone) > 0 {
		return []check.Finding{warnGone(m, gone, found)}
	}
	if meant := pointedAt(m, found); len(meant) > 1 {
		return []check.Finding{warnApart(m, meant)}
	}
	return []check.Finding{{Subject: subject, Verdict: check.OK, Message: winner(m, found), Evidence: whereFound(found)}}
}

// shared are the installations that any program of the system may use; those of
// Python environments have no part in it.
func shared(m *machine.Machine) []machine.Installation {
	var out []machine.Installation
	for _, i := range m.ROCm.Value {
		if i.How != machine.HowWheels && i.How != machine.HowTorchWheel {
			out = append(out, i)
		}
	}
	return out
}

// pointersGone are folders in lists of folders. What other variables name is
// asked by env/paths.
func pointersGone(m *machine.Machine) []machine.Pointer {
	var out []machine.Pointer
	for _, p := range m.Linkage.Value.Pointers {
		if p.There.Absent() && (p.Variable == "PATH" || p.Variable == "LD_LIBRARY_PATH") {
			out = append(out, p)
		}
	}
	return out
}

// A meaning is an installation, and what points to it.
type meaning struct {
	machine.Installation
	pointers []machine.Pointer
}

func pointedAt(m *machine.Machine, found []machine.Installation) []meaning {
	var out []meaning
	for _, p := range m.Linkage.Value.Pointers {
		i := slices.IndexFunc(found, func(i machine.Installation) bool { return below(p.Real, i.Path) })
		if i < 0 {
			continue
		}
		at := slices.IndexFunc(out, func(o meaning) bool { return o.Path == found[i].Path })
		if at < 0 {
			at = len(out)
			out = append(out, meaning{Installation: found[i]})
		}
		out[at].pointers = append(out[at].pointers, p)
	}
	return out
}

func warnApart(m *machine.Machine, meant []meaning) check.Finding {
	f := check.Finding{Subject: "ROCm installations", Verdict: check.Warn, Cause: "hip-path-wrong-sdk"}
	var parts []string
	for _, o := range meant[:2] {
		parts = append(parts, fmt.Sprintf("%s to %s", o.pointers[0].Variable, o.Path))
	}
	f.Message = fmt.Sprintf("Variables lead to different ROCm installations: %s. What is compiled with one and run with the other may not start, or compute wrong results.", strings.Join(parts, ", "))
	for _, o := range meant {
		for _, p := range o.pointers {
			f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(p.Variable), Text: p.Path + " is in " + o.Path})
		}
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "point-to-one-rocm", cure.Values{"path": meant[0].Path})}
	return f
}

func warnGone(m *machine.Machine, gone []machine.Pointer, found []machine.Installation) check.Finding {
	f := check.Finding{Subject: "ROCm installations", Verdict: check.Warn, Cause: "hip-path-wrong-sdk"}
	f.Message = fmt.Sprintf("%s names %s, and that ROCm is no longer there. Programs fall back to another one without a word: %s.", gone[0].Variable, gone[0].Path, winner(m, found))
	for _, p := range gone {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(p.Variable), Text: p.Path + " does not exist"})
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "point-to-one-rocm", cure.Values{"path": found[0].Path})}
	return f
}

// winner says which one a program without a search path of its own gets.
func winner(m *machine.Machine, found []machine.Installation) string {
	var parts []string
	for _, l := range m.Linkage.Value.Plain {
		parts = append(parts, fmt.Sprintf("%s from %s (%s)", l.Name, l.Path, l.How))
	}
	switch {
	case len(found) == 1 && len(parts) == 0:
		return fmt.Sprintf("one ROCm is installed, %s in %s", found[0].Version, found[0].Path)
	case len(parts) == 0:
		return fmt.Sprintf("%d ROCm installations stand side by side, and a program without a search path of its own finds none of them", len(found))
	case len(found) == 1:
		return "a program without a search path of its own gets " + strings.Join(parts, " and ")
	}
	return fmt.Sprintf("of %d ROCm installations a program without a search path of its own gets %s", len(found), strings.Join(parts, " and "))
}

func whereFound(found []machine.Installation) []machine.Evidence {
	var out []machine.Evidence
	for _, i := range found {
		out = append(out, machine.Evidence{From: i.From, Text: i.Version})
	}
	return out
}
