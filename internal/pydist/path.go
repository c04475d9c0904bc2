package pydist

import (
	"path"
	"strings"
)

// path adds the Python that a shell would start: the first one on PATH.
func (f *finder) path() {
	names := []string{"python3", "python"}
	if f.reach.windows() {
		names = []string{"python.exe", "python3.exe"}
	}
	for _, entry := range f.reach.Path {
		dir := f.reach.name(entry)
		// Windows keeps stubs here that open its shop.
		if entry == "" || dir == "" || path.Base(dir) == "WindowsApps" {
			continue
		}
		for _, name := range names {
			if f.exists(path.Join(dir, name)) && f.addInterpreter(path.Join(dir, name)) {
				return
			}
		}
	}
}

// addInterpreter adds what an interpreter belongs to; false where the search
// must go on.
func (f *finder) addInterpreter(file string) bool {
	dir := path.Dir(file)
	if path.Base(dir) == "shims" {
		return f.addShim(path.Dir(dir))
	}
	if f.exists(path.Join(path.Dir(dir), "pyvenv.cfg")) {
		f.add(place{dir: path.Dir(dir), why: "PATH", active: true})
		return true
	}
	if f.reach.windows() {
		f.add(place{dir: dir, why: "PATH", active: true})
		return true
	}
	target := f.resolve(file)
	lib, _ := parseLib(path.Base(target))
	f.add(place{dir: path.Dir(path.Dir(target)), why: "PATH", active: true, minor: lib.minor})
	return true
}

// addShim adds the version that a shim of pyenv would start. Which one that is
// stands in a variable, in the project, or in pyenv's own folder.
func (f *finder) addShim(root string) bool {
	wanted := f.reach.getenv("PYENV_VERSION")
	files := []string{}
	for dir := f.reach.WorkDir; dir != "" && len(files) < maxLinks; dir = path.Dir(dir) {
		files = append(files, path.Join(dir, ".python-version"))
		if dir == "." {
			break
		}
	}
	for _, file := range append(files, path.Join(root, "version")) {
		if wanted != "" {
			break
		}
		if data, err := readBounded(f.fsys, file); err == nil {
			wanted = strings.Join(lines(data), ":")
		}
	}
	wanted, _, _ = strings.Cut(wanted, ":")
	version := f.pyenvVersion(path.Join(root, "versions"), wanted)
	if version == "" {
		return false
	}
	f.add(place{dir: version, kind: Pyenv, why: "PATH", active: true})
	return true
}

// pyenvVersion finds the folder of a version; "3.11" is the newest of its line.
func (f *finder) pyenvVersion(dir, wanted string) string {
	if wanted == "" || wanted == "system" {
		return ""
	}
	best, bestVersion := "", version{}
	for _, name := range f.folders(dir) {
		if name == wanted {
			return path.Join(dir, name)
		}
		v, ok := parseVersion(name)
		if ok && strings.HasPrefix(name, wanted+".") && (best == "" || v.compare(bestVersion) > 0) {
			best, bestVersion = path.Join(dir, name), v
		}
	}
	return best
}
