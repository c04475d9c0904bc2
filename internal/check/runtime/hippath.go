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

const hipPath = "HIP_PATH"

func runHIPPath(in check.Input) []check.Finding {
	m := in.Machine
	if none := elsewhere(m); none != nil {
		return none
	}
	set, from, ok := hipPathOf(m)
	if !ok {
		return []check.Finding{check.NotHere(hipPath, "HIP_PATH is not set; programs that are already built do without")}
	}
	f := check.Finding{Subject: hipPath, Cause: "hip-path-wrong-sdk", Verdict: check.Warn, Evidence: pathEvidence(m, set, from)}
	all := fits(m)
	i := slices.IndexFunc(all, func(o fit) bool { return sameFolder(o.sdk.Path, set) })
	switch {
	case i < 0:
		return []check.Finding{leadsNowhere(m, f, set, all)}
	case m.EnvironmentMajor() != 0 && m.EnvironmentMajor() != m.HIPMajor(all[i].sdk):
		return []check.Finding{otherThanWheels(m, f, all[i], all)}
	case i > 0 && all[0].better(all[i]) > 0:
		return []check.Finding{betterSDK(m, f, all[i], all[0])}
	case !all[i].runs:
		return []check.Finding{check.NotHere(hipPath, fmt.Sprintf("HIP_PATH points to %s, and the display driver brings no runtime for it (runtime/dlls)", name(all[i].sdk)))}
	}
	f.Verdict, f.Cause, f.Message = check.OK, "", fmt.Sprintf("HIP_PATH points to %s", name(all[i].sdk))
	if len(all) > 1 {
		f.Message += ", which fits as well as any that is installed"
	}
	return []check.Finding{f}
}

// hipPathOf returns HIP_PATH as this process has it, else as everybody has it.
func hipPathOf(m *machine.Machine) (value string, from machine.Source, set bool) {
	if v, set := m.Variable(hipPath); set && v != "" {
		return v, m.Variables.From, true
	}
	for _, v := range m.Windows.Variables.Value {
		if v.Name == hipPath && v.Value != "" {
			return v.Value, m.Windows.Variables.From, true
		}
	}
	return "", "", false
}

// pathEvidence shows both values where this process and new ones differ.
func pathEvidence(m *machine.Machine, set string, from machine.Source) []machine.Evidence {
	out := []machine.Evidence{{From: from, Text: hipPath + "=" + set}}
	for _, v := range m.Windows.Variables.Value {
		if v.Name == hipPath && !sameFolder(v.Value, set) {
			out = append(out, machine.Evidence{From: m.Windows.Variables.From, Text: hipPath + "=" + v.Value + ", for programs that start anew"})
		}
	}
	return out
}

func sameFolder(a, b string) bool {
	clean := func(p string) string { return strings.TrimRight(strings.ReplaceAll(p, "/", `\`), `\`) }
	return strings.EqualFold(clean(a), clean(b))
}

func leadsNowhere(m *machine.Machine, f check.Finding, set string, all []fit) check.Finding {
	f.Message = fmt.Sprintf("HIP_PATH points to %s, where no HIP SDK is. It is usually left over from one that was removed; builds and programs that follow it find no compiler and no DLLs.", set)
	if len(all) > 0 {
		f.Remedies = []remedy.Remedy{pointTo(m, all[0].sdk)}
		return f
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "hip-path-clear", nil)}
	return f
}

// betterSDK says which SDK fits, and why the other does not.
func betterSDK(m *machine.Machine, f check.Finding, named, best fit) check.Finding {
	f.Evidence = append(f.Evidence, driverEvidence(m)...)
	f.Evidence = append(f.Evidence, folderEvidence(m.DLLsOf(named.sdk)), folderEvidence(m.DLLsOf(best.sdk)))
	f.Remedies = []remedy.Remedy{pointTo(m, best.sdk)}
	f.Message = fmt.Sprintf("HIP_PATH points to %s, and %s is the one that fits. ", name(named.sdk), best.sdk.Version)
	gfx := m.EffectiveGfx(m.TargetGPUs()[0])
	switch {
	case best.runs && !named.runs:
		want, _ := rocm.DriverDLLOf(m.HIPMajor(named.sdk))
		f.Verdict = check.Fail
		f.Message += fmt.Sprintf("HIP SDK %s needs %s from the display driver, and %s brings %s. Programs that follow HIP_PATH find no GPU; those built with SDK %s load a runtime that is there.",
			named.sdk.Version, want.DLL, driver(m), brings(m.DriverFolder()), best.sdk.Version)
	case best.kernels && !named.kernels:
		f.Message += fmt.Sprintf("Its rocBLAS holds kernels for %s, and the other does not.", gfx)
	case best.support != named.support:
		_, row := rocm.SupportInSDK(folderName(best.sdk), gfx)
		f.Message += fmt.Sprintf("AMD's table for it has %s (%s); for the other it is %s.", gfx, best.support, named.support)
		f.Evidence = append(f.Evidence, machine.Cite(row.Provenance))
	default:
		f.Message += fmt.Sprintf("Kernels for %s were built for it by others, and none for the other.", gfx)
	}
	return f
}

// otherThanWheels is the environment of Python with a runtime of its own.
func otherThanWheels(m *machine.Machine, f check.Finding, named fit, all []fit) check.Finding {
	major := m.EnvironmentMajor()
	f.Message = fmt.Sprintf("HIP_PATH points to %s, and the wheels of this environment bring HIP %d. What is built here is built for HIP %d, and does not run in a process with the other: the two majors are not compatible.",
		name(named.sdk), major, m.HIPMajor(named.sdk))
	for _, i := range m.ROCm.Value {
		if i.How == machine.HowWheels {
			f.Evidence = append(f.Evidence, folderEvidence(m.DLLsOf(i)))
		}
	}
	f.Evidence = append(f.Evidence, cite("no-shim")...)
	f.Remedies = []remedy.Remedy{cure.For(m, "hip-path-clear", nil)}
	if i := slices.IndexFunc(all, func(o fit) bool { return m.HIPMajor(o.sdk) == major }); i >= 0 {
		f.Remedies = append([]remedy.Remedy{pointTo(m, all[i].sdk)}, f.Remedies...)
	}
	return f
}

func pointTo(m *machine.Machine, i machine.Installation) remedy.Remedy {
	return cure.For(m, "hip-path-set", cure.Values{"sdk": versionOf(i), "root": i.Path + `\`})
}

// versionOf is what an SDK is called by, which may be its folder.
func versionOf(i machine.Installation) string {
	if i.Version == "" {
		return i.Path
	}
	return i.Version
}
