package runtime

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runSDKs(in check.Input) []check.Finding {
	m := in.Machine
	if none := elsewhere(m); none != nil {
		return none
	}
	var out []check.Finding
	for _, i := range m.HIPSDKs() {
		for _, g := range m.TargetGPUs() {
			out = append(out, judgeTable(m, i, m.EffectiveGfx(g)))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("HIP SDK", "no HIP SDK is installed, or no GPU is known by its gfx")}
	}
	return out
}

func judgeTable(m *machine.Machine, i machine.Installation, gfx string) check.Finding {
	support, row := rocm.SupportInSDK(folderName(i), gfx)
	f := check.Finding{
		Subject: gfx + " in " + name(i), Verdict: check.OK, Message: fmt.Sprintf("AMD lists %s for %s, with its libraries", gfx, name(i)),
		Evidence: []machine.Evidence{{From: i.From, Text: i.Path}, machine.Cite(row.Provenance)},
	}
	switch {
	case support == rocm.SDKUnknown:
		return check.NotHere(f.Subject, "AMD's table for "+name(i)+" was not read as far as "+gfx+" is concerned")
	case support == rocm.SDKLibraries:
		return f
	case hasKernels(m, i, gfx):
		f.Message = fmt.Sprintf("%s has kernels for %s, which AMD's table does not name with its libraries", name(i), gfx)
		return f
	}
	f.Verdict, f.Cause = check.Warn, "unsupported-arch-dropped"
	switch support {
	case rocm.SDKRuntimeOnly:
		f.Message = fmt.Sprintf("AMD lists %s for %s with the runtime only. HIP programs run; rocBLAS and the other libraries hold no code for it.", gfx, name(i))
	case rocm.SDKDropped:
		f.Message = fmt.Sprintf("AMD no longer lists %s for %s. An earlier SDK did, and may still run.", gfx, name(i))
	case rocm.SDKLibraries, rocm.SDKUnknown, rocm.SDKUnlisted:
		f.Message = fmt.Sprintf("AMD does not list %s for %s. The runtime may find the GPU all the same; the libraries hold no code for it.", gfx, name(i))
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "rocm-for-gpu", cure.Values{"gfx": gfx, "want": whatElse(m, i, gfx)})}
	return f
}

func hasKernels(m *machine.Machine, i machine.Installation, gfx string) bool {
	for _, k := range m.KernelFolders(machine.RocBLAS) {
		if k.Owner == i.Path && k.Holds(gfx) {
			return true
		}
	}
	return false
}

// whatElse names other software for the GPU, as far as it is known.
func whatElse(m *machine.Machine, i machine.Installation, gfx string) string {
	for _, other := range m.HIPSDKs() {
		if s, _ := rocm.SupportInSDK(folderName(other), gfx); s == rocm.SDKLibraries {
			return "use " + name(other) + ", whose table has it"
		}
	}
	if offer, ok := rocm.CommunityKernelsFor(folderName(i), gfx); ok {
		return "others have built kernels for it: github.com/" + offer.Project + " (community), for this version of the SDK"
	}
	for _, s := range rocm.WindowsSDKs() {
		if support, _ := rocm.SupportInSDK(s.SDK, gfx); support == rocm.SDKLibraries {
			return "HIP SDK " + s.Release + " lists it with its libraries"
		}
	}
	return "programs with a Vulkan or DirectX back end do without ROCm"
}
