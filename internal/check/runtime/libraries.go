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
			out = append(out, check.Finding{Subject: f.Path, Verdict: check.OK, Message: label(f) + " finds every library that it needs" + taken(f) + noHIP(f), Evidence: loads(f)})
		}
	}
	return out
}

// noHIP says so of a program that somebody asked about, and that does not ask for
// HIP itself; it may still load it later.
func noHIP(f machine.Linked) string {
	if f.How == "" && len(f.Gets) == 0 && !strings.Contains(f.Software, " ") {
		return ", and asks for none of HIP's"
	}
	return ""
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

// A gap is a library that is missing, and all whom it stops.
type gap struct {
	machine.MissingLibrary
	more  []string // others that are missing for the same reason
	files []machine.Linked
}

// grouped brings together files that stop at the same place: one library that is
// missing at the bottom stops all that stand on it, and a cache that is old hides
// all libraries of a folder.
func grouped(files []machine.Linked) []gap {
	var out []gap
	for _, f := range files {
		for _, l := range wanting(f) {
			i := slices.IndexFunc(out, func(g gap) bool { return g.Name == l.Name || len(g.Lies) > 0 && len(l.Lies) > 0 })
			if i < 0 {
				out = append(out, gap{MissingLibrary: l, files: []machine.Linked{f}})
				continue
			}
			out[i].files = append(out[i].files, f)
			if l.Name != out[i].Name && !slices.Contains(out[i].more, l.Name) {
				out[i].more = append(out[i].more, l.Name)
			}
		}
	}
	return out
}

func (g gap) asker() string { return g.Chain[len(g.Chain)-1] }

func (g gap) finding(m *machine.Machine) check.Finding {
	f := check.Finding{
		Subject: g.Name, Verdict: check.Warn, Cause: "library-not-found", Evidence: g.evidence(m),
		Remedies: bring(m, g.files[0], g.MissingLibrary, g.otherNumber(m)),
	}
	// sudo drops LD_LIBRARY_PATH: the one who called it may find what lies apart.
	optional := !slices.ContainsFunc(g.files, func(f machine.Linked) bool { return !f.Optional })
	if !optional && (len(g.Beside) == 0 || !m.Caller.Known()) {
		f.Verdict = check.Fail
	}
	f.Message = fmt.Sprintf("%s. %s. This stops %s.", g.headline(), g.why(m), g.stopped())
	return f
}

func (g gap) headline() string {
	if len(g.more) > 0 {
		return fmt.Sprintf("%d libraries of ROCm are not found, %s first", len(g.more)+1, g.Name)
	}
	who := path.Base(g.asker())
	if g.asker() == g.files[0].Path {
		who = label(g.files[0])
	}
	return fmt.Sprintf("%s is not found, and %s needs it", g.Name, who)
}

func (g gap) why(m *machine.Machine) string {
	other := g.otherNumber(m)
	switch {
	case other != "":
		return fmt.Sprintf("%s is there, which is of another ROCm release and does not replace it", other)
	case len(g.Lies) > 0:
		return fmt.Sprintf("It lies in %s, a folder of /etc/ld.so.conf, but ldconfig was not run since", path.Dir(g.Lies[0]))
	case len(g.Beside) > 0:
		return fmt.Sprintf("It lies in %s, where the loader does not look for it", path.Dir(g.Beside[0]))
	}
	return fmt.Sprintf("Programs stop with \"%s: cannot open shared object file\", whatever they asked for first", g.Name)
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
	for _, p := range slices.Concat(g.Lies, g.Beside)[:min(1, len(g.Lies)+len(g.Beside))] {
		out = append(out, machine.Evidence{From: machine.Source(p), Text: "is there"})
	}
	if len(g.more) > 0 {
		out = append(out, machine.Evidence{From: "also missing", Text: some(g.more, 8)})
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

// bring is the cure for a library that a file does not find.
func bring(m *machine.Machine, f machine.Linked, l machine.MissingLibrary, otherNumber string) []remedy.Remedy {
	switch {
	case otherNumber != "":
		want := fmt.Sprintf("install a build of %s for the ROCm that is installed here, or the ROCm release that has %s beside it; a link under the other name hides the difference and breaks later", f.Software, l.Name)
		return []remedy.Remedy{cure.For(m, "match-release", cure.Values{"want": want})}
	case len(l.Lies) > 0:
		return []remedy.Remedy{cure.For(m, "run-ldconfig", nil)}
	case len(l.Beside) > 0:
		return []remedy.Remedy{cure.For(m, "library-folder", cure.Values{"folder": path.Dir(l.Beside[0])})}
	}
	return []remedy.Remedy{install(m, f, l.Name)}
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
