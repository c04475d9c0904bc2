package host

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A tree is what follows from the paths that a machine written by hand lists.
// All its paths are real: no link is left in them, so that a file may be listed
// by any of its names.
type tree struct {
	links    map[string]string      // targets of symbolic links
	types    map[string]fs.FileMode // everything that exists
	children map[string][]string    // names in a directory
	records  map[string]record      // by heading, with the real path
}

// growTree infers the tree from the records of a snapshot.
func growTree(system string, records map[string]record) *tree {
	t := &tree{
		links:    map[string]string{},
		types:    map[string]fs.FileMode{"/": fs.ModeDir},
		children: map[string][]string{},
		records:  map[string]record{},
	}
	list := sorted(records)
	t.addLinks(system, list)
	for _, r := range list {
		t.add(r)
	}
	return t
}

// addLinks collects the links, those near the root first: the path of a link
// may itself go through a link.
func (t *tree) addLinks(system string, list []record) {
	var links []record
	for _, r := range list {
		if r.verb == verbLink && r.fault == "" {
			links = append(links, r)
		}
	}
	slices.SortStableFunc(links, func(a, b record) int {
		return strings.Count(a.args[0], "/") - strings.Count(b.args[0], "/")
	})
	for _, r := range links {
		if p, err := t.resolve(r.args[0], false); err == nil && len(r.body) <= maxPath {
			t.links[p] = cleanPath(system, string(r.body))
		}
	}
}

func (t *tree) add(r record) {
	s := shapes[r.verb]
	if !s.path {
		return
	}
	p, err := t.resolve(r.args[0], s.follow)
	if err != nil {
		return // still answered under the name by which it is listed
	}
	h := heading(r.verb, append([]string{p}, r.args[1:]...)...)
	if _, ok := t.records[h]; !ok {
		t.records[h] = r
	}
	if kind, ok := r.fileType(); ok {
		t.plant(p, kind)
	}
	if r.verb == verbDir && r.fault == "" {
		// A listing that does not parse has been refused before.
		entries, _ := parseEntries(r.body)
		for _, e := range entries {
			t.plant(path.Join(p, e.Name), e.Type)
		}
	}
}

// fileType returns the type of file that a record proves to exist.
func (r record) fileType() (fs.FileMode, bool) {
	if r.fault.absent() {
		return 0, false
	}
	switch r.verb {
	case verbFile, verbRange:
		return 0, true
	case verbVersion:
		return 0, r.fault == ""
	case verbDir:
		return fs.ModeDir, true
	case verbLink:
		return fs.ModeSymlink, r.fault == ""
	case verbStat:
		st, err := parseStat(r.body)
		return st.Mode.Type(), err == nil && r.fault == ""
	}
	return 0, false
}

// plant lets a path exist, with the directories above it. A stat says more
// about a type than anything else, and "stat" is sorted behind what it corrects.
func (t *tree) plant(p string, kind fs.FileMode) {
	_, known := t.types[p]
	if !known || kind != 0 && kind != fs.ModeDir {
		t.types[p] = kind
	}
	for !known {
		dir := path.Dir(p)
		t.children[dir] = append(t.children[dir], path.Base(p))
		if _, known = t.types[dir]; !known {
			t.types[dir] = fs.ModeDir
		}
		p = dir
	}
}

func (t *tree) resolve(p string, follow bool) (string, error) {
	return walk(p, follow, func(p string) (string, bool, error) {
		target, ok := t.links[p]
		return target, ok, nil
	})
}

func (t *tree) find(v verb, p string, more ...string) (record, bool) {
	p, err := t.resolve(p, shapes[v].follow)
	if err != nil {
		return record{}, false
	}
	r, ok := t.records[heading(v, append([]string{p}, more...)...)]
	return r, ok
}

// missing says why a question about a path has no recorded answer.
func (t *tree) missing(v verb, p string) error {
	switch v {
	case verbOpen, verbAccess, verbStatfs:
		return ErrNotRecorded
	case verbXattr:
		return ENODATA
	}
	p, err := t.resolve(p, shapes[v].follow)
	if err != nil {
		return err
	}
	kind, there := t.types[p]
	bytesAsked := v == verbFile || v == verbRange
	switch {
	case !there:
		return ENOENT
	case kind == fs.ModeSymlink:
		return ErrNotRecorded // a listing names the link, nothing tells its target
	case v == verbLink:
		return EINVAL
	case v == verbDir && kind != fs.ModeDir:
		return ENOTDIR
	case bytesAsked && kind == fs.ModeDir:
		return EISDIR
	case bytesAsked && kind != 0:
		return ErrNotRegular
	}
	return ErrNotRecorded
}

// list returns the inferred content of a directory.
func (t *tree) list(p string) ([]Entry, bool) {
	p, err := t.resolve(p, true)
	if err != nil || t.types[p] != fs.ModeDir {
		return nil, false
	}
	var entries []Entry
	for _, name := range slices.Sorted(slices.Values(t.children[p])) {
		entries = append(entries, Entry{Name: name, Type: t.types[path.Join(p, name)]})
	}
	return entries, true
}

// stat answers for plain files, directories and links of root. Whose a device
// is and what its mode is are what a check asks about, so they are not guessed.
func (t *tree) stat(p string) (Stat, bool) {
	p, err := t.resolve(p, false)
	if err != nil {
		return Stat{}, false
	}
	kind, there := t.types[p]
	if !there {
		return Stat{}, false
	}
	switch kind {
	case 0:
		return Stat{Mode: 0o644, Size: int64(len(t.records[heading(verbFile, p)].body))}, true
	case fs.ModeDir:
		return Stat{Mode: fs.ModeDir | 0o755}, true
	case fs.ModeSymlink:
		return Stat{Mode: fs.ModeSymlink | 0o777, Size: int64(len(t.links[p]))}, true
	}
	return Stat{}, false
}
