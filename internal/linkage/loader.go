package linkage

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Settings are what a process brings along. The variables are as they are set.
type Settings struct {
	LibraryPath string // LD_LIBRARY_PATH
	Preload     string // LD_PRELOAD
	WorkDir     string // what relative folders begin at; without it they are left out
	Level       Level
}

// A Loader does what ld.so of glibc does, without loading anything. It follows
// elf/dl-load.c and elf/dl-deps.c of glibc 2.36, and ld.so(8).
type Loader struct {
	disk     *disk
	settings Settings
	cache    *cacheState
}

// NewLoader makes a loader for the files of one machine, whose root is that of
// the file system. Opening a file has to follow its links, also absolute ones.
func NewLoader(fsys fs.FS, s Settings) *Loader {
	return &Loader{disk: newDisk(fsys), settings: s}
}

// With is a loader for another process of the same machine; what was read is not
// read again.
func (l *Loader) With(s Settings) *Loader {
	return &Loader{disk: l.disk, settings: s, cache: l.cache}
}

// Real follows all links of a path: where a library really is says which
// installation it belongs to.
func (l *Loader) Real(p string) string { return l.disk.real(p) }

// Lookup finds what a program of the same kind as a binary would get for a name,
// if it had no search path of its own. The path is empty where there is nothing.
func (l *Loader) Lookup(like Binary, name string) (Library, error) {
	t, err := targetOf(Binary{Machine: like.Machine, Bits: like.Bits})
	if err != nil {
		return Library{}, err
	}
	r := &run{Loader: l, target: t}
	r.tree.Libraries = []Library{{Path: "/", By: -1}}
	found, _, err := r.find(name, 0)
	found.Name = name
	return found, err
}

// maxLibraries is far more than any process has.
const maxLibraries = 2000

// Load says what would be loaded with a program, library or extension module,
// named by its path on the machine.
func (l *Loader) Load(name string) (Tree, error) {
	p := l.disk.clean("/" + name)
	b, err := l.disk.open(p, ReadELF)
	if err != nil {
		return Tree{}, fmt.Errorf("load %s: %w", p, err)
	}
	t, err := targetOf(b)
	if err != nil {
		return Tree{}, fmt.Errorf("load %s: %w", p, err)
	}
	r := &run{Loader: l, target: t}
	r.tree.Libraries = []Library{{Name: name, Path: p, How: ByCommand, By: -1, Binary: b}}
	r.preload()
	return r.finish(), nil
}

// Dlopen adds to a tree what a library of it, by its index, would load with
// dlopen.
func (l *Loader) Dlopen(t Tree, by int, name string) (Tree, error) {
	if by < 0 || by >= len(t.Libraries) {
		return t, fmt.Errorf("open %s: the tree has no library %d", name, by)
	}
	target, err := targetOf(t.Libraries[0].Binary)
	if err != nil {
		return t, err
	}
	t.Libraries, t.Missing, t.Faults = slices.Clone(t.Libraries), slices.Clone(t.Missing), slices.Clone(t.Faults)
	r := &run{Loader: l, target: target, tree: t}
	r.add(name, by, "")
	return r.finish(), nil
}

// A run is the work on one tree.
type run struct {
	*Loader
	target target
	tree   Tree
	done   int // libraries whose needs are looked at
}

// preload loads what LD_PRELOAD lists; the names are separated by blanks or
// colons.
func (r *run) preload() {
	for name := range strings.FieldsFuncSeq(r.settings.Preload, func(c rune) bool { return c == ' ' || c == ':' }) {
		r.add(name, 0, ByPreload)
	}
}

// finish goes through the needs of each library in turn, first those that are
// nearest to the program, and then compares versions.
func (r *run) finish() Tree {
	for ; r.done < len(r.tree.Libraries) && r.done < maxLibraries; r.done++ {
		for _, need := range r.tree.Libraries[r.done].Binary.Needs {
			r.add(need, r.done, "")
		}
	}
	r.tree.Versions = r.versions()
	r.tree.Notes = r.notes()
	return r.tree
}

// add finds one library, unless it is there already. A name that one asker does
// not find, another may.
func (r *run) add(name string, by int, how string) {
	name = expand(name, r.tokens(by))
	if name == "" || r.tree.Index(name) >= 0 {
		return
	}
	found, searched, err := r.find(name, by)
	switch {
	case err != nil:
		r.fault(Fault{Name: name, Path: found.Path, By: r.tree.Libraries[by].Path, Refused: Refused(err), Err: err})
	case found.Path == "":
		r.missing(name, by, searched)
	default:
		if how != "" {
			found.How = how
		}
		r.take(found, name, by)
	}
}

func (r *run) fault(f Fault) {
	if !slices.ContainsFunc(r.tree.Faults, func(o Fault) bool { return o.Name == f.Name && o.Path == f.Path }) {
		r.tree.Faults = append(r.tree.Faults, f)
	}
}

// missing keeps the first who asks in vain.
func (r *run) missing(name string, by int, searched []string) {
	if !slices.ContainsFunc(r.tree.Missing, func(m Missing) bool { return m.Name == name }) {
		r.tree.Missing = append(r.tree.Missing, Missing{Name: name, Chain: r.tree.Chain(by), Searched: searched, Lies: r.lies(name)})
	}
}

// take loads a library that was found, unless it is a file that is loaded
// already under another name. One file has one soname, so most need not be asked
// where they are.
func (r *run) take(found Library, name string, by int) {
	for i, l := range r.tree.Libraries {
		if l.Binary.Soname == found.Binary.Soname && r.disk.same(l.Path, found.Path) {
			r.tree.Libraries[i].also = append(slices.Clone(l.also), name)
			return
		}
	}
	found.Name, found.By = name, by
	r.tree.Libraries = append(r.tree.Libraries, found)
}

// Refused tells whether ld.so would stop at the file, or only we could not look.
func Refused(err error) bool {
	for _, is := range []error{ErrOtherFormat, ErrCutShort, ErrDamaged, ErrNotLoadable} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// tokens are the values of $ORIGIN and its like for one library.
func (r *run) tokens(i int) map[string]string {
	return map[string]string{"ORIGIN": r.origin(i), "LIB": r.target.libToken(r.disk), "PLATFORM": r.target.platform}
}

// origin is the folder of a library as it was found, links and all; that of the
// program comes from the kernel, which follows links.
func (r *run) origin(i int) string {
	l := r.tree.Libraries[i]
	if i == 0 && l.Binary.Program {
		return path.Dir(r.disk.real(l.Path))
	}
	return path.Dir(l.Path)
}

// versions compares what is wanted of each library with what it offers. A
// library without any versions is taken as it is, with a warning at most.
func (r *run) versions() []MissingVersion {
	var out []MissingVersion
	for _, asker := range r.tree.Libraries {
		for _, want := range asker.Binary.Wants {
			i := r.tree.Index(want.Library)
			if i < 0 || want.Weak {
				continue
			}
			giver := r.tree.Libraries[i]
			if len(giver.Binary.Offers) > 0 && !slices.Contains(giver.Binary.Offers, want.Version) {
				out = append(out, MissingVersion{want.Library, giver.Path, want.Version, asker.Path})
			}
		}
	}
	return out
}

func (r *run) notes() []string {
	if r.cache == nil || r.cache.note == "" {
		return nil
	}
	return []string{r.cache.note}
}
