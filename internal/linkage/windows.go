package linkage

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Step is a kind of folder in which Windows looks for a library.
type Step string

// The steps. They name how a library was found, too.
const (
	StepLibrary     Step = "folder of the library"
	StepApplication Step = "folder of the program"
	StepAdded       Step = "AddDllDirectory"
	StepSystem      Step = "System32"
	StepWindows     Step = "Windows folder"
	StepWorkDir     Step = "working directory"
	StepPath        Step = "PATH"
)

// DefaultOrder is how a program's own imports are searched for, and what
// LoadLibrary without flags does ("Dynamic-link library search order" of
// Microsoft, safe search mode). A copy in System32 wins over one in PATH.
var DefaultOrder = []Step{StepApplication, StepSystem, StepWindows, StepWorkDir, StepPath}

// FlagsOrder is the order of LOAD_LIBRARY_SEARCH_DEFAULT_DIRS with
// LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, which Python uses for extension modules since
// 3.8: PATH is not looked at.
var FlagsOrder = []Step{StepLibrary, StepApplication, StepAdded, StepSystem}

// WindowsSettings are what a process brings along. Folders may be written with
// either slash; among the files they are names like "C:/Windows/System32".
type WindowsSettings struct {
	Order       []Step // DefaultOrder where it is nil
	Application string // of the program; the folder of the file itself where that is one
	Added       []string
	System      string // C:/Windows/System32 where it is empty
	Windows     string // C:/Windows where it is empty
	WorkDir     string
	Path        []string
}

// A WindowsLoader does what the loader of Windows does, without loading anything.
// What manifests and policies redirect is not followed.
type WindowsLoader struct {
	disk     *disk
	settings WindowsSettings
	listed   map[string]listing
}

type listing struct {
	names map[string]string // as written, by the name in lower case
	err   error
}

// NewWindowsLoader makes a loader for the files of one machine.
func NewWindowsLoader(fsys fs.FS, s WindowsSettings) *WindowsLoader {
	if s.Order == nil {
		s.Order = DefaultOrder
	}
	if s.Windows == "" {
		s.Windows = "C:/Windows"
	}
	if s.System == "" {
		s.System = s.Windows + "/System32"
	}
	for _, folder := range []*string{&s.Application, &s.System, &s.Windows, &s.WorkDir} {
		*folder = slashes(*folder)
	}
	s.Added, s.Path = allSlashes(s.Added), allSlashes(s.Path)
	return &WindowsLoader{disk: newDisk(fsys), settings: s, listed: map[string]listing{}}
}

// slashes gives a path of Windows the form of io/fs.
func slashes(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(p, `\`, "/"))
}

func allSlashes(list []string) []string {
	var out []string
	for _, p := range list {
		if p != "" {
			out = append(out, slashes(p))
		}
	}
	return out
}

// Load says what would be loaded with a program, library or extension module:
// first what is imported at once, then what is loaded when first called.
func (l *WindowsLoader) Load(name string) (Tree, error) {
	p := slashes(name)
	b, err := l.disk.open(p, ReadPE)
	if err != nil {
		return Tree{}, fmt.Errorf("load %s: %w", p, err)
	}
	r := &windowsRun{WindowsLoader: l}
	r.tree.Libraries = []Library{{Name: name, Path: p, How: ByCommand, By: -1, Binary: b}}
	for i := 0; i < len(r.tree.Libraries) && i < maxLibraries; {
		for ; i < len(r.tree.Libraries) && i < maxLibraries; i++ {
			for _, need := range r.tree.Libraries[i].Binary.Needs {
				r.add(need, i, r.tree.Libraries[i].Delayed)
			}
		}
		r.addDelayed()
	}
	return r.tree, nil
}

type windowsRun struct {
	*WindowsLoader
	tree  Tree
	later int // libraries whose delayed imports are looked at
}

func (r *windowsRun) addDelayed() {
	for end := len(r.tree.Libraries); r.later < end; r.later++ {
		for _, need := range r.tree.Libraries[r.later].Binary.Delayed {
			r.add(need, r.later, true)
		}
	}
}

// add finds one library, unless one of that name is there already.
func (r *windowsRun) add(name string, by int, delayed bool) {
	if path.Ext(name) == "" {
		name += ".dll"
	}
	if isAPISet(name) || isKnownLibrary(name) || r.loaded(name) {
		return
	}
	found, searched, err := r.find(name)
	switch {
	case err != nil:
		r.tree.Faults = append(r.tree.Faults, Fault{Name: name, Path: found.Path, By: r.tree.Libraries[by].Path, Refused: Refused(err), Err: err})
	case found.Path != "":
		found.Name, found.By, found.Delayed = name, by, delayed
		r.tree.Libraries = append(r.tree.Libraries, found)
	default:
		r.tree.Missing = append(r.tree.Missing, Missing{Name: name, Chain: r.tree.Chain(by), Searched: searched, Delayed: delayed})
	}
}

// loaded tells whether a name is done with. Windows knows modules by the name of
// their file.
func (r *windowsRun) loaded(name string) bool {
	return slices.ContainsFunc(r.tree.Libraries, func(l Library) bool { return strings.EqualFold(path.Base(l.Path), name) }) ||
		slices.ContainsFunc(r.tree.Missing, func(m Missing) bool { return strings.EqualFold(m.Name, name) }) ||
		slices.ContainsFunc(r.tree.Faults, func(f Fault) bool { return strings.EqualFold(f.Name, name) })
}

func (r *windowsRun) find(name string) (found Library, searched []string, err error) {
	var unseen Library
	for _, step := range r.settings.Order {
		for _, folder := range r.folders(step) {
			searched = append(searched, folder)
			if step == StepSystem && isSystemLibrary(name) {
				break // every Windows has it, and it leads only to others of the system
			}
			actual, listErr := r.named(folder, name)
			if listErr != nil && !passedOver(listErr) && unseen.Path == "" {
				unseen.Path, err = folder, listErr
			}
			if actual == "" {
				continue
			}
			found, err := r.take(path.Join(folder, actual), step)
			return found, searched, err
		}
		if step == StepSystem && isSystemLibrary(name) {
			return Library{Path: path.Join(r.settings.System, name), How: string(step)}, searched, nil
		}
	}
	return unseen, searched, err
}

// named is the name that a library has in a folder, or "". System32 holds some
// thousand files and is asked for the one; Windows itself does not mind the case.
func (r *windowsRun) named(folder, name string) (string, error) {
	if !strings.EqualFold(folder, r.settings.System) {
		list := r.list(folder)
		return list.names[strings.ToLower(name)], list.err
	}
	for _, written := range []string{name, strings.ToLower(name)} {
		info, err := fs.Stat(r.disk.fsys, path.Join(folder, written))
		switch {
		case err == nil && !info.IsDir():
			return written, nil
		case err != nil && !passedOver(err):
			return "", err
		}
	}
	return "", nil
}

// take reads a library.
func (r *windowsRun) take(p string, step Step) (Library, error) {
	found := Library{Path: p, How: string(step)}
	b, err := r.disk.open(p, ReadPE)
	if root := r.tree.Libraries[0].Binary; err == nil && (b.Machine != root.Machine || b.Bits != root.Bits) {
		err = fmt.Errorf("%w: it is built for %s with %d bits", ErrNotLoadable, b.Machine, b.Bits)
	}
	found.Binary = b
	return found, err
}

// folders are those of a step.
func (r *windowsRun) folders(step Step) []string {
	root := r.tree.Libraries[0]
	switch step {
	case StepLibrary:
		return []string{path.Dir(root.Path)}
	case StepApplication:
		if r.settings.Application == "" && root.Binary.Program {
			return []string{path.Dir(root.Path)}
		}
		return given(r.settings.Application)
	case StepAdded:
		return r.settings.Added
	case StepSystem:
		return given(r.settings.System)
	case StepWindows:
		return given(r.settings.Windows)
	case StepWorkDir:
		return given(r.settings.WorkDir)
	case StepPath:
		return r.settings.Path
	}
	return nil
}

func given(folder string) []string {
	if folder == "" {
		return nil
	}
	return []string{folder}
}

// list reads a folder once: names are compared without case, also where the file
// system under the snapshot or mount tells them apart.
func (l *WindowsLoader) list(folder string) listing {
	if done, ok := l.listed[folder]; ok {
		return done
	}
	entries, err := fs.ReadDir(l.disk.fsys, folder)
	made := listing{names: map[string]string{}, err: err}
	for _, e := range entries {
		if !e.IsDir() {
			made.names[strings.ToLower(e.Name())] = e.Name()
		}
	}
	l.listed[folder] = made
	return made
}
