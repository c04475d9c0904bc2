package coverage

import (
	"fmt"
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
	for _, f := range folders {
		if f.Variable != "" {
			folders = []machine.KernelFolder{f}
			break
		}
	}
	var out []question
	for _, f := range folders {
		for _, g := range m.TargetGPUs() {
			out = append(out, question{m, f, g, m.EffectiveGfx(g)})
		}
	}
	return out
}

// noFolder is the answer where there is nothing to judge.
func noFolder(m *machine.Machine, library string) []check.Finding {
	why := "no " + library + " whose kernels can be listed was found"
	for _, f := range m.Kernels.Value {
		if f.Library == library && f.Listed.Unread() {
			why = fmt.Sprintf("the kernels of %s in %s cannot be listed: %s", library, f.Path, f.Listed.Why)
		}
	}
	return []check.Finding{check.NotHere(library, why)}
}

// idle reports an SDK of Windows that no program can use, because the display
// driver brings no runtime for it.
func (q question) idle() (check.Finding, bool) {
	i, known := q.m.Installation(q.folder.Owner)
	if !known || i.How != machine.HowHIPSDK || q.m.Windows.Folders.Unread() || q.m.DriverRuns(q.m.HIPMajor(i)) {
		return check.Finding{}, false
	}
	return check.NotHere(q.subject(), fmt.Sprintf("the display driver brings no runtime for HIP SDK %s (runtime/dlls)", i.Version)), true
}

// usable reports whether programs find kernels for the GPU in the folder.
func (q question) usable() bool {
	_, idle := q.idle()
	return !idle && q.folder.Holds(q.gfx)
}

func (q question) subject() string { return q.gfx + " in " + q.folder.Path }

// whose names the folder by the installation that it belongs to.
func (q question) whose() string {
	i, known := q.m.Installation(q.folder.Owner)
	switch {
	case !known:
		return fmt.Sprintf("%s in the folder that %s names", q.folder.Library, q.folder.Variable)
	case i.How == machine.HowTorchWheel:
		return fmt.Sprintf("%s of torch %s", q.folder.Library, i.Torch)
	case i.How == machine.HowHIPSDK:
		return fmt.Sprintf("%s of HIP SDK %s", q.folder.Library, i.Version)
	case i.How == machine.HowWheels:
		return fmt.Sprintf("%s of the wheels of ROCm %s", q.folder.Library, i.Version)
	case i.How == machine.HowDistribution:
		return fmt.Sprintf("The distribution's %s", q.folder.Library)
	}
	return fmt.Sprintf("%s of ROCm %s", q.folder.Library, i.Version)
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
	t := q.folder.Target(q.gfx)
	text := fmt.Sprintf("for %s: %s", q.gfx, countsOf(t))
	if q.folder.OneIndex {
		text += "; one index for all"
	}
	out := []machine.Evidence{{From: q.folder.Listed.From, Text: text}}
	if held := q.held(); len(held) > 0 {
		out = append(out, machine.Evidence{From: "it holds", Text: strings.Join(held, " ")})
	}
	if v, set := q.m.Override(q.gpu); set {
		out = append(out, machine.Evidence{From: q.m.Variables.From, Text: v.Name + "=" + v.Value})
	}
	return out
}

func countsOf(t machine.KernelTarget) string {
	if t.Packed > 0 && t.Code() == 0 {
		return fmt.Sprintf("%d archives of kernels", t.Packed)
	}
	if t.Index.Count()+t.Code()+t.Helpers.Count()+t.Catalogues == 0 {
		return "no file"
	}
	return fmt.Sprintf("%d index, %d tuned, %d fallback, %d helper files", t.Index.Count(), t.Own(), t.Fallback.Count(), t.Helpers.Count())
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
