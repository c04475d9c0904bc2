package linkage

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const cacheFileName = "/etc/ld.so.cache"

type cacheKind int

const (
	cacheRead   cacheKind = iota
	cacheNone             // ld.so goes without
	cacheUnseen           // ld.so has one, and we could not read it
)

type cacheState struct {
	kind    cacheKind
	entries map[string][]cacheEntry
	conf    []string // in its place, where it is unseen
	note    string
}

// readCache reads the cache when the first library is searched for.
func (l *Loader) readCache() *cacheState {
	if l.cache != nil {
		return l.cache
	}
	l.cache = &cacheState{}
	data, err := fs.ReadFile(l.disk.fsys, fsName(cacheFileName))
	var entries []cacheEntry
	if err == nil {
		entries, err = parseCache(data)
	}
	switch {
	case err == nil:
		l.cache.entries = map[string][]cacheEntry{}
		for _, e := range entries {
			l.cache.entries[e.name] = append(l.cache.entries[e.name], e)
		}
	case errors.Is(err, fs.ErrNotExist) || Refused(err):
		l.cache.kind = cacheNone
		l.cache.note = "there is no " + cacheFileName + " that ld.so could use, so the folders of " + confFile + " do not count until ldconfig has been run"
	default:
		l.cache.kind, l.cache.conf = cacheUnseen, confFolders(l.disk.fsys)
		l.cache.note = cacheFileName + " could not be read (" + err.Error() + "); the folders of " + confFile + " stand for it"
	}
	return l.cache
}

// fromCache takes the entry for the best processor that this one is as good as;
// among equals the first.
func (r *run) fromCache(name string, by int) (Library, error) {
	best, rank := "", len(allLevels)+1
	for _, e := range r.readCache().entries[name] {
		n := slices.Index(allLevels, e.level)
		if e.flags != r.target.cacheFlags || n >= 0 && !slices.Contains(r.settings.Level.folders(), e.level) || n < 0 && e.level != "" {
			continue
		}
		if n < 0 {
			n = len(allLevels)
		}
		if n < rank {
			best, rank = e.path, n
		}
	}
	if best == "" || r.tree.Libraries[by].Binary.NoDefaultLibs && r.isDefault(best) {
		return Library{}, nil
	}
	return r.openAt(best, ByCache)
}

// isDefault tells whether a path of the cache is in a default folder or below.
func (r *run) isDefault(p string) bool {
	return slices.ContainsFunc(r.target.defaults(r.disk), func(folder string) bool { return strings.HasPrefix(p, folder+"/") })
}

// lies looks for a missing library in the folders of ld.so.conf: where it is
// there, ldconfig has not been run since.
func (r *run) lies(name string) []string {
	if strings.Contains(name, "/") || r.readCache().kind == cacheUnseen {
		return nil
	}
	var out []string
	for _, folder := range confFolders(r.disk.fsys) {
		if r.disk.folder(folder) != nil {
			continue
		}
		if found, err := r.openAt(path.Join(folder, name), ByConf); err == nil && found.Path != "" {
			out = append(out, found.Path)
		}
	}
	return out
}
