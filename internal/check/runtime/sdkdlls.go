package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// judgeSDK holds an SDK against the runtimes of the driver.
func judgeSDK(m *machine.Machine, i machine.Installation) check.Finding {
	folder, major, name := m.DLLsOf(i), m.HIPMajor(i), i.SDKName()
	want, known := rocm.DriverDLLOf(major)
	switch {
	case folder.Listed.Unread():
		return check.CannotTell(name, "whether "+name+" and the display driver fit together", folder.Listed.From, folder.Listed.Why)
	case !known:
		return check.CannotTell(name, "which HIP runtime "+name+" needs", machine.Source(folder.Path), "it holds none, and its version does not tell")
	}
	f := check.Finding{Subject: name, Verdict: check.OK, Evidence: append(driverEvidence(m), folderEvidence(folder))}
	own, there := folder.Has(want.DLL)
	driverDLL, _ := m.DriverFolder().Has(want.DLL)
	_, driverLacksComgr := missingComgr(m, want.DLL)
	switch {
	case len(m.DriverFolder().Runtimes()) == 0:
		return check.NotHere(name, "the display driver brings no runtime at all")
	case !m.DriverRuns(major):
		return driverTooOld(m, f, i, want)
	case there && len(folder.Comgr()) == 0 && driverLacksComgr:
		return sdkWithoutComgr(m, f, i, want)
	case older(driverDLL, own):
		return driverOlder(m, f, i, driverDLL, own)
	}
	f.Message = fmt.Sprintf("%s and the display driver bring HIP %d", upperFirst(name), major)
	if blas := hipBLAS(folder); blas != "" {
		f.Message += fmt.Sprintf(". Its hipBLAS is called %s; programs that ask for the other name do not start with it", blas)
	}
	return f
}

// driverTooOld is an SDK whose runtime the driver lacks.
func driverTooOld(m *machine.Machine, f check.Finding, i machine.Installation, want rocm.DriverDLL) check.Finding {
	f.Verdict, f.Cause = check.Fail, "hip-sdk-driver-mismatch"
	if anyRuns(m) {
		f.Verdict = check.Warn
	}
	f.Message = fmt.Sprintf("%s needs %s from the display driver, which does not bring it. %s brings %s, so programs built for HIP %d find no GPU.%s",
		upperFirst(i.SDKName()), want.DLL, upperFirst(driver(m)), runtimesOf(m.DriverFolder()), want.Major, noShim(m, want))
	f.Evidence = append(f.Evidence, cite("driver-brings-runtime", shimRule(want.Major))...)
	if want.Major == 7 {
		f.Evidence = append(f.Evidence, cite("driver-too-old")...)
	}
	f.Remedies = tooOldRemedies(m, i, want)
	return f
}

// anyRuns reports an SDK whose runtime the driver brings.
func anyRuns(m *machine.Machine) bool {
	return slices.ContainsFunc(fits(m), func(o fit) bool { return o.runs })
}

// tooOldRemedies puts the newer driver first only where a GPU gains by it: AMD lists
// it for the SDK, or the SDK holds its kernels, and no other SDK here runs.
func tooOldRemedies(m *machine.Machine, i machine.Installation, want rocm.DriverDLL) []remedy.Remedy {
	runtimes := m.DriverFolder().Runtimes()
	major, _ := rocm.RuntimeMajor(runtimes[len(runtimes)-1].Name)
	other := cure.For(m, "hip-sdk-for-driver", cure.Values{"major": fmt.Sprint(major), "sdks": sdksOf(m, major)})
	gains := slices.ContainsFunc(m.TargetGPUs(), func(g machine.GPU) bool {
		gfx := m.EffectiveGfx(g)
		s, _ := rocm.SupportInSDK(folderName(i), gfx)
		return s == rocm.SDKLibraries || s == rocm.SDKUnknown && m.HoldsKernels(i, gfx)
	})
	if gains && !anyRuns(m) {
		return []remedy.Remedy{newerDriver(m, want.DLL), other}
	}
	return []remedy.Remedy{other, newerDriver(m, want.DLL)}
}

// sdksOf names the SDKs of a major: those that are installed, else the newest that
// lists a GPU here, else the newest.
func sdksOf(m *machine.Machine, major int) string {
	var words []string
	for _, i := range m.HIPSDKs() {
		if m.HIPMajor(i) == major {
			words = append(words, versionOf(i)+", which is installed")
		}
	}
	if len(words) > 0 {
		return strings.Join(words, " or ")
	}
	same := func(o int) bool { return o == major }
	for _, g := range m.TargetGPUs() {
		if s, ok := rocm.NewestSDKFor(m.EffectiveGfx(g), same); ok {
			return s.Release
		}
	}
	newest := ""
	for _, s := range rocm.WindowsSDKs() {
		if s.Major == major && !s.Unverified {
			newest = s.Release
		}
	}
	return newest
}

func sdkWithoutComgr(m *machine.Machine, f check.Finding, i machine.Installation, want rocm.DriverDLL) check.Finding {
	f.Verdict, f.Cause = check.Warn, "comgr-missing"
	f.Message = fmt.Sprintf("%s has %s and no amd_comgr*.dll beside it. A program that loads the runtime from there finds no comgr, which reads the code for the GPU, and says that there is no device.", upperFirst(i.SDKName()), want.DLL)
	f.Remedies = []remedy.Remedy{cure.For(m, "hip-sdk-repair", cure.Values{"sdk": versionOf(i)})}
	return f
}

func older(a, b machine.DLL) bool {
	return a.Version.Known() && b.Version.Known() && rocm.CompareVersions(a.Version.Value, b.Version.Value) < 0
}

// driverOlder is a runtime of the right major that is older than the SDK.
func driverOlder(m *machine.Machine, f check.Finding, i machine.Installation, driverDLL, own machine.DLL) check.Finding {
	f.Verdict, f.Cause = check.Warn, "hip-sdk-driver-mismatch"
	f.Message = fmt.Sprintf("The driver's %s is older than that of %s: %s before %s. The one in System32 is loaded first, so programs that need something newer do not start, or miss it.", driverDLL.Name, i.SDKName(), driverDLL.Version.Value, own.Version.Value)
	f.Evidence = append(f.Evidence, cite("system32-first")...)
	f.Remedies = []remedy.Remedy{newerDriver(m, driverDLL.Name)}
	return f
}

// hipBLAS is the name under which a folder has it.
func hipBLAS(f machine.DLLFolder) string {
	for _, n := range []string{"hipblas.dll", "libhipblas.dll"} {
		if _, there := f.Has(n); there {
			return n
		}
	}
	return ""
}
