package rocm

import "slices"

// Coverage says of one library in one range of releases whether it carries kernels for a GPU.
type Coverage struct {
	Library  string
	Releases string // "6.0-6.2", "TheRock 10.x"
	Kind     string // what was read: a build list, the files of a package, a list of exclusions
	Covered  bool
	Note     string
	Provenance
}

type coverageRow struct {
	Library  string
	Releases string
	Kind     string
	Gfx      []string
	Excluded []string // where only what is left out is known
	Note     string
	Provenance
}

// LibraryCoverage is what is known of the libraries' kernels for a GPU. A list of exclusions speaks only of the GPUs
// it names: not excluded is not yet covered.
func LibraryCoverage(gfx string) []Coverage {
	var all []Coverage
	for _, r := range knownReleases().coverage {
		if len(r.Gfx) == 0 && !slices.Contains(r.Excluded, gfx) {
			continue
		}
		all = append(all, Coverage{
			Library:    r.Library,
			Releases:   r.Releases,
			Kind:       r.Kind,
			Covered:    slices.Contains(r.Gfx, gfx),
			Note:       r.Note,
			Provenance: r.Provenance,
		})
	}
	return all
}
