package gpu

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

func runSupport(in check.Input) []check.Finding {
	m := in.Machine
	if len(m.ComputeGPUs()) == 0 {
		return []check.Finding{check.NotHere("ROCm", "the driver offers no GPU")}
	}
	if m.ROCm.Unread() {
		return []check.Finding{check.CannotTell("ROCm", "whether the installed ROCm supports the GPU", m.ROCm.From, m.ROCm.Why)}
	}
	var out []check.Finding
	for _, i := range m.ROCm.Value {
		rel, known := rocm.LookupRelease(i.Version)
		if !known || i.How == machine.HowDistribution || i.How == machine.HowTorchWheel {
			continue
		}
		for _, g := range m.ComputeGPUs() {
			switch gfx := m.EffectiveGfx(g); {
			case gfx == "":
			case foreignCode(m, g):
				out = append(out, check.NotHere(subject(g), "the override makes it run foreign code, which no release supports (gpu/override)"))
			default:
				out = append(out, judgeSupport(m, g, gfx, rel, i))
			}
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("ROCm", "no ROCm of AMD's own is installed here")}
	}
	return dedupe(out)
}

// foreignCode reports an override to another instruction set.
func foreignCode(m *machine.Machine, g machine.GPU) bool {
	v, set := m.Override(g)
	if !set {
		return false
	}
	o, err := rocm.JudgeOverride(g.Gfx.Value, v.Value)
	return err != nil || o.Verdict == rocm.OverrideCrossFamily
}

// dedupe keeps one finding for each subject: eight equal cards say one thing.
func dedupe(in []check.Finding) []check.Finding {
	seen := map[string]bool{}
	var out []check.Finding
	for _, f := range in {
		if !seen[f.Subject] {
			seen[f.Subject] = true
			out = append(out, f)
		}
	}
	return out
}

func judgeSupport(m *machine.Machine, g machine.GPU, gfx string, rel rocm.Release, i machine.Installation) check.Finding {
	subject := gfx + " in ROCm " + i.Version
	support, note := rocm.SupportOf(rel, gfx)
	f := check.Finding{
		Subject: subject, Verdict: check.OK, Message: fmt.Sprintf("ROCm %s supports %s", i.Version, gfx),
		Evidence: []machine.Evidence{{From: i.From, Text: i.Version}, machine.Cite(rel.Provenance)},
	}
	if gfx != g.Gfx.Value {
		f.Message += fmt.Sprintf(", which the override makes of %s", g.Gfx.Value)
	}
	switch {
	case support == rocm.Supported && !slices.Contains(rel.Gfx, gfx):
		f.Message = strings.TrimSuffix(note, ".")
		return f
	case support == rocm.Supported:
		return f
	case support == rocm.Deprecated:
		f.Message += ", for the last time. " + note
		return f
	case support == rocm.Unlisted:
		return check.NotHere(subject, note)
	case beside(m, g):
		return check.NotHere(subject, fmt.Sprintf("%s is the integrated GPU beside a card, and AMD does not list it", gfx))
	}
	return unlisted(m, g, gfx, rel, f, support, note)
}

func unlisted(m *machine.Machine, g machine.GPU, gfx string, rel rocm.Release, f check.Finding, support rocm.Support, note string) check.Finding {
	f.Verdict, f.Cause = check.Warn, "unsupported-arch-dropped"
	f.Message = fmt.Sprintf("ROCm %s does not list %s (%s). %s Its libraries may hold no code for it; then programs stop with \"invalid device function\" or \"no kernel image\".", rel.Version, gfx, g.Label(), note)
	f.Remedies = supportRemedies(m, gfx, support, note)
	if sibling := listedSibling(rel, gfx); sibling != "" && support == rocm.NeverListed {
		value, _ := rocm.OverrideValue(sibling)
		f.Cause = "hsa-override-needed"
		f.Message = fmt.Sprintf("ROCm %s lists no %s, only its sibling %s. Its libraries usually hold no code for %s; code for %s runs under %s=%s, with a caution: ROCm then uses tuning and assembly made for the other chip.",
			rel.Version, gfx, sibling, gfx, sibling, machine.OverrideVariable, value)
		f.Remedies = append(f.Remedies, cure.For(m, "set-variable", cure.Values{"name": overrideFor(m, g), "value": value, "why": "let it run code for " + sibling + "; results are then under override"}))
	}
	return f
}

// overrideFor is the variable that overrides this GPU and no other.
func overrideFor(m *machine.Machine, g machine.GPU) string {
	mixed := slices.ContainsFunc(m.ComputeGPUs(), func(o machine.GPU) bool { return o.Gfx.Value != g.Gfx.Value })
	if mixed && g.Node.Known() {
		return fmt.Sprintf("%s_%d", machine.OverrideVariable, g.Node.Value)
	}
	return machine.OverrideVariable
}

func supportRemedies(m *machine.Machine, gfx string, support rocm.Support, note string) []remedy.Remedy {
	if w, ok := rocm.DeviceWheels(gfx); ok {
		return []remedy.Remedy{cure.For(m, "native-wheels", cure.Values{"gfx": gfx, "index": w.Index})}
	}
	want := "use a build that holds " + gfx + ": your distribution's packages, or your own build"
	if support == rocm.NotYet || support == rocm.Dropped {
		want = note + " Or use a build of your distribution that holds " + gfx
	}
	return []remedy.Remedy{cure.For(m, "rocm-for-gpu", cure.Values{"gfx": gfx, "want": want})}
}

// listedSibling is a listed target whose code has the same instructions.
func listedSibling(rel rocm.Release, gfx string) string {
	for _, other := range rel.Gfx {
		value, ok := rocm.OverrideValue(other)
		if !ok || other == gfx {
			continue
		}
		if o, err := rocm.JudgeOverride(gfx, value); err == nil && o.Verdict == rocm.OverrideSameFamily {
			return other
		}
	}
	return ""
}
