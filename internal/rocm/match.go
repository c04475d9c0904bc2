package rocm

import (
	"fmt"
	"slices"
	"strings"
)

// Code is one code object, as far as it matters for where it runs.
type Code struct {
	Target         TargetID
	GenericVersion int // of a generic target; 0 where only the bundle's table was read, which does not tell it
	SPIRV          bool
}

// Match says in which way code runs on a GPU.
type Match string

// The ways, in the order in which the HIP runtime looks for them (clr hip_fatbin.cpp).
const (
	MatchExact   Match = "exact"
	MatchGeneric Match = "generic"
	MatchSPIRV   Match = "spirv" // compiled for the GPU when it is loaded
	MatchNone    Match = "none"
)

// Runs says whether code runs on a GPU, and why in one sentence. Under an override, pass the effective target (see
// Effective): the runtime knows no other.
func Runs(code Code, gpu TargetID) (Match, string) {
	processor := code.Target.Processor
	if code.SPIRV || processor == SPIRVProcessor {
		return MatchSPIRV, fmt.Sprintf("It is SPIR-V, which is compiled for %s when it is loaded.", gpu.Processor)
	}
	if processor == gpu.Processor {
		return withFeatures(MatchExact, code, gpu, fmt.Sprintf("It is compiled for %s.", processor))
	}
	generic, ok := LookupGeneric(processor)
	if !ok || !slices.Contains(generic.Members, gpu.Processor) {
		return MatchNone, notFor(processor, gpu.Processor)
	}
	if needs := joinedIn(gpu.Processor); code.GenericVersion != 0 && code.GenericVersion < needs {
		return MatchNone, fmt.Sprintf("It is %s version %d; %s joined in version %d.", processor, code.GenericVersion, gpu.Processor, needs)
	}
	return withFeatures(MatchGeneric, code, gpu, fmt.Sprintf("It is compiled for %s, which %s belongs to.", processor, gpu.Processor))
}

// withFeatures holds the code's features against the GPU's. A feature fixed in the code and unset in the GPU's ID is
// no match: comgr, asked for the ISA gfx906, does not pick gfx906:sramecc+:xnack-.
func withFeatures(match Match, code Code, gpu TargetID, why string) (Match, string) {
	for _, f := range []struct {
		name       string
		code, have Setting
	}{
		{"sramecc", code.Target.SRAMECC, gpu.SRAMECC},
		{"xnack", code.Target.XNACK, gpu.XNACK},
	} {
		switch {
		case f.code == Any || f.code == f.have:
		case f.have == Any:
			return MatchNone, fmt.Sprintf("It wants %s %s, and %s says nothing of %s.", f.name, f.code, gpu, f.name)
		default:
			return MatchNone, fmt.Sprintf("It wants %s %s, and %s runs with %s %s.", f.name, f.code, gpu.Processor, f.name, f.have)
		}
	}
	return match, why
}

func notFor(processor, gpu string) string {
	if family := FamilyOf(gpu); family != gpu {
		return fmt.Sprintf("It is compiled for %s, which is neither %s nor %s.", processor, gpu, family)
	}
	return fmt.Sprintf("It is compiled for %s, not for %s, and no generic target includes %s.", processor, gpu, gpu)
}

// joinedIn is the version of its generic target in which a GPU was added.
func joinedIn(gfx string) int {
	t, _ := LookupTarget(gfx)
	return t.GenericMinVersion
}

// AnyRuns tells whether code of one of some targets runs on a GPU. It does where the
// GPU is none that can be read: then nothing may be concluded.
func AnyRuns(targets []string, gpu string) bool {
	target, err := ParseTargetID(gpu)
	if err != nil {
		return true
	}
	var all []Code
	for _, t := range targets {
		if id, err := ParseTargetID(t); err == nil {
			all = append(all, Code{Target: id})
		}
	}
	match, _, _ := BestMatch(all, target)
	return match != MatchNone
}

// BestMatch finds the code object that the runtime would load: exact before generic before SPIR-V.
func BestMatch(codes []Code, gpu TargetID) (Match, Code, string) {
	best, chosen, reason := MatchNone, Code{}, ""
	for _, code := range codes {
		match, why := Runs(code, gpu)
		if preference(match) < preference(best) {
			best, chosen, reason = match, code, why
		}
	}
	if best == MatchNone {
		return MatchNone, Code{}, nothingFor(codes, gpu)
	}
	return best, chosen, reason
}

func preference(m Match) int {
	return slices.Index([]Match{MatchExact, MatchGeneric, MatchSPIRV, MatchNone}, m)
}

// nothingFor explains why none of several code objects runs. Code for this very GPU that fails on a feature explains
// more than the list of the others.
func nothingFor(codes []Code, gpu TargetID) string {
	if len(codes) == 0 {
		return "There is no GPU code in it."
	}
	var targets []string
	for _, code := range codes {
		if code.Target.Processor == gpu.Processor {
			_, why := Runs(code, gpu)
			return why
		}
		targets = append(targets, code.Target.String())
	}
	slices.Sort(targets)
	return fmt.Sprintf("It holds code for %s, and none for %s.", strings.Join(slices.Compact(targets), ", "), gpu.Processor)
}
