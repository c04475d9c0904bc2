package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/linkage"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// mostLinked is how many files the loader is asked about. One machine has a
// handful; each of them takes as long as reading some dozens of small files.
const mostLinked = 24

// linked asks what the loader would do with the files that use ROCm.
func linked(r host.Reader, m *machine.Machine, files []linkFile) machine.Fact[machine.Linkage] {
	if len(files) == 0 {
		return machine.Fact[machine.Linkage]{}
	}
	l := newLinker(r, m)
	var out machine.Linkage
	if len(files) > mostLinked {
		out.Left = len(files) - mostLinked
		files = files[:mostLinked]
	}
	for _, f := range files {
		if file, seen := l.look(f); seen {
			out.Files = append(out.Files, file)
		}
	}
	out.Plain = l.plain(files)
	out.Pointers = l.pointers(m)
	return machine.Know(out, "the files themselves, as ld.so would load them")
}

// A linker asks the loader for one machine.
type linker struct {
	r      host.Reader
	loader *linkage.Loader
	found  []machine.Installation
}

func newLinker(r host.Reader, m *machine.Machine) *linker {
	value := func(name string) string {
		v, _, _ := r.Getenv(name) // what cannot be asked is taken for unset
		return v
	}
	settings := linkage.Settings{LibraryPath: value("LD_LIBRARY_PATH"), Preload: value("LD_PRELOAD"), WorkDir: value("PWD")}
	return &linker{r: r, loader: linkage.NewLoader(host.Files(r), settings), found: m.ROCm.Value}
}

// look asks the loader about one file. Where not even the C library is found, the
// folders of this machine cannot be seen from here, and nothing is said.
// isScript reports a file that another program reads and runs.
func isScript(r host.Reader, file string) bool {
	head, err := r.ReadAt(file, 0, 2)
	return err == nil && string(head) == "#!"
}

func (l *linker) look(f linkFile) (machine.Linked, bool) {
	out := machine.Linked{Path: f.path, Software: f.software, Root: f.root, How: f.how, Optional: f.optional}
	t, err := l.load(f)
	switch {
	case linkage.Refused(err) && isScript(l.r, f.path):
		out.Unseen = "it is a script; name the program that it starts"
		return out, true
	case linkage.Refused(err):
		out.Refused = []machine.RefusedLibrary{{Path: f.path, Why: why(f.path, err)}}
		return out, true
	case err != nil:
		out.Unseen = reason(err)
		return out, true
	}
	if slices.ContainsFunc(t.Missing, func(m linkage.Missing) bool { return m.Name == "libc.so.6" }) {
		return out, false
	}
	t = l.comgr(t, &out)
	for _, lib := range t.Libraries {
		if isWatched(lib.Path) {
			out.Gets = append(out.Gets, l.library(lib))
		}
	}
	l.complain(&out, t)
	// A library may take symbols from the program that loads it.
	if f.asked && t.Libraries[0].Binary.Program {
		out.Words = append(out.Words, l.absent(t)...)
	}
	return out, true
}

// load loads a file into the process that uses it. Where its Python code would
// load libraries of ROCm before, by their path, they are loaded as well: that is
// what rocm_sdk.initialize_process does for torch (ROCm/TheRock).
func (l *linker) load(f linkFile) (linkage.Tree, error) {
	t, err := l.loadAll(f, nil)
	var before []string
	for range 4 {
		more := l.inFolders(f.sdk, t.Missing)
		if err != nil || len(more) == 0 {
			break
		}
		before = append(more, before...)
		t, err = l.loadAll(f, before)
	}
	return t, err
}

func (l *linker) loadAll(f linkFile, before []string) (linkage.Tree, error) {
	files := append(slices.Clone(before), f.before...)
	files = append(files, f.path)
	t, err := l.loadFirst(f, &files)
	for _, file := range files {
		if err != nil {
			break
		}
		t, err = l.loader.Dlopen(t, 0, file)
	}
	return t, err
}

// loadFirst loads the program that loads the rest; where there is none, the first
// of the files stands for it.
func (l *linker) loadFirst(f linkFile, files *[]string) (linkage.Tree, error) {
	for _, program := range f.programs {
		if t, err := l.loader.Load(program); err == nil {
			return t, nil
		}
	}
	t, err := l.loader.Load((*files)[0])
	*files = (*files)[1:]
	return t, err
}

// inFolders finds missing libraries in some folders.
func (l *linker) inFolders(folders []string, missing []linkage.Missing) []string {
	var out []string
	for _, m := range missing {
		for _, folder := range folders {
			if file := path.Join(folder, m.Name); !strings.Contains(m.Name, "/") && exists(l.r, file).Known() {
				out = append(out, file)
				break
			}
		}
	}
	return out
}

// complain keeps what is wrong with the file and what it loads; what is wrong
// with the program before it is not its fault.
func (l *linker) complain(out *machine.Linked, t linkage.Tree) {
	for _, m := range t.Missing {
		if slices.Contains(m.Chain, out.Path) {
			out.Missing = append(out.Missing, l.missing(m))
		}
	}
	for _, f := range t.Faults {
		if f.Refused {
			out.Refused = append(out.Refused, machine.RefusedLibrary{Path: shown(f.Path), By: shown(f.By), Why: why(f.Path, f.Err)})
		} else if out.Unseen == "" {
			out.Unseen = shown(f.Path) + ": " + reason(f.Err)
		}
	}
	for _, v := range t.Versions {
		if slices.Contains(t.Chain(t.Index(v.By)), out.Path) {
			out.Words = append(out.Words, machine.LoaderWords{Text: shown(v.String()), Path: shown(v.Path), By: shown(v.By)})
		}
	}
	out.Words = append(out.Words, l.symbols(t)...)
}

// absent are symbols that nothing defines; a few tell as much as all.
func (l *linker) absent(t linkage.Tree) []machine.LoaderWords {
	const most = 4
	found, _ := l.loader.AbsentSymbols(t) // what was not read is not said to be absent
	var out []machine.LoaderWords
	for _, a := range found[:min(len(found), most)] {
		out = append(out, machine.LoaderWords{Text: shown(a.String()), Path: shown(a.By), By: shown(a.By)})
	}
	return out
}

func (l *linker) missing(m linkage.Missing) machine.MissingLibrary {
	return machine.MissingLibrary{
		Name: shown(m.Name), Chain: allShown(m.Chain), Searched: allShown(m.Searched), Lies: allShown(m.Lies),
		Beside: allShown(l.inFolders(l.folders(), []linkage.Missing{m})),
	}
}

// symbols compares the HIP runtime with the HSA runtime below it where they do
// not lie together: their versions have carried one name through all releases.
func (l *linker) symbols(t linkage.Tree) []machine.LoaderWords {
	hip, hsa := watched(t, hipLibrary), watched(t, hsaLibrary)
	if hip < 0 || hsa < 0 {
		return nil
	}
	asker, giver := t.Libraries[hip].Path, t.Libraries[hsa].Path
	if path.Dir(l.loader.Real(asker)) == path.Dir(l.loader.Real(giver)) {
		return nil
	}
	absent, err := l.loader.AbsentBetween(t, hip, hsa)
	if err != nil || len(absent) == 0 {
		return nil // what cannot be read is not said to be absent
	}
	return []machine.LoaderWords{{Text: shown(absent[0].String()), Path: shown(giver), By: shown(asker)}}
}

func (l *linker) library(lib linkage.Library) machine.LinkedLibrary {
	name := lib.Binary.Soname
	if name == "" {
		name = path.Base(lib.Path)
	}
	return machine.LinkedLibrary{Name: shown(name), Path: shown(lib.Path), Real: shown(l.loader.Real(lib.Path)), How: shown(lib.How)}
}

// plain finds the HIP runtime that a program without a search path would get, for
// each number that is installed.
func (l *linker) plain(files []linkFile) []machine.LinkedLibrary {
	var out []machine.LinkedLibrary
	asked := map[string]bool{}
	for _, f := range files {
		name := path.Base(f.path)
		if !strings.HasPrefix(name, hipLibrary+".so.") || asked[name] {
			continue
		}
		asked[name] = true
		t, err := l.loader.Load(f.path)
		if err != nil {
			continue
		}
		if lib, err := l.loader.Lookup(t.Libraries[0].Binary, name); err == nil && lib.Path != "" {
			out = append(out, l.library(lib))
		}
	}
	return out
}

// why says what is wrong with a file, without saying again which.
func why(file string, err error) string {
	_, text, _ := strings.Cut(err.Error(), "read "+file+": ")
	return shown(text)
}

// shown makes a name from somebody's file fit for a terminal.
func shown(s string) string {
	const most = 300
	if !readable(s) || strings.Contains(s, "\n") || len(s) > most {
		return quoted(s)
	}
	return s
}

func allShown(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, shown(s))
	}
	return out
}
