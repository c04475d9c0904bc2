package runtime

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runSDKs(in check.Input) []check.Finding {
	m := in.Machine
	if none := notAsked(m); none != nil {
		return none
	}
	var out []check.Finding
	for _, i := range m.HIPSDKs() {
		if f, older := judgeSystem(m, i); older {
			out = append(out, f)
		}
		for _, g := range m.TargetGPUs() {
			out = append(out, judgeTable(m, i, m.EffectiveGfx(g)))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("HIP SDK", "no HIP SDK is installed, or no GPU is known by its gfx")}
	}
	return out
}

// judgeSystem holds Windows against the one that AMD names for an SDK.
func judgeSystem(m *machine.Machine, i machine.Installation) (check.Finding, bool) {
	row, known := rocm.WindowsFor(folderName(i))
	build, err := strconv.Atoi(m.Kernel.Value)
	if !known || err != nil || build >= row.Build {
		return check.Finding{}, false
	}
	f := check.Finding{
		Subject: "Windows for " + i.SDKName(), Verdict: check.Warn,
		Message:  fmt.Sprintf("AMD names %s for %s, and this is %s, build %d. It may run all the same; where programs find no GPU, this is one of the possible causes.", row.OS, i.SDKName(), m.Distro.Value.Name, build),
		Evidence: []machine.Evidence{{From: m.Kernel.From, Text: m.Kernel.Value}, machine.Cite(row.Provenance)},
	}
	for _, g := range m.TargetGPUs() {
		if r, ok := listedSDK(m, m.EffectiveGfx(g), build); ok {
			f.Remedies = []remedy.Remedy{r}
			break
		}
	}
	return f, true
}

func judgeTable(m *machine.Machine, i machine.Installation, gfx string) check.Finding {
	support, row := rocm.SupportInSDK(folderName(i), gfx)
	f := check.Finding{
		Subject: gfx + " in " + i.SDKName(), Verdict: check.OK, Message: fmt.Sprintf("AMD lists %s for %s, with its libraries", gfx, i.SDKName()),
		Evidence: []machine.Evidence{{From: i.From, Text: i.Path}, machine.Cite(row.Provenance)},
	}
	switch {
	case support == rocm.SDKLibraries:
		return f
	case beforeRDNA3(m, i, gfx):
		return doubtHIP7(m, f, i, gfx)
	case support == rocm.SDKUnknown:
		return check.NotHere(f.Subject, "AMD's table for "+i.SDKName()+" was not read as far as "+gfx+" is concerned")
	case m.HoldsKernels(i, gfx):
		f.Message = fmt.Sprintf("%s has kernels for %s, which AMD's table does not name with its libraries", upperFirst(i.SDKName()), gfx)
		return f
	}
	f.Verdict, f.Cause = check.Warn, "unsupported-arch-dropped"
	switch support {
	case rocm.SDKRuntimeOnly:
		f.Message = fmt.Sprintf("AMD lists %s for %s with the runtime only. HIP programs run; rocBLAS and the other libraries hold no code for it.", gfx, i.SDKName())
	case rocm.SDKDropped:
		f.Message = fmt.Sprintf("AMD no longer lists %s for %s. An earlier SDK did, and may still run.", gfx, i.SDKName())
	case rocm.SDKLibraries, rocm.SDKUnknown, rocm.SDKUnlisted:
		f.Message = fmt.Sprintf("AMD does not list %s for %s. The runtime may find the GPU all the same; the libraries hold no code for it.", gfx, i.SDKName())
	}
	f.Remedies = softwareFor(m, i, gfx)
	return f
}

// beforeRDNA3 reports a GPU of RDNA1 or RDNA2 under HIP 7.
func beforeRDNA3(m *machine.Machine, i machine.Installation, gfx string) bool {
	return m.HIPMajor(i) == 7 && m.DriverRuns(7) && strings.HasPrefix(gfx, "gfx10")
}

// doubtHIP7 does not call green what was seen to find no GPU. The files do not tell
// which of the causes it is, so all are named.
func doubtHIP7(m *machine.Machine, f check.Finding, i machine.Installation, gfx string) check.Finding {
	rule, _ := rocm.LookupWindowsRule("hip-7-before-rdna3")
	f.Verdict, f.Cause = check.Warn, "unsupported-arch-dropped"
	f.Message = fmt.Sprintf("%s may not find a %s on Windows. %s", upperFirst(i.SDKName()), gfx, rule.Text)
	f.Evidence = []machine.Evidence{{From: i.From, Text: i.Path}, {From: m.Kernel.From, Text: "build " + m.Kernel.Value}, machine.Cite(rule.Provenance)}
	f.Evidence = append(f.Evidence, driverEvidence(m)...)
	f.Remedies = softwareFor(m, i, gfx)
	return f
}

// softwareFor names other software for the GPU, as far as it is known.
func softwareFor(m *machine.Machine, i machine.Installation, gfx string) []remedy.Remedy {
	for _, o := range fits(m) {
		if o.runs && o.kernels && o.sdk.Path != i.Path && gfx == m.EffectiveGfx(m.TargetGPUs()[0]) {
			return []remedy.Remedy{otherSDK(m, versionOf(o.sdk), "it is installed, its rocBLAS holds kernels for "+gfx+", and the display driver brings its runtime")}
		}
	}
	build, _ := strconv.Atoi(m.Kernel.Value)
	if r, ok := listedSDK(m, gfx, build); ok {
		return []remedy.Remedy{r}
	}
	want := "programs with a Vulkan or DirectX back end do without ROCm"
	if offer, ok := rocm.CommunityKernelsFor(folderName(i), gfx); ok && m.DriverRuns(m.HIPMajor(i)) {
		want = "others have built kernels for it: github.com/" + offer.Project + " (community), for this version of the SDK"
	}
	return []remedy.Remedy{cure.For(m, "windows-other-software", cure.Values{"gfx": gfx, "want": want})}
}

// listedSDK names the newest SDK that lists a GPU, and that this driver and this
// Windows run.
func listedSDK(m *machine.Machine, gfx string, build int) (remedy.Remedy, bool) {
	sdk, ok := rocm.NewestSDKFor(gfx, m.DriverRuns)
	if row, named := rocm.WindowsFor(sdk.SDK); !ok || named && build < row.Build {
		return remedy.Remedy{}, false
	}
	return otherSDK(m, sdk.Release, "AMD lists "+gfx+" for it with its libraries, and the display driver brings its runtime"), true
}

func otherSDK(m *machine.Machine, sdk, why string) remedy.Remedy {
	return cure.For(m, "hip-sdk-other", cure.Values{"sdk": sdk, "why": why})
}
