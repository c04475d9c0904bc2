package gpu

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runOverride(in check.Input) []check.Finding {
	m := in.Machine
	if m.OS == "windows" {
		return []check.Finding{overrideOnWindows(m)}
	}
	if m.Variables.Unread() {
		return []check.Finding{check.CannotTell("environment", "whether an override is set", m.Variables.From, m.Variables.Why)}
	}
	var out []check.Finding
	for _, g := range m.ComputeGPUs() {
		switch v, set := m.Override(g); {
		case set && g.Gfx.Known():
			out = append(out, judgeOverride(m, g, v))
		case set:
			out = append(out, check.CannotTell(subject(g), "what "+v.Name+"="+v.Value+" does to "+g.Label(), g.Gfx.From, g.Gfx.Why))
		}
	}
	if len(out) > 0 {
		return out
	}
	if value, set := m.Variable(machine.OverrideVariable); set {
		return []check.Finding{check.NotHere("environment", machine.OverrideVariable+"="+value+" is set, and the driver offers no GPU to judge it by")}
	}
	return []check.Finding{{Subject: "environment", Verdict: check.OK, Message: "No override is set"}}
}

// overrideOnWindows answers the advice to set an override there: the part of the
// runtime that reads it is not there (libhsakmt topology.c).
func overrideOnWindows(m *machine.Machine) check.Finding {
	value, set := m.Variable(machine.OverrideVariable)
	if !set {
		return check.NotHere("environment", "Windows has no such override")
	}
	setting := machine.OverrideVariable + "=" + value
	return check.Finding{
		Subject: "environment", Verdict: check.OK, Evidence: []machine.Evidence{{From: m.Variables.From, Text: setting}},
		Message: setting + " has no effect on Windows. It is often advised; only the Linux runtime reads it, so it neither helps nor harms here.",
	}
}

func judgeOverride(m *machine.Machine, g machine.GPU, v machine.Variable) check.Finding {
	f := check.Finding{
		Subject: subject(g), Cause: "hsa-override-wrong",
		Evidence: []machine.Evidence{
			{From: m.Variables.From, Text: v.Name + "=" + v.Value},
			{From: g.Gfx.From, Text: "the GPU is " + g.Gfx.Value},
		},
		Remedies: []remedy.Remedy{unset(m, v.Name)},
	}
	o, err := rocm.JudgeOverride(g.Gfx.Value, v.Value)
	switch {
	case v.Value == "":
		f.Verdict = check.Fail
		f.Message = fmt.Sprintf("%s is set to nothing, which is not the same as unset. The runtime takes the empty text for a version and then offers no usable GPU.", v.Name)
		return f
	case err != nil:
		f.Verdict = check.Fail
		f.Message = fmt.Sprintf("%s=%s is not a version the runtime understands. It stops with \"is invalid\" and offers no GPU: %v.", v.Name, v.Value, err)
		return f
	}
	return verdictOf(m, g, v, o, f)
}

func verdictOf(m *machine.Machine, g machine.GPU, v machine.Variable, o rocm.Override, f check.Finding) check.Finding {
	f.Verdict = check.Warn
	f.Evidence = append(f.Evidence, machine.Cite(o.Provenance))
	setting := v.Name + "=" + v.Value
	switch o.Verdict {
	case rocm.OverridePointless:
		f.Message = fmt.Sprintf("%s changes nothing on %s. It is the GPU's own value; unset, programs see the same.", setting, g.Gfx.Value)
		return f
	case rocm.OverrideCrossFamily:
		f.Verdict = check.Fail
		f.Message = fmt.Sprintf("%s makes %s run code of another instruction set. It is a %s, and programs are told %s. %s The setting is often advised; here it is the first suspect for crashes, hangs and wrong numbers.%s",
			setting, g.Label(), g.Gfx.Value, o.Impersonates, o.Why, spaceBefore(o.Caution))
		if beside(m, g) {
			f.Verdict = check.Warn
			return f
		}
		f.Remedies = append(f.Remedies, ownCode(m, g, v)...)
		return f
	case rocm.OverrideSameFamily:
		f.Cause = "hsa-override-needed"
		f.Message = fmt.Sprintf("%s runs as %s, which it is not. %s %s", describeReal(g), o.Impersonates, o.Why, o.Caution)
	case rocm.OverrideUnknown:
		f.Message = fmt.Sprintf("%s names %s, which is not in our table. %s", setting, o.Impersonates, o.Why)
		return f
	default:
		f.Message = fmt.Sprintf("%s runs as %s, which is risky. %s %s", describeReal(g), o.Impersonates, o.Why, o.Caution)
	}
	// The override may be all that makes it run: only something better is advised.
	f.Remedies = ownCode(m, g, v)
	return f
}

func spaceBefore(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func describeReal(g machine.GPU) string {
	if g.Label() == g.Gfx.Value {
		return "The " + g.Gfx.Value
	}
	return fmt.Sprintf("%s, a %s,", g.Label(), g.Gfx.Value)
}

// ownCode offers software with code for this GPU, which needs no override.
func ownCode(m *machine.Machine, g machine.GPU, v machine.Variable) []remedy.Remedy {
	w, ok := rocm.DeviceWheels(g.Gfx.Value)
	if !ok {
		return nil
	}
	return []remedy.Remedy{cure.For(m, "native-wheels-no-override", cure.Values{"gfx": g.Gfx.Value, "index": w.Index, "name": v.Name})}
}

// unset advises to take a variable away, from the very lines that set it where
// they are known.
func unset(m *machine.Machine, name string) remedy.Remedy {
	r := cure.For(m, "unset-variable", cure.Values{"name": name})
	lines := m.SourcesOf(name)
	if len(lines) == 0 {
		r.Apply = false // nobody knows where
		return r
	}
	r.Steps = r.Steps[:1] // where it is set need not be looked for
	return cure.WithoutLines(m, r, lines)
}
