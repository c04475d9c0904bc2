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

func runLibraries(in check.Input) []check.Finding {
	m := in.Machine
	files, none := looked(m, "whether ROCm's libraries find what they need")
	if none != nil {
		return none
	}
	var out []check.Finding
	for _, g := range grouped(files) {
		out = append(out, g.finding(m))
	}
	for _, f := range files {
		switch {
		case len(f.Refused) > 0:
			out = append(out, refusedFinding(m, f))
		case f.Unseen != "":
			out = append(out, check.CannotTell(f.Path, "what "+label(f)+" would load", machine.Source(f.Path), f.Unseen))
		case len(wanting(f)) == 0:
			out = append(out, check.Finding{Subject: f.Path, Verdict: check.OK, Message: label(f) + " finds every library that it needs"})
		}
	}
	return out
}

// nvidia begins the names of libraries that come with NVIDIA's driver and CUDA.
var nvidia = []string{"libcuda.", "libcudart.", "libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse", "libnvidia-", "libnvrtc", "libnvJitLink", "libnvToolsExt", "libnccl", "libnvinfer"}

// wanting are the missing libraries that are this check's business.
func wanting(f machine.Linked) []machine.MissingLibrary {
	var out []machine.MissingLibrary
	for _, l := range f.Missing {
		foreign := slices.ContainsFunc(nvidia, func(start string) bool { return strings.HasPrefix(l.Name, start) })
		if !foreign && stem(l.Name) != comgr {
			out = append(out, l)
		}
	}
	return out
}

// A gap is one library that is missing, and all whom it stops.
type gap struct {
	machine.MissingLibrary
	files []machine.Linked
}

// grouped brings together files that stop at the same place: one library that is
// missing at the bottom stops all that stand on it.
func grouped(files []machine.Linked) []gap {
	var out []gap
	for _, f := range files {
		for _, l := range wanting(f) {
			i := slices.IndexFunc(out, func(g gap) bool { return g.Name == l.Name })
			if i < 0 {
				out = append(out, gap{MissingLibrary: l, files: []machine.Linked{f}})
			} else {
				out[i].files = append(out[i].files, f)
			}
		}
	}
	return out
}

func (g gap) asker() string { return g.Chain[len(g.Chain)-1] }

func (g gap) finding(m *machine.Machine) check.Finding {
	f := check.Finding{
		Subject: g.Name, Verdict: check.Warn, Cause: "library-not-found", Evidence: g.evidence(m), Remedies: g.remedies(m),
	}
	if slices.ContainsFunc(g.files, func(f machine.Linked) bool { return !f.Optional }) {
		f.Verdict = check.Fail
	}
	head := fmt.Sprintf("%s is not found, and %s needs it", g.Name, path.Base(g.asker()))
	var why string
	switch other := g.otherNumber(m); {
	case other != "":
		why = fmt.Sprintf("%s is there, which is of another ROCm release and does not replace it", other)
	case len(g.Lies) > 0:
		why = fmt.Sprintf("It lies in %s, a folder of /etc/ld.so.conf, but ldconfig was not run since", path.Dir(g.Lies[0]))
	case len(g.Beside) > 0:
		why = fmt.Sprintf("It lies in %s, where the loader does not look for it", path.Dir(g.Beside[0]))
	default:
		why = fmt.Sprintf("Programs stop with \"%s: cannot open shared object file\", whatever they asked for first", g.Name)
	}
	f.Message = fmt.Sprintf("%s. %s. This stops %s.", head, why, g.stopped())
	return f
}

// stopped names the software that cannot be used.
func (g gap) stopped() string {
	var names []string
	for _, f := range g.files {
		names = append(names, f.Software)
	}
	slices.Sort(names)
	return some(names, 4)
}

func (g gap) evidence(m *machine.Machine) []machine.Evidence {
	out := []machine.Evidence{{From: machine.Source(g.asker()), Text: "needs " + g.Name}}
	if len(g.Chain) > 1 {
		out = append(out, machine.Evidence{From: "loaded by", Text: strings.Join(g.Chain, " → ")})
	}
	if len(g.Searched) > 0 {
		out = append(out, machine.Evidence{From: "searched", Text: some(g.Searched, 8)})
	}
	for _, p := range slices.Concat(g.Lies, g.Beside) {
		out = append(out, machine.Evidence{From: machine.Source(p), Text: "is there"})
	}
	return append(out, variable(m, "LD_LIBRARY_PATH")...)
}

// otherNumber finds the same library with another number among those of ROCm.
func (g gap) otherNumber(m *machine.Machine) string {
	if len(g.Lies)+len(g.Beside) > 0 {
		return ""
	}
	for _, f := range m.Linkage.Value.Files {
		for _, l := range f.Gets {
			if stem(l.Name) == stem(g.Name) && l.Name != g.Name {
				return l.Name
			}
		}
	}
	return ""
}

func (g gap) remedies(m *machine.Machine) []remedy.Remedy {
	first := g.files[0]
	if g.otherNumber(m) != "" {
		want := fmt.Sprintf("install a build of %s for the ROCm that is installed here, or the ROCm release that has %s beside it; a link under the other name hides the difference and breaks later", first.Software, g.Name)
		return []remedy.Remedy{cure.For(m, "match-release", cure.Values{"want": want})}
	}
	if len(g.Lies) > 0 {
		return []remedy.Remedy{cure.For(m, "run-ldconfig", nil)}
	}
	if len(g.Beside) > 0 {
		folder := path.Dir(g.Beside[0])
		return []remedy.Remedy{cure.For(m, "library-folder", cure.Values{"folder": folder})}
	}
	return []remedy.Remedy{install(m, first.How, g.Name)}
}

func refusedFinding(m *machine.Machine, f machine.Linked) check.Finding {
	bad := f.Refused[0]
	return check.Finding{
		Subject: f.Path, Verdict: check.Fail, Cause: "library-not-found",
		Message:  fmt.Sprintf("%s is no library that can be loaded. The loader stops at the first file of the right name, also where a good one would follow. This stops %s.", path.Base(bad.Path), f.Software),
		Evidence: []machine.Evidence{{From: machine.Source(bad.Path), Text: bad.Why}},
		Remedies: []remedy.Remedy{cure.For(m, "reinstall-library", cure.Values{"software": f.Software, "file": bad.Path})},
	}
}
