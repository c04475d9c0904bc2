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
	if none := notAsked(m); none != nil {
		return none
	}
	out := judgeDriver(m)
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

// judgeDriver asks for a runtime, and for the comgr of each one that is needed.
func judgeDriver(m *machine.Machine) []check.Finding {
	folder := m.DriverFolder()
	f := check.Finding{Subject: "display driver", Verdict: check.Fail, Evidence: driverEvidence(m)}
	runtimes := folder.Runtimes()
	if len(runtimes) == 0 {
		f.Cause = "hip-sdk-driver-mismatch"
		f.Message = fmt.Sprintf("The display driver brings no HIP runtime. No amdhip64*.dll is in %s, where programs look for it, so none finds the GPU; the driver is too old, or Windows put its own in place of AMD's.", folder.Path)
		f.Remedies = []remedy.Remedy{newerDriver(m, "a HIP runtime")}
		return []check.Finding{f}
	}
	var out []check.Finding
	for n, d := range runtimes {
		if newest := n == len(runtimes)-1; newest || needed(m, d) {
			if missing, lost := missingComgr(m, d.Name); lost {
				out = append(out, withoutComgr(m, f, d.Name, missing))
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	f.Verdict, f.Message = check.OK, fmt.Sprintf("%s brings %s", dated(m), runtimesOf(folder))
	if len(runtimes) > 1 {
		f.Message += ". Each is another major, and a program loads the one it was built for"
	}
	return []check.Finding{f}
}

// needed reports a runtime of the driver that an SDK here is built for.
func needed(m *machine.Machine, d machine.DLL) bool {
	major, _ := rocm.RuntimeMajor(d.Name)
	return slices.ContainsFunc(m.HIPSDKs(), func(i machine.Installation) bool { return m.HIPMajor(i) == major })
}

func newerDriver(m *machine.Machine, dll string) remedy.Remedy {
	major, _ := rocm.RuntimeMajor(dll)
	if known, ok := rocm.DriverDLLOf(major); ok {
		dll += ", which is in " + known.From
	}
	return cure.For(m, "windows-newer-driver", cure.Values{"dll": dll})
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
	f.Subject, f.Cause = "comgr of "+dll, "comgr-missing"
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

// tellWheels says what wheels bring, and which copy a program gets.
func tellWheels(m *machine.Machine, i machine.Installation) check.Finding {
	folder := m.DLLsOf(i)
	runtimes := folder.Runtimes()
	if len(runtimes) == 0 {
		return check.NotHere(i.SDKName(), "they hold no HIP runtime")
	}
	f := check.Finding{Subject: i.SDKName(), Verdict: check.OK, Evidence: []machine.Evidence{folderEvidence(folder)}, Message: fmt.Sprintf("%s bring %s of their own", upperFirst(i.SDKName()), runtimesOf(folder))}
	newest := runtimes[len(runtimes)-1]
	if _, lost := missingComgr(m, newest.Name); lost && len(folder.Comgr()) == 0 {
		f.Verdict, f.Cause = check.Warn, "comgr-missing"
		f.Message = fmt.Sprintf("%s bring %s and no amd_comgr*.dll beside it. The runtime reads the code for the GPU with it; programs then say that there is no device.", upperFirst(i.SDKName()), newest.Name)
		return f
	}
	if other, there := m.DriverFolder().Has(newest.Name); there && older(other, newest) {
		f.Message += ". The driver has an older one of that name, which a program gets that does not name the folder of the wheels; PATH does not help"
		f.Evidence = append(f.Evidence, cite("system32-first", "python-ignores-path")...)
	}
	return f
}

// copies finds runtimes of two majors that state one version: they cannot come
// from one build, so one is a copy of the other. Which one, only the SDK tells
// whose folder it is; equal numbers do not. Files without a number state 0.0.0.0.
func copies(m *machine.Machine, folder machine.DLLFolder) []check.Finding {
	runtimes := folder.Runtimes()
	for n, d := range runtimes {
		for _, other := range runtimes[:n] {
			if d.Version.Known() && d.Version.Value == other.Version.Value && strings.Trim(d.Version.Value, "0.") != "" {
				return []check.Finding{judgeCopy(m, folder, other, d)}
			}
		}
	}
	return nil
}

func judgeCopy(m *machine.Machine, folder machine.DLLFolder, a, b machine.DLL) check.Finding {
	f := check.Finding{
		Subject: folder.Path + `\` + b.Name, Verdict: check.Warn, Cause: "symbol-abi-mismatch",
		Message:  fmt.Sprintf("%s and %s in %s both state version %s. Two majors never come from one build, so one is probably a copy of the other: programs start with it, and then read a device that is described in another way.", a.Name, b.Name, folder.Path, b.Version.Value),
		Evidence: []machine.Evidence{folderEvidence(folder)},
	}
	i, _ := m.Installation(folder.Owner)
	sdk, known := rocm.LookupWindowsSDK(i.Version)
	genuine, _ := rocm.DriverDLLOf(sdk.Major)
	switch {
	case folder.Place == machine.PlaceDriver:
		f.Remedies = []remedy.Remedy{cure.For(m, "windows-repair-driver", cure.Values{"dll": b.Name})}
	case known && !sdk.Unverified && (a.Name == genuine.DLL || b.Name == genuine.DLL):
		foreign := a.Name
		if a.Name == genuine.DLL {
			foreign = b.Name
		}
		f.Message += fmt.Sprintf(" The one of %s is %s.", i.SDKName(), genuine.DLL)
		f.Remedies = []remedy.Remedy{cure.For(m, "remove-dll-copy", cure.Values{"dll": foreign, "path": folder.Path + `\` + foreign})}
	}
	return f
}
