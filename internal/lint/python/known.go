package python

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// markers are those of the machines that run ROCm's containers.
func markers() pydist.Markers {
	return pydist.MarkersFor(pydist.Environment{Python: "3.12"}, "linux", "x86_64")
}

// pythons are the versions that images for ROCm come with, and their neighbours.
var pythons = []string{"3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"}

// elsewhere tells a requirement whose marker holds on none of the machines that
// run ROCm's containers, whichever Python they have: pip passes it over there.
func elsewhere(r pydist.Requirement) bool {
	return !r.Marker.IsZero() && !slices.ContainsFunc(pythons, func(version string) bool {
		return r.Marker.Applies(pydist.MarkersFor(pydist.Environment{Python: version}, "linux", "x86_64"))
	})
}

// knownRequires is what a package requires, as far as it is known: with bounds of
// the version that is asked for, by names alone where only another one was read.
func knownRequires(r pydist.Requirement, version string) ([]pydist.Requirement, rocm.Provenance) {
	rows := slices.DeleteFunc(rocm.RequiresOf(r.Name), func(p rocm.PythonRequires) bool { return p.Unverified })
	if len(rows) == 0 {
		return nil, rocm.Provenance{}
	}
	row := rows[len(rows)-1]
	exact := version == "" && (!row.Partly || row.Newest)
	if i := rowOf(rows, version); i >= 0 {
		row, exact = rows[i], true
	}
	var out []pydist.Requirement
	for _, text := range row.Requires {
		req, err := pydist.ParseRequirement(text)
		if err != nil || !req.Marker.Applies(markers()) {
			continue
		}
		if !exact {
			req.Specifier = pydist.Specifier{}
		}
		out = append(out, req)
	}
	return out, row.Provenance
}

// rowOf finds the row of a version, -1 where there is none. 0.60 and 0.60.0 are
// the same one, as PEP 440 compares them.
func rowOf(rows []rocm.PythonRequires, version string) int {
	equal, err := pydist.ParseSpecifier("==" + version)
	if version == "" || err != nil {
		return -1
	}
	return slices.IndexFunc(rows, func(p rocm.PythonRequires) bool { return p.Version != "" && equal.Contains(p.Version) })
}

// A pull is a requirement that comes along with another one.
type pull struct {
	pydist.Requirement
	by   requirement // what was asked for
	via  string      // the package whose metadata asks for it
	from rocm.Provenance
}

// maxPulls bounds what a table with a circle in it could make.
const maxPulls = 200

// pulls follows what is known of the requirements of an install.
func pulls(asked []requirement) []pull {
	var out []pull
	seen := map[string]bool{}
	add := func(r pydist.Requirement, version string, by requirement) {
		if seen[r.Name] {
			return
		}
		seen[r.Name] = true
		reqs, from := knownRequires(r, version)
		for _, req := range reqs {
			out = append(out, pull{req, by, r.Name, from})
		}
	}
	for _, r := range asked {
		version, _ := r.pinned()
		add(r.Requirement, version, r)
	}
	for n := 0; n < len(out) && n < maxPulls; n++ {
		add(out[n].Requirement, "", out[n].by)
	}
	return out
}
