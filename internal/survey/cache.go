package survey

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// mostFiles is how many databases and side files are looked at in one folder: a
// user has three for each GPU. Thousands of other files may stand beside them,
// and each look takes as long as reading a small file.
const mostFiles = 24

// cacheFolder describes a folder. It is listed once, and only the files that
// wanted chooses are looked at, ours before others. The fact is absent where
// there is no folder.
func cacheFolder(r host.Reader, dir string, use machine.CacheUse, variable string, wanted, ours func(name string) bool) (machine.CacheFolder, bool) {
	f := machine.CacheFolder{Path: dir, Use: use, Variable: variable, Stat: cacheStat(r, dir)}
	if f.Stat.Absent() {
		return f, false
	}
	if !f.Stat.Known() {
		return f, true
	}
	f.Write = writable(r, dir)
	f.FileSystem = cacheFileSystem(r, dir)
	if wanted == nil || !f.Stat.Value.Mode.IsDir() {
		return f, true
	}
	entries, err := r.ReadDir(dir)
	if err != nil {
		f.Listed = failed[int](dir, err)
		return f, true
	}
	f.Listed = machine.Know(len(entries), machine.Source(dir))
	chosen, left := oursFirst(entries, wanted, ours)
	f.Left = left
	for _, name := range chosen {
		f.Files = append(f.Files, cacheFile(r, path.Join(dir, name)))
	}
	return f, true
}

// oursFirst returns the files to look at, in the order of their names, and says
// how many more are wanted.
func oursFirst(entries []host.Entry, wanted, ours func(name string) bool) (chosen []string, left int) {
	var first, rest []string
	count := 0
	for _, e := range entries {
		switch {
		case !wanted(e.Name):
			continue
		case ours(e.Name):
			first = insert(first, e.Name)
		default:
			rest = insert(rest, e.Name)
		}
		count++
	}
	chosen = slices.Concat(first, rest)
	chosen = chosen[:min(len(chosen), mostFiles)]
	return chosen, count - len(chosen)
}

// insert keeps the first names of a list in their order: to sort thousands for
// the sake of a few took longer than reading those.
func insert(names []string, name string) []string {
	if len(names) == mostFiles {
		if name >= names[mostFiles-1] {
			return names
		}
		names = names[:mostFiles-1]
	}
	at, _ := slices.BinarySearch(names, name)
	return slices.Insert(names, at, name)
}

func cacheFile(r host.Reader, file string) machine.CacheFile {
	c := machine.CacheFile{Path: file, Stat: cacheStat(r, file)}
	if !c.Stat.Known() || !c.Stat.Value.Mode.IsRegular() {
		return c
	}
	c.Write = writable(r, file)
	if isSideFile(file) {
		return c
	}
	if c.Stat.Value.Size == 0 {
		c.Header = machine.Know(parseHeader(nil), machine.Source(file))
		return c
	}
	data, err := r.ReadAt(file, 0, sqliteHeader)
	if err != nil {
		c.Header = failed[machine.CacheHeader](file, err)
		return c
	}
	c.Header = machine.Know(parseHeader(data), machine.Source(file))
	if c.Header.Value.Format == machine.FormatSQLite {
		c.Lacks = lacks(r, file)
	}
	return c
}

// isSideFile finds the write-ahead log of SQLite and its shared memory.
func isSideFile(name string) bool {
	return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm")
}

// cacheStat follows links: a cache is often moved to a larger disk that way.
func cacheStat(r host.Reader, file string) machine.Fact[machine.CacheStat] {
	const hops = 8
	at := file
	for range hops {
		st, err := r.Lstat(at)
		if err != nil {
			return failed[machine.CacheStat](file, err)
		}
		if st.Mode&fs.ModeSymlink == 0 {
			return machine.Know(machine.CacheStat{Mode: st.Mode, UID: st.UID, GID: st.GID, Size: st.Size}, machine.Source(file))
		}
		target, err := r.ReadLink(at)
		if err != nil {
			return failed[machine.CacheStat](file, err)
		}
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(at), target)
		}
		at = target
	}
	return machine.Unknown[machine.CacheStat](machine.Source(file), "too many symbolic links")
}

// writable asks the kernel whether this process may write; nothing is opened.
func writable(r host.Reader, file string) machine.Fact[string] {
	from := machine.Source("access(" + file + ")")
	err := r.Access(file, 'w')
	if err == nil {
		return machine.Know("", from)
	}
	if errno := host.ErrnoOf(err); errno != "" {
		return machine.Know(string(errno), from)
	}
	return machine.Unknown[string](from, reason(err))
}

func cacheFileSystem(r host.Reader, dir string) machine.Fact[machine.CacheFileSystem] {
	f, err := r.Statfs(dir)
	if err != nil {
		return failed[machine.CacheFileSystem](dir, err)
	}
	return machine.Know(machine.CacheFileSystem(f), machine.Source(dir))
}
