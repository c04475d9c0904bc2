package rocm

import (
	"slices"
	"strings"
)

// cmakeList is the kind of a row that says what a build makes by default. What AMD then packs may be less.
const cmakeList = "CMake default list"

// KernelsShipped says whether a release carries a library's kernels for a GPU. It is not ok where no row speaks of this
// release. What was read in packages and build scripts counts before the defaults of a build.
func KernelsShipped(library, version, gfx string) (Coverage, bool) {
	version, ok := fullVersion(version)
	if !ok {
		return Coverage{}, false
	}
	rows := filter(LibraryCoverage(gfx), func(c Coverage) bool { return c.Library == library && inReleases(c.Releases, version) })
	if packed, ok := find(rows, func(c Coverage) bool { return c.Kind != cmakeList }); ok {
		return packed, true
	}
	return find(rows, func(Coverage) bool { return true })
}

// KernelsPacked says whether AMD's packages of a release hold the kernels, where that was read in the packages or in the
// scripts that make them.
func KernelsPacked(library, version, gfx string) (Coverage, bool) {
	row, ok := KernelsShipped(library, version, gfx)
	return row, ok && row.Kind != cmakeList && !row.Unverified
}

// DebianHolds says whether the rocBLAS of Debian and its relatives holds a GPU.
func DebianHolds(gfx string) bool {
	return slices.ContainsFunc(LibraryCoverage(gfx), func(c Coverage) bool { return c.Library == "rocBLAS of Debian" && c.Covered && !c.Unverified })
}

// KernelsNeverBuilt says that a library leaves a GPU out by decision: a list of exclusions names it, and no release is
// known to have built for it.
func KernelsNeverBuilt(library, gfx string) (Coverage, bool) {
	rows := filter(LibraryCoverage(gfx), func(c Coverage) bool { return c.Library == library })
	if slices.ContainsFunc(rows, func(c Coverage) bool { return c.Covered }) {
		return Coverage{}, false
	}
	return find(rows, func(c Coverage) bool { return c.Kind == "excluded targets" })
}

// inReleases reads "6.0-6.2", "6.3.3" and "TheRock 7.9-10.x". A state of the source between releases ("6.3 dev") is none.
func inReleases(releases, version string) bool {
	first, last, isRange := strings.Cut(strings.TrimPrefix(releases, "TheRock "), "-")
	if !isRange {
		last = first
	}
	return compareAsFar(version, first) >= 0 && compareAsFar(version, last) <= 0 && !strings.Contains(releases, " dev")
}

// compareAsFar compares a version with a bound, as far as the bound goes: 6.2.4 is in 6.2, and 10.1.0 in 10.x.
func compareAsFar(version, bound string) int {
	limit, _ := leadingNumbers(bound)
	parts, _ := leadingNumbers(version)
	return compareNumbers(parts[:min(len(parts), len(limit))], limit)
}
