package coverage

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
	var out []check.Finding
	for _, i := range m.ROCm.Value {
		libraries := slices.DeleteFunc(slices.Clone(m.Libraries.Value), func(l machine.CodeLibrary) bool { return l.Owner != i.Path })
		if len(libraries) == 0 {
			continue
		}
		for _, g := range m.TargetGPUs() {
			out = append(out, judgeLibraries(m, i, libraries, m.EffectiveGfx(g)))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("libraries", "no installed library of ROCm whose code can be read was found")}
	}
	return out
}

// judgeLibraries asks all libraries of one installation about one GPU.
func judgeLibraries(m *machine.Machine, i machine.Installation, libraries []machine.CodeLibrary, gfx string) check.Finding {
	subject := gfx + " in " + i.Path
	f := check.Finding{Subject: subject, Verdict: check.OK, Message: fmt.Sprintf("The libraries of %s hold code for %s", nameOf(i), gfx)}
	var lacking []string
	certain := false
	for _, l := range libraries {
		if l.Code.Unread() {
			return check.CannotTell(subject, fmt.Sprintf("whether %s holds code for %s", l.Library, gfx), l.Code.From, l.Code.Why)
		}
		f.Evidence = append(f.Evidence, machine.Evidence{From: l.Code.From, Text: "holds code for " + strings.Join(l.Code.Value.Targets, " ")})
		if !holds(l.Code.Value.Targets, gfx) {
			lacking = append(lacking, path.Base(l.Path))
			// Nearly everything multiplies matrices; few programs need the others.
			certain = certain || l.Library == machine.RocBLAS && l.Code.Value.All && !heldElsewhere(m, l, gfx)
		}
	}
	if len(lacking) == 0 {
		return f
	}
	f.Verdict, f.Cause = check.Warn, "no-kernel-image-for-arch"
	if certain {
		f.Verdict = check.Fail
	}
	f.Message = withoutCode(m, i, lacking, gfx)
	f.Remedies = libraryRemedies(m, gfx)
	return f
}

func withoutCode(m *machine.Machine, i machine.Installation, lacking []string, gfx string) string {
	names, verb, them := lacking[0], "holds", "it"
	if last := len(lacking) - 1; last > 0 {
		names, verb, them = strings.Join(lacking[:last], ", ")+" and "+lacking[last], "hold", "them"
	}
	text := fmt.Sprintf("%s of %s %s no code for %s. Programs find the GPU, and stop with \"no kernel image is available\" or \"invalid device function\" when they call %s.", names, nameOf(i), verb, gfx, them)
	if slices.ContainsFunc(m.KernelFolders(machine.HipBLASLt), func(f machine.KernelFolder) bool { return f.Owner == i.Path && f.Holds(gfx) }) {
		text += " hipBLASLt has kernels for this GPU, so that it looks supported."
	}
	if m.HoldsKernels(i, gfx) {
		text += " The folder of rocBLAS has kernels for this GPU, and they are not enough."
	}
	return text
}

// heldElsewhere reports that another installation, or a torch that brings ROCm along,
// can be used instead.
func heldElsewhere(m *machine.Machine, l machine.CodeLibrary, gfx string) bool {
	other := slices.ContainsFunc(m.Libraries.Value, func(o machine.CodeLibrary) bool {
		return o.Library == l.Library && o.Owner != l.Owner && o.Code.Known() && holds(o.Code.Value.Targets, gfx)
	})
	return other || slices.ContainsFunc(m.ROCm.Value, inWheels)
}

func libraryRemedies(m *machine.Machine, gfx string) []remedy.Remedy {
	if own := ownTorch(m, gfx); len(own) > 0 {
		return own
	}
	want := "use a build that holds " + gfx + ", or your own build of these libraries with -DGPU_TARGETS=" + gfx
	return []remedy.Remedy{cure.For(m, "kernels-own-build", cure.Values{"gfx": gfx, "want": want})}
}
