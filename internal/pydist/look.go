package pydist

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// look reads what environments a folder is: none, one, or one for each version
// of Python that a system has installed side by side.
func (f *finder) look(prefix string, kind Kind) []Environment {
	if kind == Store {
		return f.lookStore(prefix)
	}
	if data, err := readBounded(f.fsys, path.Join(prefix, "pyvenv.cfg")); err == nil {
		return []Environment{f.lookVenv(prefix, parsePyvenv(data))}
	}
	if entries, err := fs.ReadDir(f.fsys, path.Join(prefix, "conda-meta")); err == nil {
		return f.lookConda(prefix, entries)
	}
	return f.lookInstall(prefix)
}

func (f *finder) lookVenv(prefix string, cfg pyvenv) Environment {
	env := Environment{Prefix: prefix, Kind: Venv, Python: cfg.version, ByUV: cfg.uv, Base: f.reach.folder(cfg.home)}
	lib := f.venvLib(prefix, cfg.version)
	if lib.minor != "" && lib.minor != minor(env.Python) { // upgraded in place: its folder is the newer truth
		env.Python = lib.minor
	}
	env.Sites = slices.Concat(f.shared, f.own(prefix, lib))
	if cfg.systemSites && env.Base != "" {
		base := f.resolve(env.Base)
		if !f.reach.windows() {
			base = path.Dir(base)
		}
		env.Sites = slices.Concat(env.Sites, f.user(lib), f.own(base, lib))
	}
	env.Sites = f.distinct(env.Sites)
	return env
}

// venvLib is the folder of the version that pyvenv.cfg names, else the newest.
func (f *finder) venvLib(prefix, version string) pythonLib {
	libs := f.libs(prefix)
	i := slices.IndexFunc(libs, func(l pythonLib) bool { return l.minor == minor(version) })
	switch {
	case i >= 0:
		return libs[i]
	case len(libs) > 0:
		return libs[0]
	}
	return pythonLib{folder: "python" + minor(version), minor: minor(version)}
}

// lookConda reads conda's own list of packages: python-3.12.3-hab00c5b_0.json.
// An environment without Python is none for us.
func (f *finder) lookConda(prefix string, entries []fs.DirEntry) []Environment {
	for _, e := range entries {
		rest, found := strings.CutPrefix(e.Name(), "python-")
		if !found || !strings.HasSuffix(rest, ".json") {
			continue
		}
		if version := numbers(rest); version != "" {
			lib := f.venvLib(prefix, version)
			return []Environment{{Prefix: prefix, Kind: Conda, Python: version, Sites: f.sites(prefix, lib)}}
		}
	}
	return nil
}

// lookInstall reads a folder that an interpreter was installed into.
func (f *finder) lookInstall(prefix string) []Environment {
	var out []Environment
	for _, lib := range f.installed(prefix) {
		out = append(out, Environment{
			Prefix: prefix, Kind: System, Python: f.patchLevel(prefix, lib), Sites: f.sites(prefix, lib),
		})
	}
	return out
}

// lookStore reads what was installed with a Python of the Microsoft Store; the
// interpreter itself stands where nobody may look.
func (f *finder) lookStore(prefix string) []Environment {
	version := numbers(strings.TrimPrefix(path.Base(prefix), storePackage))
	lib := pythonLib{minor: version}
	site := path.Join(prefix, "LocalCache/local-packages", lib.windowsName(), "site-packages")
	if version == "" || !f.isDir(site) {
		return nil
	}
	return []Environment{{Prefix: prefix, Kind: Store, Python: version, Sites: f.distinct(slices.Concat(f.shared, []string{site}))}}
}

// A pythonLib is one version of Python in a prefix: the folder below lib.
type pythonLib struct {
	folder string // python3.12, python3.13t, pypy3.10
	minor  string // 3.12
}

// windowsName is "Python312" of 3.12.
func (l pythonLib) windowsName() string {
	return "Python" + strings.ReplaceAll(l.minor, ".", "")
}

// parseLib reads the name of a folder or of an interpreter.
func parseLib(name string) (pythonLib, bool) {
	rest, found := strings.CutPrefix(name, "python")
	if !found {
		rest, found = strings.CutPrefix(name, "pypy")
	}
	version := strings.TrimSuffix(rest, "t") // of builds without the global lock
	if !found || numbers(version) != version || minor(version) != version || version == "" {
		return pythonLib{}, false
	}
	return pythonLib{folder: name, minor: version}, true
}

// libs are the versions that have a folder below lib or lib64, newest first.
func (f *finder) libs(prefix string) []pythonLib {
	if f.reach.windows() {
		return nil
	}
	var out []pythonLib
	for _, dir := range []string{"lib", "lib64"} {
		for _, name := range f.folders(path.Join(prefix, dir)) {
			if lib, ok := parseLib(name); ok && !slices.Contains(out, lib) {
				out = append(out, lib)
			}
		}
	}
	slices.SortStableFunc(out, newer)
	return out
}

// newer orders versions, the newest first.
func newer(a, b pythonLib) int {
	return cmp.Or(cmp.Compare(second(b.minor), second(a.minor)), strings.Compare(a.folder, b.folder))
}

func second(minor string) int {
	_, text, _ := strings.Cut(minor, ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// installed are the versions that have an interpreter here; the first is the
// one that python3 starts.
func (f *finder) installed(prefix string) []pythonLib {
	if f.reach.windows() {
		return f.installedOnWindows(prefix)
	}
	entries, err := fs.ReadDir(f.fsys, path.Join(prefix, "bin"))
	if err != nil {
		return nil
	}
	var out []pythonLib
	plain := false
	for _, e := range entries {
		plain = plain || e.Name() == "python3" || e.Name() == "python"
		if lib, ok := parseLib(e.Name()); ok {
			out = append(out, lib)
		}
	}
	if len(out) == 0 && plain {
		libs := f.libs(prefix)
		return libs[:min(len(libs), 1)]
	}
	slices.SortStableFunc(out, newer)
	usual := path.Base(f.resolve(path.Join(prefix, "bin/python3")))
	slices.SortStableFunc(out, func(a, b pythonLib) int { return compareBool(b.folder == usual, a.folder == usual) })
	return out
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// installedOnWindows knows a version by its library: python312.dll.
func (f *finder) installedOnWindows(prefix string) []pythonLib {
	entries, err := fs.ReadDir(f.fsys, prefix)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		stem, isDLL := strings.CutSuffix(strings.ToLower(e.Name()), ".dll")
		digits, isPython := strings.CutPrefix(stem, "python3")
		if n := span(digits, func(c byte) bool { return '0' <= c && c <= '9' }); isDLL && isPython && n > 0 && n < 4 {
			return []pythonLib{{folder: "python3." + digits[:n], minor: "3." + digits[:n]}}
		}
	}
	return nil
}

// patchLevel is the full version of an installed Python where its headers or
// its folder's name say it: cpython-3.12.3-linux-x86_64-gnu, 3.11.7.
func (f *finder) patchLevel(prefix string, lib pythonLib) string {
	headers := path.Join("include", lib.folder)
	if f.reach.windows() {
		headers = "include"
	}
	if data, err := readBounded(f.fsys, path.Join(prefix, headers, "patchlevel.h")); err == nil {
		if version := parsePatchLevel(data); minor(version) == lib.minor {
			return version
		}
	}
	base := path.Base(prefix)
	for _, text := range []string{base, base[strings.IndexByte(base, '-')+1:]} {
		if version := numbers(text); minor(version) == lib.minor {
			return version
		}
	}
	return lib.minor
}

// parsePatchLevel reads `#define PY_VERSION "3.11.7"` of patchlevel.h.
func parsePatchLevel(data []byte) string {
	_, rest, found := strings.Cut(string(data), "PY_VERSION ")
	if !found {
		return ""
	}
	return numbers(strings.TrimLeft(rest, " \t\""))
}
