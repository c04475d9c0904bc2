package runtime

import (
	"fmt"
	"path"
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
	if none := onWindows(m); none != nil {
		return none
	}
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
	return []check.Finding{{Subject: subject, Verdict: check.OK, Message: counted(m, found) + plain(m), Evidence: whereFound(found)}}
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

// pointedAt lists the installations that variables mean. In a list of folders the
// first one counts.
func pointedAt(m *machine.Machine, found []machine.Installation) []meaning {
	var out []meaning
	seen := map[string]bool{}
	for _, p := range m.Linkage.Value.Pointers {
		i := slices.IndexFunc(found, func(i machine.Installation) bool { return below(p.Real, i.Path) })
		if i < 0 || seen[p.Variable] {
			continue
		}
		seen[p.Variable] = true
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
	f.Message = fmt.Sprintf("%s names %s, and that ROCm is no longer there. Programs take another one without a word%s.", gone[0].Variable, gone[0].Path, plain(m))
	for _, p := range gone {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(p.Variable), Text: p.Path + " does not exist"})
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "point-to-one-rocm", cure.Values{"path": found[0].Path})}
	return f
}

// counted names the installations, and the one that wins.
func counted(m *machine.Machine, found []machine.Installation) string {
	if len(found) == 1 {
		return fmt.Sprintf("One ROCm is installed, %s in %s", found[0].Version, found[0].Path)
	}
	for _, l := range m.Linkage.Value.Plain {
		for _, i := range found {
			if below(l.Real, i.Path) {
				return fmt.Sprintf("Of %d ROCm installations, the one in %s is found first", len(found), i.Path)
			}
		}
	}
	return fmt.Sprintf("%d ROCm installations stand side by side, and none is found without a search path", len(found))
}

// plain says what a program without a search path of its own gets.
func plain(m *machine.Machine) string {
	var parts []string
	for _, l := range m.Linkage.Value.Plain {
		parts = append(parts, fmt.Sprintf("%s from %s (%s)", l.Name, path.Dir(l.Path), l.How))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(". A program without a search path of its own gets %s", strings.Join(parts, " and "))
}

func whereFound(found []machine.Installation) []machine.Evidence {
	var out []machine.Evidence
	for _, i := range found {
		out = append(out, machine.Evidence{From: i.From, Text: i.Version})
	}
	return out
}
