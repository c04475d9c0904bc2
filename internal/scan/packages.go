package scan

import (
	"bufio"
	"io"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/pydist"
)

// maxRecord bounds what is read of one list of installed files; that of torch has
// 1.5 MB.
const maxRecord = 32 << 20

// name gives each item the Python package that it belongs to: by the wheel that it
// is in, by the lists of installed files, and last by the folder in which it lies,
// which has the name of the package or of its libraries.
func (s *scanner) name(items []Item) {
	for n := range items {
		items[n].Package = ofWheel(items[n].Path)
	}
	for _, site := range s.sites {
		listed, err := pydist.List(s.fsys, site)
		if err != nil {
			continue
		}
		inside := map[string][]*Item{} // by their path below the site
		for n := range items {
			if rest, ok := strings.CutPrefix(items[n].Path, site+"/"); ok {
				inside[rest] = append(inside[rest], &items[n])
			}
		}
		if len(inside) > 0 {
			s.byRecord(listed.Distributions, inside)
			byFolder(listed.Distributions, inside)
		}
	}
}

// ofWheel reads the name of a wheel: "torch-2.9.1+rocm6.4-cp312-cp312-linux_x86_64.whl".
func ofWheel(p string) string {
	outer, _, inside := strings.Cut(p, ".whl!")
	parts := strings.Split(path.Base(outer[strings.LastIndexByte(outer, '!')+1:]), "-")
	if !inside || len(parts) < 5 {
		return ""
	}
	return pydist.Normalize(parts[0]) + " " + parts[1]
}

// byRecord asks the lists of installed files.
func (s *scanner) byRecord(distributions []pydist.Distribution, inside map[string][]*Item) {
	for _, d := range distributions {
		f, err := s.fsys.Open(path.Join(d.Path, "RECORD"))
		if err != nil {
			continue // eggs have none, and the folder tells
		}
		lines := bufio.NewScanner(io.LimitReader(f, maxRecord))
		for lines.Scan() {
			file, _, _ := strings.Cut(lines.Text(), ",")
			for _, key := range []string{file, path.Dir(file), path.Dir(path.Dir(file))} {
				for _, i := range inside[key] {
					if key == file || i.Kind == "kernels" || i.role == tuning {
						i.Package = d.Name + " " + d.Version
					}
				}
			}
		}
		_ = f.Close()
	}
}

func byFolder(distributions []pydist.Distribution, inside map[string][]*Item) {
	versions := map[string]string{}
	for _, d := range distributions {
		versions[d.Name] = d.Version
	}
	for rest, items := range inside {
		top, _, _ := strings.Cut(rest, "/")
		name := pydist.Normalize(strings.TrimSuffix(strings.TrimPrefix(top, "_"), ".libs"))
		title := path.Base(top)
		if version, known := versions[name]; known {
			title = name + " " + version
		}
		for _, i := range items {
			if i.Package == "" {
				i.Package = title
			}
		}
	}
}
