package pydist

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	maxEnvironments = 64
	maxChildren     = 512 // of one folder that is searched for environments
)

// Find finds the Pythons and environments in reach, each once, the closest
// first: what is active, the project's own, then those that tools keep, then
// the system's. It finds at most 64.
func Find(fsys fs.FS, reach Reach) []Environment {
	reach.Home, reach.WorkDir = reach.name(reach.Home), reach.name(reach.WorkDir)
	f := &finder{fsys: fsys, reach: reach, seen: map[string][]int{}, resolved: map[string]string{}, links: map[string]string{}}
	f.pythonPath()
	f.variables()
	f.project()
	f.path()
	for _, prefix := range reach.Extra {
		f.add(place{dir: reach.name(prefix), why: "registered on this machine"})
	}
	for _, p := range places(reach) {
		f.search(p)
	}
	return f.found
}

type finder struct {
	fsys     fs.FS
	reach    Reach
	found    []Environment
	seen     map[string][]int  // environments by prefix
	resolved map[string]string // names without links in them
	links    map[string]string
	shared   []string // the sites that PYTHONPATH adds to every Python
}

// A place is a folder where an environment, or a folder of them, may be.
type place struct {
	dir      string
	children bool   // its subfolders are the candidates
	list     bool   // it is a file, and its lines are the candidates
	only     string // where set, their names begin so
	kind     Kind   // "" where only the folder can tell
	why      string
	active   bool
	minor    string // which of several Pythons in one folder is meant
}

// variables adds what a shell activated.
func (f *finder) variables() {
	f.add(place{dir: f.reach.variable("VIRTUAL_ENV"), why: "VIRTUAL_ENV", active: true})
	f.add(place{dir: f.reach.variable("CONDA_PREFIX"), why: "CONDA_PREFIX", active: true})
}

// project adds the environments of the working directory, and those named .venv
// above it, which uv and others take for the project's.
func (f *finder) project() {
	dir := f.reach.WorkDir
	if dir == "" {
		return
	}
	f.addVenv(dir, "the working directory")
	for _, name := range []string{".venv", "venv", "env"} {
		f.addVenv(path.Join(dir, name), name+" in the working directory")
	}
	for _, name := range f.folders(dir) {
		f.addVenv(path.Join(dir, name), name+" in the working directory")
	}
	for range maxLinks {
		if dir == "." || dir == f.reach.Home {
			return
		}
		dir = path.Dir(dir)
		f.addVenv(path.Join(dir, ".venv"), ".venv above the working directory")
	}
}

// addVenv adds a folder only if it is a virtual environment: a project may hold
// folders with a bin/python3 that is no environment.
func (f *finder) addVenv(dir, why string) {
	if f.exists(path.Join(dir, "pyvenv.cfg")) {
		f.add(place{dir: dir, why: why})
	}
}

// search adds a place, or what stands in it.
func (f *finder) search(p place) {
	switch {
	case p.dir == "":
	case p.list:
		data, err := readBounded(f.fsys, p.dir)
		if err != nil {
			return
		}
		for _, line := range lines(data) {
			p.dir = f.reach.folder(line)
			f.add(p)
		}
	case p.children:
		f.searchIn(p)
	default:
		f.add(p)
	}
}

func (f *finder) searchIn(p place) {
	for _, name := range f.folders(p.dir) {
		if strings.HasPrefix(name, p.only) {
			child := p
			child.dir = path.Join(p.dir, name)
			f.add(child)
		}
	}
}

// add looks at a folder and adds the environments it is, unless they are known.
func (f *finder) add(p place) {
	prefix := f.resolve(p.dir)
	if prefix == "" || prefix == "." {
		return
	}
	key := prefix
	if f.reach.windows() {
		key = strings.ToLower(prefix)
	}
	if _, known := f.seen[key]; !known {
		f.seen[key] = nil
		for _, env := range f.look(prefix, p.kind) {
			if len(f.found) == maxEnvironments {
				break
			}
			env.Why = p.why
			f.seen[key] = append(f.seen[key], len(f.found))
			f.found = append(f.found, env)
		}
	}
	f.refine(f.seen[key], p)
}

// refine notes what a further way to the same environments tells about them.
func (f *finder) refine(indexes []int, p place) {
	for n, i := range indexes {
		env := &f.found[i]
		if p.kind != "" && (env.Kind == Venv || env.Kind == System) {
			env.Kind = p.kind
		}
		if p.active && (p.minor == minor(env.Python) || p.minor == "" && n == 0) {
			env.Active = true
		}
	}
}

// folders are the subfolders of a folder, links included.
func (f *finder) folders(dir string) []string {
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxChildren)]
}

func (f *finder) exists(name string) bool {
	_, err := fs.Stat(f.fsys, name)
	return err == nil
}

func (f *finder) isDir(name string) bool {
	info, err := fs.Stat(f.fsys, name)
	return err == nil && info.IsDir()
}
