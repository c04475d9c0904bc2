package pydist

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// sites are those of an interpreter that is no virtual environment, in the
// order of sys.path: PYTHONPATH, the user's own, its own.
func (f *finder) sites(prefix string, lib pythonLib) []string {
	return f.distinct(slices.Concat(f.shared, f.user(lib), f.own(prefix, lib)))
}

// own are the sites below a prefix. Debian and Fedora give /usr those of
// /usr/local too, and Debian calls them dist-packages.
func (f *finder) own(prefix string, lib pythonLib) []string {
	if f.reach.windows() {
		return []string{path.Join(prefix, "Lib/site-packages"), path.Join(prefix, "lib/site-packages")}
	}
	if prefix != "usr" {
		return []string{
			path.Join(prefix, "lib", lib.folder, "site-packages"),
			path.Join(prefix, "lib64", lib.folder, "site-packages"),
		}
	}
	out := []string{path.Join("usr/local/lib", lib.folder, "dist-packages")}
	if !f.exists(path.Join("usr/local/bin", lib.folder)) { // else it belongs to that one
		out = append(out,
			path.Join("usr/local/lib64", lib.folder, "site-packages"),
			path.Join("usr/local/lib", lib.folder, "site-packages"))
	}
	return append(out,
		"usr/lib/python3/dist-packages",
		path.Join("usr/lib", lib.folder, "dist-packages"),
		path.Join("usr/lib64", lib.folder, "site-packages"),
		path.Join("usr/lib", lib.folder, "site-packages"))
}

// user is the site of the user, unless it is switched off.
func (f *finder) user(lib pythonLib) []string {
	if f.reach.getenv("PYTHONNOUSERSITE") != "" {
		return nil
	}
	base := f.reach.variable("PYTHONUSERBASE")
	if f.reach.windows() {
		if base == "" {
			base = under(f.reach.variable("APPDATA"), "Python")
		}
		return known(under(base, path.Join(lib.windowsName(), "site-packages")))
	}
	if base == "" {
		base = under(f.reach.Home, ".local")
	}
	return known(under(base, path.Join("lib", lib.folder, "site-packages")))
}

func known(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// distinct keeps the sites that exist, each once: lib64 is often a link to lib.
func (f *finder) distinct(sites []string) []string {
	var out, seen []string
	for _, site := range sites {
		key := f.resolve(site)
		if f.reach.windows() {
			key = strings.ToLower(key)
		}
		if key != "" && !slices.Contains(seen, key) && f.isDir(site) {
			seen = append(seen, key)
			out = append(out, site)
		}
	}
	return out
}

// pythonPath notes the folders of PYTHONPATH that hold distributions.
func (f *finder) pythonPath() {
	separator := ":"
	if f.reach.windows() {
		separator = ";"
	}
	for _, entry := range strings.SplitN(f.reach.getenv("PYTHONPATH"), separator, maxChildren) {
		if dir := f.reach.folder(entry); dir != "" && f.holdsDistributions(dir) {
			f.shared = append(f.shared, dir)
		}
	}
}

func (f *finder) holdsDistributions(dir string) bool {
	entries, err := fs.ReadDir(f.fsys, dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, ext := cutExt(e.Name())
		return ext != ""
	})
}
