package rocm

import (
	"fmt"
	"slices"
)

// Support is where a release stands on a GPU, by AMD's published lists. The lists are AMD's promise and not what a
// library holds: a GPU that is missing from them may work well, so no value here is a failure by itself.
type Support string

// The stands.
const (
	Supported   Support = "supported"
	Deprecated  Support = "deprecated"
	Dropped     Support = "dropped"      // listed once, no longer
	NotYet      Support = "not-yet"      // listed by a later release
	NeverListed Support = "never-listed" // by no release in the table
	Unlisted    Support = "unlisted"     // the release publishes no list
)

// SupportOf says where a release stands on a GPU, with a note that names the releases that decide it.
func SupportOf(rel Release, gfx string) (support Support, note string) {
	switch {
	case slices.Contains(rel.Gfx, gfx):
		return Supported, fmt.Sprintf("ROCm %s lists %s.", rel.Version, gfx)
	case slices.Contains(rel.Deprecated, gfx):
		return Deprecated, fmt.Sprintf("ROCm %s lists %s as deprecated.", rel.Version, gfx)
	}
	if rule, ok := supportedByMatrix(gfx, rel.Version); ok {
		return Supported, fmt.Sprintf("AMD supports %s with ROCm %s on kernel %s or newer, though the release's own list leaves it out.",
			gfx, rel.Version, rule.Recommended)
	}
	if len(rel.Gfx) == 0 {
		return Unlisted, fmt.Sprintf("ROCm %s publishes no list of GPUs.", rel.Version)
	}
	return unlistedBy(rel, gfx)
}

func unlistedBy(rel Release, gfx string) (Support, string) {
	all := knownReleases().releases
	here := slices.IndexFunc(all, func(r Release) bool { return r.Version == rel.Version })
	var listing []Release
	before := false
	for i, r := range all {
		_, byMatrix := supportedByMatrix(gfx, r.Version)
		if r.lists(gfx) || byMatrix {
			listing = append(listing, r)
			before = before || i < here
		}
	}
	switch {
	case len(listing) == 0:
		return NeverListed, fmt.Sprintf("No release from %s on lists %s.", all[0].Version, gfx)
	case before:
		return Dropped, fmt.Sprintf("ROCm %s was the last to support %s.", listing[len(listing)-1].Version, gfx)
	default:
		return NotYet, fmt.Sprintf("ROCm %s is the first that supports %s.", listing[0].Version, gfx)
	}
}

// supportedByMatrix finds the kernel rule that supports a GPU on a release whose list lacks it: gfx1151 is on none
// before 7.14, and AMD supports it from 7.2.0 on a fixed kernel.
func supportedByMatrix(gfx, rocm string) (KernelRule, bool) {
	return find(KernelRules(gfx), func(rule KernelRule) bool {
		return slices.ContainsFunc(rule.Matrix, func(m MatrixRow) bool {
			return m.covers(rocm) && m.Fixed == matrixSupported
		})
	})
}
