package linkage

import (
	"fmt"
	"slices"
)

// A Tree is what the loader would do with one file.
type Tree struct {
	Libraries []Library // in the order of loading; the first is the file itself
	Missing   []Missing
	Versions  []MissingVersion
	Faults    []Fault
	Notes     []string // what the answer rests on, where it is not plain
}

// A Library is one file that would be loaded.
type Library struct {
	Name    string // as asked for
	Path    string
	How     string // "RUNPATH of /usr/bin/x", or one of the constants
	By      int    // who asked first, as an index; -1 for the file itself
	Delayed bool   // PE: loaded when first called
	Binary  Binary
	also    []string // other names that led to the same file
}

// How a library is found, where it needs no name of another file.
const (
	ByCommand     = "asked for"
	ByPath        = "path"
	ByPreload     = "LD_PRELOAD"
	ByLibraryPath = "LD_LIBRARY_PATH"
	ByCache       = "ld.so.cache"
	ByConf        = "ld.so.conf"
	ByDefault     = "default folder"
	ByInterpreter = "interpreter"
)

// A Missing library is found in no place that the loader looks at.
type Missing struct {
	Name     string
	Chain    []string // from the file itself to who asks
	Searched []string // folders and the cache, in order; a folder that does not exist is among them
	// Lies are paths where such a file is, in folders that /etc/ld.so.conf names:
	// ldconfig has not been run since.
	Lies    []string
	Delayed bool // PE: asked for when first called
}

// A MissingVersion is a version that a library should define and does not.
type MissingVersion struct{ Library, Path, Version, By string }

// String says it in the loader's own words, which are those of people's logs.
func (v MissingVersion) String() string {
	return fmt.Sprintf("%s: version `%s' not found (required by %s)", v.Path, v.Version, v.By)
}

// A Fault is a file that could not be taken.
type Fault struct {
	Name string
	Path string
	By   string
	// Refused files stop the loader. Others we could not look at, and whether the
	// library is there is not known.
	Refused bool
	Err     error
}

// Index finds a library that was loaded under a name, as ld.so does: by the name
// it was asked for, its path, or the name it goes by. It is -1 where there is none.
func (t Tree) Index(name string) int {
	return slices.IndexFunc(t.Libraries, func(l Library) bool {
		return l.Name == name || l.Path == name || l.Binary.Soname == name || slices.Contains(l.also, name)
	})
}

// Chain returns the paths from the file itself to a library.
func (t Tree) Chain(i int) []string {
	var out []string
	for ; i >= 0; i = t.Libraries[i].By {
		out = append(out, t.Libraries[i].Path)
	}
	slices.Reverse(out)
	return out
}

// Find returns the library that goes by a name.
func (t Tree) Find(name string) (Library, bool) {
	if i := t.Index(name); i >= 0 {
		return t.Libraries[i], true
	}
	return Library{}, false
}
