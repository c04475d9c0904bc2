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
	names := list(r, dir)
	f.Listed = machine.Fact[int]{Value: len(names.Value), State: names.State, From: names.From, Why: names.Why}
	chosen := oursFirst(names.Value, wanted, ours)
	f.Left = max(0, len(chosen)-mostFiles)
	for _, name := range chosen[:len(chosen)-f.Left] {
		f.Files = append(f.Files, cacheFile(r, path.Join(dir, name)))
	}
	return f, true
}

func oursFirst(names []string, wanted, ours func(name string) bool) []string {
	var first, rest []string
	for _, name := range names {
		switch {
		case !wanted(name):
		case ours(name):
			first = append(first, name)
		default:
			rest = append(rest, name)
		}
	}
	return slices.Concat(first, rest)
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
