package linkage

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A place is one step of the search: some folders, or the cache.
type place struct {
	how     string
	folders []string
	cache   bool
}

// find searches for a name that a library asks for. It returns a library without
// a path where nothing is found, and an error where the search stops at a file.
func (r *run) find(name string, by int) (found Library, searched []string, err error) {
	if path.Base(name) == path.Base(r.interpreter()) {
		found, err = r.openAt(r.interpreter(), ByInterpreter)
		return found, []string{r.interpreter()}, err
	}
	if strings.Contains(name, "/") {
		if found.Path = r.absolute(name); found.Path == "" {
			return found, nil, nil
		}
		found, err = r.openAt(found.Path, ByPath)
		return found, []string{name}, err
	}
	for _, p := range r.places(by) {
		if p.cache {
			searched = append(searched, cacheFileName)
			found, err = r.fromCache(name, by)
		} else {
			searched = append(searched, p.folders...)
			found, err = r.fromFolders(p, name)
		}
		if found.Path != "" || err != nil {
			return found, searched, err
		}
	}
	return Library{}, searched, nil
}

func (r *run) interpreter() string {
	if named := r.tree.Libraries[0].Binary.Interpreter; named != "" {
		return named
	}
	return r.target.interpreter
}

// places lists where ld.so looks for what a library needs, in its order.
func (r *run) places(by int) []place {
	asker := r.tree.Libraries[by]
	var out []place
	if asker.Binary.RunPath == nil {
		for i := by; i >= 0; i = r.tree.Libraries[i].By {
			out = r.pathPlace(out, "RPATH", i, r.tree.Libraries[i].Binary.RPath)
		}
	}
	if r.settings.LibraryPath != "" {
		list := strings.Split(strings.ReplaceAll(r.settings.LibraryPath, ";", ":"), ":")
		out = append(out, place{how: ByLibraryPath, folders: r.expanded(list, 0)})
	}
	out = r.pathPlace(out, "RUNPATH", by, asker.Binary.RunPath)
	switch r.readCache().kind {
	case cacheRead:
		out = append(out, place{cache: true})
	case cacheUnseen:
		out = append(out, place{how: ByConf, folders: r.readCache().conf})
	}
	if !asker.Binary.NoDefaultLibs {
		out = append(out, place{how: ByDefault, folders: r.target.defaults(r.disk)})
	}
	return out
}

func (r *run) pathPlace(out []place, kind string, of int, list []string) []place {
	if len(list) == 0 {
		return out
	}
	return append(out, place{how: kind + " of " + r.tree.Libraries[of].Path, folders: r.expanded(list, of)})
}

// expanded fills in tokens and makes folders absolute.
func (r *run) expanded(list []string, of int) []string {
	tokens := r.tokens(of)
	var out []string
	for _, folder := range list {
		if abs := r.absolute(expand(folder, tokens)); abs != "" && !slices.Contains(out, abs) {
			out = append(out, abs)
		}
	}
	return out
}

// absolute returns "" where the working directory counts and is not known.
func (r *run) absolute(p string) string {
	if !path.IsAbs(p) {
		if r.settings.WorkDir == "" {
			return ""
		}
		p = r.settings.WorkDir + "/" + p
	}
	return r.disk.clean(p)
}

func (r *run) fromFolders(p place, name string) (Library, error) {
	for _, folder := range p.folders {
		for _, dir := range r.withLevels(folder) {
			if err := r.disk.folder(dir); passedOver(err) {
				continue
			} else if err != nil {
				return Library{Path: dir}, err
			}
			if found, err := r.openAt(path.Join(dir, name), p.how); found.Path != "" || err != nil {
				return found, err
			}
		}
	}
	return Library{}, nil
}

// withLevels puts the folders for better processors before a folder.
func (r *run) withLevels(folder string) []string {
	levels := r.settings.Level.folders()
	hwcaps := path.Join(folder, "glibc-hwcaps")
	if r.target.machine != "x86-64" || len(levels) == 0 || r.disk.folder(folder) != nil || r.disk.folder(hwcaps) != nil {
		return []string{folder}
	}
	var out []string
	for _, level := range levels {
		out = append(out, path.Join(hwcaps, level))
	}
	return append(out, folder)
}

// passedOver tells whether ld.so looks on after such an error.
func passedOver(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// openAt returns a library without a path where ld.so would look on: the file
// does not exist, may not be read, or is built for another machine.
func (r *run) openAt(p, how string) (Library, error) {
	b, err := r.disk.open(p, ReadELF)
	if passedOver(err) || err == nil && !r.target.fits(b) {
		return Library{}, nil
	}
	return Library{Path: p, How: how, Binary: b}, err
}
