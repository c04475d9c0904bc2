package rocm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OverrideVariable makes the Linux runtime report another target for every GPU; with _N behind it, for KFD node N.
const OverrideVariable = "HSA_OVERRIDE_GFX_VERSION"

// ErrEmptyOverride is the error for a variable that is set to nothing. Older runtimes take that for an invalid value
// and lose the GPU; it is not the same as a variable that is not set.
var ErrEmptyOverride = errors.New("the override is set but empty; unset it, or give major.minor.stepping such as 10.3.0")

// ParseOverride reads a value of HSA_OVERRIDE_GFX_VERSION as libhsakmt does (topology.c: "%u.%u.%u" and nothing after).
func ParseOverride(value string) (gfx string, err error) {
	if value == "" {
		return "", ErrEmptyOverride
	}
	parts := strings.Split(value, ".")
	if len(parts) != 3 {
		return "", fmt.Errorf("override %q is not major.minor.stepping; %s", value, example(value))
	}
	var numbers [3]int
	for i, limit := range [3]int{maxMajor, 255, 255} {
		// scanf's %u skips space before a number, so the runtime takes " 10.3.0" and refuses "10.3.0 ".
		n, err := strconv.ParseUint(strings.TrimLeft(parts[i], " \t\n"), 10, 31)
		if err != nil {
			return "", fmt.Errorf("override %q: %q is not a decimal number; %s", value, parts[i], example(value))
		}
		if int(n) > limit {
			return "", fmt.Errorf("override %q: %d is above the limit of %d; %s", value, n, limit, example(value))
		}
		numbers[i] = int(n)
	}
	gfx, ok := version{numbers[0], numbers[1], numbers[2]}.gfx()
	if !ok {
		return "", fmt.Errorf("override %q names no GPU: minor and stepping are at most %d; %s", value, maxDigit, example(value))
	}
	return gfx, nil
}

// example shows the right form, of the very target where somebody wrote its gfx name.
func example(value string) string {
	if right, ok := OverrideValue(strings.TrimSpace(value)); ok {
		return "for " + strings.TrimSpace(value) + " it is " + right
	}
	return "an example is 10.3.0 for gfx1030"
}

// OverrideValue is the value that makes a GPU report the given target: 9.0.10 for gfx90a.
func OverrideValue(gfx string) (string, bool) {
	v, ok := versionOf(gfx)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.stepping), true
}

// Effective is the target that the runtime sees: the override's, or the real one where the variable is not set.
func Effective(gpu, override string) (gfx string, err error) {
	if override == "" {
		return gpu, nil
	}
	return ParseOverride(override)
}

// OverrideVerdict says what an override does to one GPU.
type OverrideVerdict string

// The verdicts.
const (
	OverridePointless   OverrideVerdict = "pointless"    // the GPU's own value
	OverrideSameFamily  OverrideVerdict = "same-family"  // the instruction set fits; never without a caution
	OverrideRisky       OverrideVerdict = "risky"        // fits in part, faults are known or likely
	OverrideUnsupported OverrideVerdict = "unsupported"  // of the same family, and different where it matters
	OverrideCrossFamily OverrideVerdict = "cross-family" // instructions that the GPU does not have
	OverrideUnknown     OverrideVerdict = "unknown"      // a target that is not in the tables
)

// Override is an override judged for one GPU.
type Override struct {
	Value        string
	Impersonates string // the target the value stands for
	Real         string
	Verdict      OverrideVerdict
	Why          string
	Better       string // what to do instead, where something is known
	Caution      string
	Provenance
}

// overrideRow is a judged override in the table.
type overrideRow struct {
	Value   string
	Real    []string
	Verdict OverrideVerdict
	Why     string
	Better  string
	Caution string
	Provenance
}

// JudgeOverride says what HSA_OVERRIDE_GFX_VERSION=value does to a GPU whose real target is known. What was learnt of
// a pair comes first; other pairs are judged by their instruction sets. The error is ParseOverride's.
func JudgeOverride(gpu, value string) (Override, error) {
	impersonates, err := ParseOverride(value)
	if err != nil {
		return Override{}, err
	}
	o, ok := learnt(gpu, impersonates)
	if !ok {
		o = byInstructionSet(gpu, impersonates)
	}
	o.Value, o.Impersonates, o.Real = value, impersonates, gpu
	o.addCautions()
	return o, nil
}

func learnt(gpu, impersonates string) (Override, bool) {
	value, _ := OverrideValue(impersonates)
	r, ok := find(targetData.Overrides, func(r overrideRow) bool {
		return r.Value == value && slices.Contains(r.Real, gpu)
	})
	return Override{Verdict: r.Verdict, Why: r.Why, Better: r.Better, Caution: r.Caution, Provenance: r.Provenance}, ok
}

func byInstructionSet(gpu, impersonates string) Override {
	own, ownKnown := LookupTarget(gpu)
	other, otherKnown := LookupTarget(impersonates)
	switch {
	case !ownKnown:
		return unknownTarget(gpu)
	case !otherKnown:
		return unknownTarget(impersonates)
	case gpu == impersonates:
		return Override{
			Verdict:    OverridePointless,
			Why:        "It is the value the GPU has without it.",
			Better:     "unset it",
			Provenance: own.Provenance,
		}
	case own.Generic == "" || own.Generic != other.Generic:
		return Override{
			Verdict:    OverrideCrossFamily,
			Why:        differentSets(gpu, impersonates),
			Better:     "code compiled for " + gpu,
			Provenance: other.Provenance,
		}
	}
	return withinFamily(own, other)
}

func differentSets(gpu, impersonates string) string {
	why := fmt.Sprintf("%s and %s are different instruction sets", gpu, impersonates)
	if own, other := FamilyOf(gpu), FamilyOf(impersonates); own != gpu || other != impersonates {
		why += fmt.Sprintf(": %s and %s", own, other)
	}
	return why + "."
}

// withinFamily judges two members of one generic target. Restrictions of the generic target are the members'
// differences: without them the instruction sets are the same.
func withinFamily(own, other Target) Override {
	generic, _ := LookupGeneric(own.Generic)
	o := Override{Better: "code compiled for " + own.Gfx + " or for " + generic.Name, Provenance: generic.Provenance}
	switch {
	case own.Generation != other.Generation:
		o.Verdict = OverrideUnsupported
		o.Why = fmt.Sprintf("%s is %s and %s is %s; only code for %s is made to run on both.",
			own.Gfx, own.Generation, other.Gfx, other.Generation, generic.Name)
	case len(generic.Restrictions) > 0:
		o.Verdict = OverrideRisky
		o.Why = fmt.Sprintf("Both belong to %s, whose members differ: %s.", generic.Name, strings.Join(generic.Restrictions, "; "))
	default:
		o.Verdict = OverrideSameFamily
		o.Why = fmt.Sprintf("Both belong to %s, whose members have the same instructions.", generic.Name)
	}
	return o
}

func unknownTarget(gfx string) Override {
	return Override{
		Verdict:    OverrideUnknown,
		Why:        fmt.Sprintf("%s is not in the table of targets.", gfx),
		Provenance: Provenance{Source: "no row for " + gfx, Confidence: Community, Unverified: true},
	}
}

// addCautions says with every verdict that lets the override pass that nobody tested it, and with every override to
// another major version what the runtime makes of it.
func (o *Override) addCautions() {
	if o.Caution == "" && (o.Verdict == OverrideSameFamily || o.Verdict == OverrideRisky) {
		o.Caution = targetData.Rules.Caution.Text
	}
	own, ok := versionOf(o.Real)
	other, _ := versionOf(o.Impersonates)
	if ok && own.major != other.major {
		o.Caution = strings.TrimSpace(o.Caution + " " + targetData.Rules.OtherMajor.Text)
	}
}
