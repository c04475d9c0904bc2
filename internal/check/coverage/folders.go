package coverage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// A question is whether one folder of kernels holds one GPU.
type question struct {
	m      *machine.Machine
	folder machine.KernelFolder
	gpu    machine.GPU
	gfx    string // what programs look up
}

// questions pairs the folders of a library with the GPUs. A folder that a
// variable names is read by every program, whatever else is installed.
func questions(m *machine.Machine, library string) []question {
	folders := m.KernelFolders(library)
	if i := slices.IndexFunc(folders, func(f machine.KernelFolder) bool { return f.Variable != "" }); i >= 0 {
		folders = folders[i : i+1]
	}
	var out []question
	for _, f := range folders {
		for _, g := range m.TargetGPUs() {
			out = append(out, question{m, f, g, m.EffectiveGfx(g)})
		}
	}
	return out
}

// judgeFolders asks about each folder of a library's kernels and each GPU.
func judgeFolders(m *machine.Machine, library string, judge func(q question, asked []question) check.Finding) []check.Finding {
	asked := questions(m, library)
	if len(asked) == 0 {
		return []check.Finding{check.NotHere(library, "no "+library+" whose kernels can be listed was found")}
	}
	var out []check.Finding
	for _, q := range asked {
		f, unasked := q.unasked()
		if !unasked {
			f = judge(q, asked)
		}
		out = append(out, f)
	}
	return out
}

// unasked is the answer of a folder that nothing can be said of: it could not be
// listed, its names do not tell, or no program can use it.
func (q question) unasked() (check.Finding, bool) {
	if q.folder.Listed.Unread() {
		return check.CannotTell(q.subject(), fmt.Sprintf("whether %s has kernels for %s", q.whose(), q.gfx), q.folder.Listed.From, q.folder.Listed.Why), true
	}
	if t := q.folder.Target(q.gfx); q.folder.OneIndex && t.Code() == 0 && t.Helpers.Count() > 0 {
		// Before lazy loading, Tensile put its fallback kernels into the same file.
		return check.CannotTell(q.subject(), fmt.Sprintf("whether %s has kernels for %s", q.whose(), q.gfx), q.folder.Listed.From, "all that is there for it is Kernels.so-000-"+q.gfx+", whose name does not tell whether it holds them"), true
	}
	i, known := q.m.Installation(q.folder.Owner)
	if !known || !q.idle() {
		return check.Finding{}, false
	}
	return check.NotHere(q.subject(), fmt.Sprintf("the display driver brings no runtime for %s (runtime/dlls)", i.SDKName())), true
}

// idle reports an SDK of Windows that no program can use, because the display
// driver brings no runtime for it. Where its major is not known nothing is.
func (q question) idle() bool {
	i, known := q.m.Installation(q.folder.Owner)
	if !known || i.How != machine.HowHIPSDK || q.m.Windows.Folders.Unread() {
		return false
	}
	major := q.m.HIPMajor(i)
	return major != 0 && !q.m.DriverRuns(major)
}

// usable reports whether programs find kernels for the GPU in the folder.
func (q question) usable() bool { return !q.idle() && q.folder.Holds(q.gfx) }

func (q question) subject() string { return q.gfx + " in " + q.folder.Path }

// whose names the folder by the installation that it belongs to.
func (q question) whose() string {
	i, known := q.m.Installation(q.folder.Owner)
	if !known {
		return fmt.Sprintf("%s in the folder that %s names", q.folder.Library, q.folder.Variable)
	}
	if i.How == machine.HowDistribution {
		return fmt.Sprintf("The distribution's %s", q.folder.Library)
	}
	return fmt.Sprintf("%s of %s", q.folder.Library, nameOf(i))
}

// nameOf calls an installation what people call it.
func nameOf(i machine.Installation) string {
	switch i.How {
	case machine.HowTorchWheel:
		return "torch " + i.Torch
	case machine.HowHIPSDK:
		return i.SDKName()
	case machine.HowWheels:
		return "the wheels of ROCm " + i.Version
	case machine.HowDistribution:
		return "the distribution"
	}
	return "ROCm " + i.Version
}

// target names what is looked up, and the real GPU where an override hides it.
func (q question) target() string {
	if own := q.gpu.Gfx.Value; own != q.gfx {
		return fmt.Sprintf("%s, which the override makes of %s", q.gfx, own)
	}
	return q.gfx
}

// evidence is what stands in the folder.
func (q question) evidence() []machine.Evidence {
	text := "there is no such folder"
	if q.folder.Listed.Known() {
		text = fmt.Sprintf("for %s: %s", q.gfx, countsOf(q.folder.Target(q.gfx)))
	}
	if q.folder.OneIndex {
		text += "; one index for all"
	}
	out := []machine.Evidence{{From: machine.Source(q.folder.Path), Text: text}}
	if held := q.held(); len(held) > 0 {
		out = append(out, machine.Evidence{From: "it holds", Text: strings.Join(held, " ")})
	}
	if q.folder.Variable != "" {
		out = append(out, machine.Evidence{From: q.m.Variables.From, Text: q.folder.Variable + "=" + q.folder.Path})
	}
	if v, set := q.m.Override(q.gpu); set {
		out = append(out, machine.Evidence{From: q.m.Variables.From, Text: v.Name + "=" + v.Value})
	}
	return out
}

func countsOf(t machine.KernelTarget) string {
	if t.Index.Count()+t.Code()+t.Helpers.Count()+t.Catalogues == 0 {
		return "no file"
	}
	text := fmt.Sprintf("%d index, %d tuned, %d fallback, %d helper files", t.Index.Count(), t.Own(), t.Fallback.Count(), t.Helpers.Count())
	if t.Half > 0 {
		text += fmt.Sprintf("; %d types of kernels whole, %d with one half", t.Whole, t.Half)
	}
	return text
}

// held lists the targets that can be used.
func (q question) held() []string {
	var out []string
	for _, t := range q.folder.Targets {
		if q.folder.Holds(t.Gfx) {
			out = append(out, t.Gfx)
		}
	}
	return out
}
