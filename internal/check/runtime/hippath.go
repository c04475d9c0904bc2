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
	if none := notAsked(m); none != nil {
		return none
	}
	set, ok := hipPathOf(m)
	if !ok {
		return []check.Finding{check.NotHere(hipPath, "HIP_PATH is not set; programs that are already built do without")}
	}
	f := check.Finding{Subject: hipPath, Cause: "hip-path-wrong-sdk", Verdict: check.Warn, Evidence: pathEvidence(m, set)}
	if strings.Contains(set.value, "_rocm_sdk_") {
		return []check.Finding{pathToWheels(m, f, set)}
	}
	all := fits(m)
	i := slices.IndexFunc(all, func(o fit) bool { return machine.SamePath(o.sdk.Path, set.value) })
	if i < 0 {
		return []check.Finding{leadsNowhere(m, f, set, all)}
	}
	named := all[i]
	best := slices.IndexFunc(all, func(o fit) bool { return o.better(named) })
	switch major := m.EnvironmentMajor(); {
	case major != 0 && named.major != 0 && major != named.major:
		f = otherThanWheels(m, f, named, all)
	case best >= 0:
		f = betterSDK(m, f, set, named, all[best])
	case named.major != 0 && !named.runs:
		f = check.NotHere(hipPath, fmt.Sprintf("HIP_PATH points to %s, and the display driver brings no runtime for it (runtime/dlls)", named.sdk.SDKName()))
	default:
		f.Verdict, f.Cause, f.Message = check.OK, "", "HIP_PATH points to "+named.sdk.SDKName()
		if len(all) > 1 {
			f.Message += ", which fits as well as any that is installed"
		}
	}
	return []check.Finding{f}
}

// A setting is a value of HIP_PATH, and where it was set.
type setting struct {
	value string
	from  machine.Source
	scope string // "Machine", "User", "" for this process alone
}

// hipPathOf returns HIP_PATH as this process has it, else as programs that start
// anew have it: the user's wins over everybody's.
func hipPathOf(m *machine.Machine) (setting, bool) {
	found := hipPathsOf(m)
	if v, set := m.Variable(hipPath); set && v != "" {
		own := setting{value: v, from: m.Variables.From}
		if len(found) > 0 && machine.SamePath(found[0].value, v) {
			own.scope = found[0].scope
		}
		return own, true
	}
	if len(found) == 0 {
		return setting{}, false
	}
	return found[0], true
}

// hipPathsOf are the values in the registry, the one that wins first.
func hipPathsOf(m *machine.Machine) []setting {
	var out []setting
	for _, s := range []struct {
		variables machine.Fact[[]machine.Variable]
		scope     string
	}{{m.Windows.UserVariables, "User"}, {m.Windows.Variables, "Machine"}} {
		for _, v := range s.variables.Value {
			if v.Name == hipPath && v.Value != "" {
				out = append(out, setting{v.Value, s.variables.From, s.scope})
			}
		}
	}
	return out
}

// pathEvidence shows all values where they differ.
func pathEvidence(m *machine.Machine, set setting) []machine.Evidence {
	out := []machine.Evidence{{From: set.from, Text: hipPath + "=" + set.value}}
	for _, o := range hipPathsOf(m) {
		if !machine.SamePath(o.value, set.value) {
			out = append(out, machine.Evidence{From: o.from, Text: hipPath + "=" + o.value})
		}
	}
	return out
}

// pathToWheels is HIP_PATH at wheels, which bring a runtime of their own.
func pathToWheels(m *machine.Machine, f check.Finding, set setting) check.Finding {
	f.Cause = ""
	for _, i := range m.ROCm.Value {
		if i.How == machine.HowWheels && machine.SamePath(above(i.Path), above(set.value)) {
			f.Verdict, f.Message = check.OK, "HIP_PATH points to "+i.SDKName()
			return f
		}
	}
	return check.CannotTell(hipPath, "whether HIP_PATH points to wheels that are there", set.from, "they are in no environment that was looked at: "+set.value)
}

func above(p string) string {
	p = strings.TrimRight(p, `\/`)
	return p[:max(0, strings.LastIndexAny(p, `\/`))]
}

func leadsNowhere(m *machine.Machine, f check.Finding, set setting, all []fit) check.Finding {
	if machine.HasShortName(set.value) || strings.Contains(set.value, "%") {
		return check.CannotTell(hipPath, "which SDK HIP_PATH points to", set.from, "only Windows itself can resolve "+set.value)
	}
	f.Message = fmt.Sprintf("HIP_PATH points to %s, where no HIP SDK is. It is usually left over from one that was removed; builds and programs that follow it find no compiler and no DLLs.", set.value)
	f.Remedies = []remedy.Remedy{clearPath(m, set)}
	if len(all) > 0 && all[0].runs {
		f.Remedies = []remedy.Remedy{pointTo(m, set, all[0].sdk)}
	}
	return f
}

// betterSDK says which SDK fits, and why the other does not.
func betterSDK(m *machine.Machine, f check.Finding, set setting, named, best fit) check.Finding {
	f.Evidence = append(f.Evidence, driverEvidence(m)...)
	f.Evidence = append(f.Evidence, folderEvidence(m.DLLsOf(named.sdk)), folderEvidence(m.DLLsOf(best.sdk)))
	f.Remedies = []remedy.Remedy{pointTo(m, set, best.sdk)}
	name, other := best.sdk.SDKName(), named.sdk.SDKName()
	f.Message = fmt.Sprintf("HIP_PATH points to %s, and %s is the one that fits. ", other, versionOf(best.sdk))
	gfx := m.EffectiveGfx(m.TargetGPUs()[0])
	switch {
	case best.runs && !named.runs:
		want, _ := rocm.DriverDLLOf(named.major)
		f.Verdict = check.Fail
		f.Message += fmt.Sprintf("%s needs %s from the display driver, and %s brings %s. Programs that follow HIP_PATH find no GPU; those built with %s load a runtime that is there.",
			upperFirst(other), want.DLL, driver(m), runtimesOf(m.DriverFolder()), name)
	case best.kernels && !named.kernels:
		f.Message += fmt.Sprintf("The rocBLAS of %s holds kernels for %s, and that of %s does not.", name, gfx, other)
	case best.support != named.support:
		_, row := rocm.SupportInSDK(folderName(best.sdk), gfx)
		f.Message += fmt.Sprintf("AMD's table for %s has %s (%s); for %s it is %s.", name, gfx, best.support, other, named.support)
		f.Evidence = append(f.Evidence, machine.Cite(row.Provenance))
	default:
		f.Message += fmt.Sprintf("Kernels for %s were built for %s by others, and none for %s.", gfx, name, other)
	}
	return f
}

// otherThanWheels is the environment of Python with a runtime of its own. What is
// advised is for this shell: other programs may need HIP_PATH as it is.
func otherThanWheels(m *machine.Machine, f check.Finding, named fit, all []fit) check.Finding {
	major := m.EnvironmentMajor()
	f.Message = fmt.Sprintf("HIP_PATH points to %s, and the wheels of this environment bring HIP %d. What is built here is built for HIP %d, and does not run in a process with the other: the two majors are not compatible.",
		named.sdk.SDKName(), major, named.major)
	for _, i := range m.ROCm.Value {
		if i.How == machine.HowWheels {
			f.Evidence = append(f.Evidence, folderEvidence(m.DLLsOf(i)))
		}
	}
	f.Evidence = append(f.Evidence, cite(shimRule(max(major, named.major)))...)
	f.Remedies = []remedy.Remedy{clearPath(m, setting{})}
	if i := slices.IndexFunc(all, func(o fit) bool { return o.major == major }); i >= 0 {
		f.Remedies = append([]remedy.Remedy{pointTo(m, setting{}, all[i].sdk)}, f.Remedies...)
	}
	return f
}

// pointTo sets HIP_PATH where it is set now: a value for everybody changes nothing
// for a user who has one.
func pointTo(m *machine.Machine, set setting, i machine.Installation) remedy.Remedy {
	id := map[string]string{"Machine": "hip-path-set", "User": "hip-path-set-user", "": "hip-path-set-here"}[set.scope]
	return cure.For(m, id, cure.Values{"sdk": versionOf(i), "root": i.Path + `\`})
}

func clearPath(m *machine.Machine, set setting) remedy.Remedy {
	id := map[string]string{"Machine": "hip-path-clear-machine", "User": "hip-path-clear-user", "": "hip-path-clear"}[set.scope]
	return cure.For(m, id, nil)
}

// versionOf is what an SDK is called by, which may be its folder.
func versionOf(i machine.Installation) string {
	if i.Version == "" {
		return i.SDKName()
	}
	return i.Version
}
