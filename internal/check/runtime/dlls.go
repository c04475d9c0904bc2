package runtime

import (
	"fmt"
	"slices"

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
		f.Message += ". The driver has an older one of that name, which a program gets that does not name the folder of the wheels; PATH does not help"
		f.Evidence = append(f.Evidence, cite("system32-first", "python-ignores-path")...)
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
