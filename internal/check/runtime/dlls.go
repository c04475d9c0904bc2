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

func runDLLs(in check.Input) []check.Finding {
	m := in.Machine
	if none := elsewhere(m); none != nil {
		return none
	}
	out := []check.Finding{judgeDriver(m)}
	for _, i := range m.ROCm.Value {
		switch i.How {
		case machine.HowHIPSDK:
			out = append(out, judgeSDK(m, i))
		case machine.HowWheels:
			out = append(out, tellWheels(m, i))
		}
	}
	for _, f := range m.Windows.Folders.Value {
		out = append(out, copies(m, f)...)
	}
	return append(out, judgePATH(m)...)
}

// judgeDriver asks for a runtime, and for the comgr of the newest one.
func judgeDriver(m *machine.Machine) check.Finding {
	folder := m.DriverFolder()
	f := check.Finding{Subject: "display driver", Verdict: check.Fail, Evidence: driverEvidence(m)}
	runtimes := folder.Runtimes()
	if len(runtimes) == 0 {
		f.Cause = "hip-sdk-driver-mismatch"
		f.Message = fmt.Sprintf("The display driver brings no HIP runtime. No amdhip64*.dll is in %s, where programs look for it, so none finds the GPU; the driver is too old, or Windows put its own in place of AMD's.", folder.Path)
		f.Remedies = []remedy.Remedy{cure.For(m, "windows-newer-driver", cure.Values{"dll": "amdhip64_7.dll"})}
		return f
	}
	newest := runtimes[len(runtimes)-1]
	if missing, lost := missingComgr(m, newest.Name); lost {
		return withoutComgr(m, f, newest.Name, missing)
	}
	f.Verdict, f.Message = check.OK, fmt.Sprintf("%s brings %s", dated(m), brings(folder))
	if len(runtimes) > 1 {
		f.Message += ". Each is another major, and a program loads the one it was built for"
	}
	return f
}

// missingComgr names the comgr that a runtime of the driver loads, where neither it
// nor one with the number of a release is beside it.
func missingComgr(m *machine.Machine, dll string) (comgr string, lost bool) {
	major, _ := rocm.RuntimeMajor(dll)
	names := rocm.ComgrNames(major)
	if len(names) == 0 {
		return "", false
	}
	there := slices.ContainsFunc(names, func(n string) bool {
		_, has := m.DriverFolder().Has(n)
		return has
	})
	return names[0], !there
}

func withoutComgr(m *machine.Machine, f check.Finding, dll, comgr string) check.Finding {
	f.Cause = "comgr-missing"
	f.Message = fmt.Sprintf("The runtime %s is there, and %s, which it loads, is not in %s. It reads the code for the GPU. Programs then say that there is no ROCm-capable device, although the GPU and the runtime are fine.", dll, comgr, m.DriverFolder().Path)
	for _, other := range m.Windows.Folders.Value {
		if _, there := other.Has(comgr); there {
			f.Verdict = check.Warn
			f.Message += fmt.Sprintf(" Only programs that look into %s find it.", other.Path)
			f.Evidence = append(f.Evidence, folderEvidence(other))
		}
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "windows-repair-driver", cure.Values{"dll": comgr})}
	return f
}

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
	for _, id := range []string{"driver-brings-runtime", "no-shim"} {
		if rule, ok := rocm.LookupWindowsRule(id); ok {
			f.Evidence = append(f.Evidence, machine.Cite(rule.Provenance))
		}
	}
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
	f.Remedies = []remedy.Remedy{cure.For(m, "hip-sdk-repair", cure.Values{"sdk": cmpVersion(i)})}
	return f
}

func older(a, b machine.DLL) bool {
	return a.Version.Known() && b.Version.Known() && rocm.CompareVersions(a.Version.Value, b.Version.Value) < 0
}

// driverOlder is a runtime of the right major that is older than the SDK.
func driverOlder(m *machine.Machine, f check.Finding, i machine.Installation, driverDLL, own machine.DLL) check.Finding {
	f.Verdict, f.Cause = check.Warn, "hip-sdk-driver-mismatch"
	f.Message = fmt.Sprintf("The driver's %s is older than that of %s: %s before %s. The one in System32 is loaded first, so programs that need something newer do not start, or miss it.", driverDLL.Name, name(i), driverDLL.Version.Value, own.Version.Value)
	if rule, ok := rocm.LookupWindowsRule("system32-first"); ok {
		f.Evidence = append(f.Evidence, machine.Cite(rule.Provenance))
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "windows-newer-driver", cure.Values{"dll": driverDLL.Name})}
	return f
}

// tellWheels says what wheels bring, and which copy a program gets.
func tellWheels(m *machine.Machine, i machine.Installation) check.Finding {
	folder := m.DLLsOf(i)
	runtimes := folder.Runtimes()
	if len(runtimes) == 0 {
		return check.NotHere(name(i), "they hold no HIP runtime")
	}
	f := check.Finding{Subject: name(i), Verdict: check.OK, Evidence: []machine.Evidence{folderEvidence(folder)}, Message: fmt.Sprintf("%s bring %s of their own", capital(name(i)), brings(folder))}
	newest := runtimes[len(runtimes)-1]
	if other, there := m.DriverFolder().Has(newest.Name); there && older(other, newest) {
		f.Message += ". The driver has an older one of that name, which a program gets that does not name the folder of the wheels"
	}
	return f
}

// copies finds a DLL under the name of another major: two majors never come from
// one build.
func copies(m *machine.Machine, folder machine.DLLFolder) []check.Finding {
	runtimes := folder.Runtimes()
	for n, d := range runtimes {
		for _, other := range runtimes[:n] {
			if !d.Version.Known() || d.Version.Value != other.Version.Value {
				continue
			}
			return []check.Finding{{
				Subject: folder.Path + `\` + d.Name, Verdict: check.Fail, Cause: "symbol-abi-mismatch",
				Message:  fmt.Sprintf("%s in %s is a copy of %s. Both files state version %s. Programs built for the newer major start with it and then read a device that is described in another way: they crash, or see nonsense.", d.Name, folder.Path, other.Name, d.Version.Value),
				Evidence: []machine.Evidence{folderEvidence(folder)},
				Remedies: []remedy.Remedy{cure.For(m, "remove-dll-copy", cure.Values{"dll": d.Name, "path": folder.Path + `\` + d.Name})},
			}}
		}
	}
	return nil
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

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
