package scan

import (
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/pydist"
)

// name gives each item the Python package that it belongs to: by the folder in
// which it lies, which has the name of the package or of its libraries.
func (s *scanner) name() {
	for _, site := range s.sites {
		listed, err := pydist.List(s.fsys, site)
		if err != nil {
			continue
		}
		versions := map[string]string{}
		for _, d := range listed.Distributions {
			versions[d.Name] = d.Version
		}
		for n := range s.items {
			rest, ok := strings.CutPrefix(s.items[n].Path, site+"/")
			if !ok {
				continue
			}
			top, _, _ := strings.Cut(rest, "/")
			name := pydist.Normalize(strings.TrimSuffix(strings.TrimPrefix(top, "_"), ".libs"))
			if version, known := versions[name]; known {
				s.items[n].Package = name + " " + version
			} else {
				s.items[n].Package = path.Base(top)
			}
		}
	}
}
