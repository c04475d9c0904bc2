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
	folder, major := m.DLLsOf(i), m.HIPMajor(i)
	want, known := rocm.DriverDLLOf(major)
	if !known {
		return check.NotHere(name(i), "nothing tells which major of HIP "+name(i)+" has")
	}
	f := check.Finding{Subject: name(i), Verdict: check.OK, Evidence: append(driverEvidence(m), folderEvidence(folder))}
	own, there := folder.Has(want.DLL)
	driverDLL, _ := m.DriverFolder().Has(want.DLL)
	switch {
	case len(m.DriverFolder().Runtimes()) == 0:
		return check.NotHere(name(i), "the display driver brings no runtime at all")
	case !m.DriverRuns(major):
		return driverTooOld(m, f, i, want)
	case there && len(folder.Comgr()) == 0:
		return sdkWithoutComgr(m, f, i, want)
	case older(driverDLL, own):
		return driverOlder(m, f, i, driverDLL, own)
	}
	f.Message = fmt.Sprintf("%s and the display driver bring HIP %d", name(i), major)
	if blas := hipBLAS(folder); blas != "" {
		f.Message += fmt.Sprintf(". Its hipBLAS is called %s; programs that ask for the other name do not start with it", blas)
	}
	return f
}

// driverTooOld is an SDK whose runtime the driver lacks.
func driverTooOld(m *machine.Machine, f check.Finding, i machine.Installation, want rocm.DriverDLL) check.Finding {
	f.Verdict, f.Cause = check.Fail, "hip-sdk-driver-mismatch"
	all := fits(m)
	if len(all) > 0 && all[0].runs {
		f.Verdict = check.Warn
	}
	f.Message = fmt.Sprintf("%s needs %s from the display driver, which does not bring it. %s brings %s, so programs built for HIP %d find no GPU.%s",
		name(i), want.DLL, capital(driver(m)), brings(m.DriverFolder()), want.Major, noShim(m, want))
	f.Evidence = append(f.Evidence, cite("driver-brings-runtime", "driver-too-old", "no-shim")...)
	f.Remedies = tooOldRemedies(m, i, want)
	return f
}

// tooOldRemedies puts the newer driver first only where AMD lists the GPU for
// what it would bring.
func tooOldRemedies(m *machine.Machine, i machine.Installation, want rocm.DriverDLL) []remedy.Remedy {
	runtimes := m.DriverFolder().Runtimes()
	major, _ := rocm.RuntimeMajor(runtimes[len(runtimes)-1].Name)
	out := []remedy.Remedy{
		cure.For(m, "windows-newer-driver", cure.Values{"dll": want.DLL}),
		cure.For(m, "hip-sdk-for-driver", cure.Values{"major": fmt.Sprint(major), "sdks": sdksOf(m, major)}),
	}
	for _, g := range m.TargetGPUs() {
		if s, _ := rocm.SupportInSDK(folderName(i), m.EffectiveGfx(g)); s != rocm.SDKLibraries && len(m.HIPSDKs()) > 1 {
			slices.Reverse(out)
			break
		}
	}
	return out
}

// sdksOf names the SDKs of a major: those that are installed, else all.
func sdksOf(m *machine.Machine, major int) string {
	var words []string
	for _, i := range m.HIPSDKs() {
		if m.HIPMajor(i) == major {
			words = append(words, i.Version+", which is installed")
		}
	}
	if len(words) > 0 {
		return strings.Join(words, " or ")
	}
	for _, s := range rocm.WindowsSDKs() {
		if s.Major == major && !s.Unverified {
			words = append(words, s.Release)
		}
	}
	return strings.Join(words, " or ")
}

func sdkWithoutComgr(m *machine.Machine, f check.Finding, i machine.Installation, want rocm.DriverDLL) check.Finding {
	f.Verdict, f.Cause = check.Warn, "comgr-missing"
	f.Message = fmt.Sprintf("%s has %s and no amd_comgr*.dll beside it. A program that loads the runtime from there finds no comgr, which reads the code for the GPU, and says that there is no device.", name(i), want.DLL)
	f.Remedies = []remedy.Remedy{cure.For(m, "hip-sdk-repair", cure.Values{"sdk": versionOf(i)})}
	return f
}

func older(a, b machine.DLL) bool {
	return a.Version.Known() && b.Version.Known() && rocm.CompareVersions(a.Version.Value, b.Version.Value) < 0
}

// driverOlder is a runtime of the right major that is older than the SDK.
func driverOlder(m *machine.Machine, f check.Finding, i machine.Installation, driverDLL, own machine.DLL) check.Finding {
	f.Verdict, f.Cause = check.Warn, "hip-sdk-driver-mismatch"
	f.Message = fmt.Sprintf("The driver's %s is older than that of %s: %s before %s. The one in System32 is loaded first, so programs that need something newer do not start, or miss it.", driverDLL.Name, name(i), driverDLL.Version.Value, own.Version.Value)
	f.Evidence = append(f.Evidence, cite("system32-first")...)
	f.Remedies = []remedy.Remedy{cure.For(m, "windows-newer-driver", cure.Values{"dll": driverDLL.Name})}
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
