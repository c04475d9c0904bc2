package runtime

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Windows are the questions about a machine with Windows, in order.
var Windows = []check.Check{
	{
		ID:    "runtime/hip-path",
		Title: "HIP_PATH points to an SDK that fits the GPU",
		Needs: []string{"gpu/present"},
		Doc: `The installer of the last HIP SDK sets HIP_PATH, and builds and many programs follow it. It is a failure where it names an SDK whose
major the display driver has no runtime for while another SDK that is installed would run, and a warning where the folder is gone,
where another SDK holds kernels for the GPU or lists it, and where the wheels of the environment are of another major. A user's own
value wins over everybody's, and HIP_PATH at the wheels of an environment is fine.`,
		Run: runHIPPath,
	},
	{
		ID:    "runtime/dlls",
		Title: "The DLLs of HIP and the display driver fit together",
		Needs: []string{"gpu/present"},
		Doc: `The HIP runtime comes with the display driver, one DLL for each major: amdhip64.dll is HIP 5, then amdhip64_6.dll and amdhip64_7.dll.
An SDK whose DLL is not in System32 finds no GPU: the driver is too old for it. A copy of amdhip64_6.dll under the name of the other
is no cure, because HIP 7 is not compatible with 6. The runtime loads a second DLL, comgr; without it programs report that there is no
GPU. It is asked for beside the newest runtime of the driver, and beside each that an SDK here needs. SDKs, wheels and their DLLs are listed with versions; hipBLAS is hipblas.dll in some releases and libhipblas.dll in others.`,
		Run: runDLLs,
	},
	{
		ID:    "runtime/hip-sdk",
		Title: "The HIP SDK lists the GPU",
		Needs: []string{"gpu/present"},
		Doc: `Compared with AMD's tables for Windows, which know three answers: the whole SDK, the runtime without libraries, and nothing. A table is a
promise, not what a folder holds, so this only warns; where kernels are in place it does not. Tables that were not read say nothing. A
Windows that is older than the one AMD names is a warning, and so is a GPU before RDNA3 under HIP 7, which was seen to find none.`,
		Run: runSDKs,
	},
}

// notAsked is the answer on other systems, and where there is nothing to ask.
func notAsked(m *machine.Machine) []check.Finding {
	switch {
	case m.OS != "windows":
		return []check.Finding{check.NotHere("", "this is about Windows")}
	case m.ROCm.Unread():
		return []check.Finding{check.CannotTell("HIP SDK", "which HIP SDKs are installed", m.ROCm.From, m.ROCm.Why)}
	case m.Windows.Folders.Unread():
		return []check.Finding{check.CannotTell("HIP runtime", "which HIP runtime the driver brings", m.Windows.Folders.From, m.Windows.Folders.Why)}
	}
	return nil
}

// runtimesOf lists the runtimes of a folder.
func runtimesOf(f machine.DLLFolder) string {
	var names []string
	for _, d := range f.Runtimes() {
		names = append(names, d.Name)
	}
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// driver names the display driver with its number.
func driver(m *machine.Machine) string {
	if d := m.Windows.Driver; d.Known() {
		return "driver " + d.Value.Version
	}
	return "the display driver"
}

// dated begins a sentence with the driver, its number and its day.
func dated(m *machine.Machine) string {
	if d := m.Windows.Driver; d.Known() && d.Value.Date.Known() {
		return fmt.Sprintf("Driver %s of %s", d.Value.Version, d.Value.Date.Value)
	}
	return upperFirst(driver(m))
}

// driverEvidence shows the driver and what it brings.
func driverEvidence(m *machine.Machine) []machine.Evidence {
	var out []machine.Evidence
	if d := m.Windows.Driver; d.Known() {
		text := d.Value.Version
		if d.Value.Date.Known() {
			text += " of " + d.Value.Date.Value
		}
		out = append(out, machine.Evidence{From: "display driver", Text: text})
	}
	return append(out, folderEvidence(m.DriverFolder()))
}

// folderEvidence lists the DLLs of a folder that must fit together.
func folderEvidence(f machine.DLLFolder) machine.Evidence {
	var words []string
	for _, d := range append(f.Runtimes(), f.Comgr()...) {
		text := d.Name
		if d.Version.Known() {
			text += " " + d.Version.Value
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		words = []string{"no DLL of the HIP runtime"}
	}
	return machine.Evidence{From: machine.Source(f.Path), Text: strings.Join(words, ", ")}
}

// noShim answers the advice to copy the DLL of another major.
func noShim(m *machine.Machine, want rocm.DriverDLL) string {
	present := m.DriverFolder().Runtimes()
	if len(present) == 0 {
		return ""
	}
	rule, _ := rocm.LookupWindowsRule(shimRule(want.Major))
	return fmt.Sprintf(" A copy of %s under the name %s is often advised and no cure. %s", present[len(present)-1].Name, want.DLL, rule.Text)
}

// shimRule is why a copy does not help: what HIP 7 changed is known.
func shimRule(major int) string {
	if major == 7 {
		return "no-shim"
	}
	return "majors-apart"
}

// cite shows how well rules are known, and where they were read.
func cite(ids ...string) []machine.Evidence {
	var out []machine.Evidence
	for _, id := range ids {
		if rule, ok := rocm.LookupWindowsRule(id); ok {
			out = append(out, machine.Cite(rule.Provenance))
		}
	}
	return out
}

// upperFirst begins a sentence.
func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
