package quadlet

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// maxDropIns bounds the files of one unit.
const maxDropIns = 100

// read takes a unit with its drop-ins, in the order in which podman puts them
// together.
func read(p *lint.Project, f *lint.File) *service {
	s := &service{unit: parse(f.Data), file: f}
	for _, list := range [][]entry{s.entries, s.all} {
		for i := range list {
			list[i].file = f
		}
	}
	for _, name := range dropIns(p, f.Path) {
		file, err := p.File(name, lint.Quadlet)
		if err != nil {
			s.unread = fmt.Sprintf("%s: %v", name, err)
			continue
		}
		s.dropIns = append(s.dropIns, file)
		more := parse(file.Data)
		for _, e := range more.all {
			e.file = file
			s.add(e)
		}
		if more.wanted != "" {
			s.wanted = more.wanted
		}
	}
	return s
}

// dropIns are the files that add to a unit, by their names: those of a.container.d,
// and of container.d, which is for all units. Of two with one name that of the unit
// counts; for a-b.container there is a-.container.d between them
// (podman-systemd.unit(5)).
func dropIns(p *lint.Project, unit string) []string {
	dir, base := path.Split(unit)
	stem := strings.TrimSuffix(base, ".container")
	folders := []string{base + ".d"}
	if template, _, is := strings.Cut(stem, "@"); is {
		folders = append(folders, template+"@.container.d")
	}
	for i := strings.LastIndexByte(stem, '-'); i > 0; i = strings.LastIndexByte(stem[:i], '-') {
		folders = append(folders, stem[:i+1]+".container.d")
	}
	found := map[string]string{}
	for _, folder := range append(folders, "container.d") {
		entries, err := fs.ReadDir(p.FS, path.Join(dir, folder))
		if err != nil {
			continue // most units have none
		}
		for _, e := range entries {
			if _, there := found[e.Name()]; !there && !e.IsDir() && path.Ext(e.Name()) == ".conf" && len(found) < maxDropIns {
				found[e.Name()] = path.Join(dir, folder, e.Name())
			}
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}
