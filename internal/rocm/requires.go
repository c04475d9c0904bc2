package rocm

import (
	"slices"
	"strings"
	"sync"
)

// PythonRequires is what one version of a Python package requires.
type PythonRequires struct {
	Name     string // normalised
	Version  string // that was read; "" where the source did not tell
	Requires []string
	Partly   bool // there are more, or other versions have others
	Newest   bool // of partly ones: the bounds hold for an install that names no version
	Provenance
}

// PythonIndex is an address that pip may be given.
type PythonIndex struct {
	Prefix string
	Kind   BuildKind // what the builds of torch there are for
	Flat   bool      // a list of files, which pip takes by --find-links only
	Provenance
}

type requiresFile struct {
	Packages []PythonRequires
	Indices  []PythonIndex
}

var knownRequires = sync.OnceValue(func() requiresFile { return load[requiresFile]("requires") })

// RequiresOf finds what a package requires, in rising order of its versions.
func RequiresOf(name string) []PythonRequires {
	var out []PythonRequires
	for _, p := range knownRequires().Packages {
		if p.Name == name {
			out = append(out, p)
		}
	}
	return out
}

// PythonRequirements are all packages whose requirements are known.
func PythonRequirements() []PythonRequires { return slices.Clone(knownRequires().Packages) }

// PythonIndices are the addresses that are known.
func PythonIndices() []PythonIndex { return slices.Clone(knownRequires().Indices) }

// LookupIndex finds what is known of an address.
func LookupIndex(address string) (PythonIndex, bool) {
	address = strings.Replace(address, "http://", "https://", 1)
	return find(knownRequires().Indices, func(i PythonIndex) bool { return strings.HasPrefix(address, i.Prefix) })
}
