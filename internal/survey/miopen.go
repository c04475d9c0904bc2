package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// mostVersions is how many versions of MIOpen may have left a folder behind.
const mostVersions = 32

// A cacheFinder knows what decides where caches are: the home directory, the
// temporary one, and the variables.
type cacheFinder struct {
	r         host.Reader
	m         *machine.Machine
	home, tmp machine.Fact[string]
}

// caches finds the caches of the calling user. It needs no ROCm: a cache that an
// earlier installation or a container left behind is looked at too.
func caches(r host.Reader, m *machine.Machine) machine.Caches {
	c := cacheFinder{r: r, m: m, home: environmentPath(r, "HOME"), tmp: environmentPath(r, "TMPDIR")}
	if c.tmp.Absent() {
		c.tmp = machine.Know("/tmp", "TMPDIR is not set")
	}
	if m.Variables.Unread() {
		return machine.Caches{MIOpen: machine.MIOpen{Folders: machine.Unknown[[]machine.CacheFolder](m.Variables.From, m.Variables.Why)}}
	}
	return machine.Caches{MIOpen: c.miopen(), Others: c.others()}
}

// environmentPath reads a variable that names a folder. One that is empty is as
// good as not set, and a relative one leads nowhere without a working directory.
func environmentPath(r host.Reader, name string) machine.Fact[string] {
	from := machine.Source(name)
	value, set, err := r.Getenv(name)
	switch {
	case err != nil:
		return machine.Unknown[string](from, reason(err))
	case !set || value == "":
		return machine.Missing[string](from)
	case !path.IsAbs(value):
		return machine.Unknown[string](from, "it is relative: "+quoted(value))
	}
	return machine.Know(path.Clean(value), from)
}

// variable reads a variable that names a folder, as MIOpen does: ~ is the home
// directory. A relative value stays what it is; nobody can follow it from here.
func (c cacheFinder) variable(name string) machine.Fact[string] {
	value, set := c.m.Variable(name)
	from := machine.Source(name)
	switch {
	case !set || value == "":
		return machine.Missing[string](from)
	case strings.HasPrefix(value, "~"):
		value = c.homeOfMIOpen().Value + value[1:]
	}
	return machine.Know(path.Clean(value), from)
}

// homeOfMIOpen is the temporary folder where HOME is missing or the root itself
// (expanduser.cpp).
func (c cacheFinder) homeOfMIOpen() machine.Fact[string] {
	if c.home.Absent() || c.home.Value == "/" {
		return machine.Know("/tmp", c.home.From)
	}
	return c.home
}

func (c cacheFinder) miopen() machine.MIOpen {
	home := c.homeOfMIOpen()
	if home.Unread() {
		return machine.MIOpen{Folders: machine.Unknown[[]machine.CacheFolder](home.From, home.Why)}
	}
	out := machine.MIOpen{
		Home:    cacheStat(c.r, home.Value),
		Kernels: machine.Know(path.Join(home.Value, ".cache/miopen"), home.From),
		Tuning:  machine.Know(path.Join(home.Value, ".config/miopen"), home.From),
		Removed: removedCaches(c.r),
	}
	var folders []machine.CacheFolder
	if custom := c.variable("MIOPEN_CUSTOM_CACHE_DIR"); !custom.Absent() {
		out.Kernels = custom
		folders = append(folders, c.folder(custom.Value, machine.KernelCache, "MIOPEN_CUSTOM_CACHE_DIR", isDatabase)...)
		if len(folders) == 0 {
			out.Above = c.above(custom.Value)
		}
	} else {
		out.Shared = c.shared(out.Kernels.Value, out.Home)
		folders = append(folders, c.defaultKernels(&out)...)
	}
	if custom := c.variable("MIOPEN_USER_DB_PATH"); !custom.Absent() {
		out.Tuning = custom
		folders = append(folders, c.folder(custom.Value, machine.TuningCache, "MIOPEN_USER_DB_PATH", isTuning)...)
	} else if out.Shared.Known() {
		out.Tuning = c.tmp
	} else {
		folders = append(folders, c.folder(out.Tuning.Value, machine.TuningCache, "", isTuning)...)
	}
	if c.tmp.Known() {
		out.Locks = machine.Know(path.Join(c.tmp.Value, "miopen-lockfiles"), c.tmp.From)
		folders = append(folders, c.folder(out.Locks.Value, machine.LockFolder, "", nil)...)
	}
	folders = append(folders, c.system()...)
	out.Folders = machine.Know(folders, out.Kernels.From)
	if len(folders) == 0 {
		out.Folders = machine.Missing[[]machine.CacheFolder](out.Kernels.From)
	}
	return out
}

// removedCaches asks the processes that KFD serves, one file each. Those of other
// users are closed to us, and a container may know them by other numbers.
func removedCaches(r host.Reader) []machine.RemovedCache {
	const mostProcesses, mostOpen = 16, 512
	var out []machine.RemovedCache
	processes := list(r, "/sys/class/kfd/kfd/proc").Value
	for _, number := range processes[:min(len(processes), mostProcesses)] {
		dir := path.Join("/proc", path.Base(number), "fd")
		open := list(r, dir).Value
		for _, fd := range open[:min(len(open), mostOpen)] {
			target, err := r.ReadLink(path.Join(dir, fd))
			if file, gone := strings.CutSuffix(target, " (deleted)"); err == nil && gone && isDatabase(file) {
				out = append(out, machine.RemovedCache{Process: number, Path: file, From: machine.Source(path.Join(dir, fd))})
				break
			}
		}
	}
	return out
}

// folder returns the folder, or none where there is none or nobody knows where.
func (c cacheFinder) folder(dir string, use machine.CacheUse, variable string, wanted func(string) bool) []machine.CacheFolder {
	if !path.IsAbs(dir) {
		return nil
	}
	if f, there := cacheFolder(c.r, dir, use, variable, wanted, c.m.MIOpenFilter()); there {
		return []machine.CacheFolder{f}
	}
	return nil
}

// shared is known where MIOpen leaves the default folder alone: it asks for the
// file system that the folder is, or would be, on.
func (c cacheFinder) shared(base string, home machine.Fact[machine.CacheStat]) machine.Fact[machine.CacheFileSystem] {
	at := base
	if exists(c.r, base).Absent() {
		at = path.Dir(path.Dir(base))
		if !home.Known() {
			return machine.Missing[machine.CacheFileSystem](machine.Source(base))
		}
	}
	if f := cacheFileSystem(c.r, at); f.Known() && f.Value.Network() {
		return f
	}
	return machine.Missing[machine.CacheFileSystem](machine.Source(at))
}

// defaultKernels returns the folder of each version, or the temporary folder
// where that is used instead.
func (c cacheFinder) defaultKernels(out *machine.MIOpen) []machine.CacheFolder {
	if out.Shared.Known() {
		out.Kernels = c.tmp
		return c.inTemporaryFolder()
	}
	base := out.Kernels.Value
	above, there := cacheFolder(c.r, base, machine.KernelCache, "", nil, nil)
	if !there {
		out.Above = c.above(base)
		return nil
	}
	versions := list(c.r, base)
	if !above.Stat.Known() || !versions.Known() {
		above.Listed = machine.Fact[int]{State: versions.State, From: versions.From, Why: versions.Why}
		return []machine.CacheFolder{above}
	}
	var folders []machine.CacheFolder
	for _, v := range versions.Value[max(0, len(versions.Value)-mostVersions):] {
		if f := c.folder(path.Join(base, v), machine.KernelCache, "", isDatabase); len(f) > 0 && !isFile(f[0]) {
			folders = append(folders, f...)
		}
	}
	if len(folders) == 0 {
		out.Above = machine.Know(above, machine.Source(base))
	}
	return folders
}

// above returns the nearest folder over one that does not exist.
func (c cacheFinder) above(dir string) machine.Fact[machine.CacheFolder] {
	for at := dir; path.IsAbs(at) && at != "/"; {
		at = path.Dir(at)
		f, there := cacheFolder(c.r, at, machine.KernelCache, "", nil, nil)
		if there {
			return machine.Fact[machine.CacheFolder]{Value: f, State: f.Stat.State, From: f.Stat.From, Why: f.Stat.Why}
		}
	}
	return machine.Missing[machine.CacheFolder](machine.Source(dir))
}

// inTemporaryFolder asks for the databases that MIOpen would open, by name: what
// else is in the temporary folder is everybody's, and nobody's business.
func (c cacheFinder) inTemporaryFolder() []machine.CacheFolder {
	folders := c.folder(c.tmp.Value, machine.KernelCache, "", nil)
	if len(folders) == 0 {
		return nil
	}
	var names []string
	for _, g := range c.m.AMDGPUs() {
		if name := c.m.MIOpenName(g); name != "" {
			names = append(names, name+".ukdb", name+".ukdb-wal", name+".ukdb-shm")
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if f := cacheFile(c.r, path.Join(c.tmp.Value, name)); !f.Stat.Absent() {
			folders[0].Files = append(folders[0].Files, f)
		}
	}
	return folders
}

func isFile(f machine.CacheFolder) bool { return f.Stat.Known() && !f.Stat.Value.Mode.IsDir() }

func isDatabase(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "-wal"), "-shm")
	return strings.HasSuffix(name, ".ukdb") || strings.HasSuffix(name, ".kdb")
}

func isTuning(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "-wal"), "-shm")
	return strings.HasSuffix(name, ".udb") || strings.HasSuffix(name, ".udb.txt") || strings.HasSuffix(name, ".ufdb.txt")
}

// system returns the folders that ship with MIOpen: share/miopen/db beside the
// folder of the library. A torch wheel has its own.
func (c cacheFinder) system() []machine.CacheFolder {
	concerns := c.m.MIOpenFilter()
	ours := func(name string) bool { return isDatabase(name) && concerns(name) }
	if custom := c.variable("MIOPEN_SYSTEM_DB_PATH"); !custom.Absent() {
		return c.folder(custom.Value, machine.SystemCache, "MIOPEN_SYSTEM_DB_PATH", ours)
	}
	var prefixes []string
	for _, i := range c.m.ROCm.Value {
		switch i.How {
		case machine.HowDistribution:
			prefixes = append(prefixes, "/usr", i.Path)
		case machine.HowTorchWheel:
			if len(matching(c.r, path.Join(i.Path, "lib"), "libMIOpen.so*")) > 0 {
				prefixes = append(prefixes, i.Path)
			}
		case machine.HowWheels:
			prefixes = append(prefixes, matching(c.r, path.Dir(i.Path), "_rocm_sdk_libraries*")...)
		default:
			prefixes = append(prefixes, i.Path)
		}
	}
	slices.Sort(prefixes)
	var folders []machine.CacheFolder
	for _, p := range slices.Compact(prefixes) {
		folders = append(folders, c.folder(path.Join(p, "share/miopen/db"), machine.SystemCache, "", ours)...)
	}
	return folders
}

// others finds the smaller caches. They are looked at from outside only.
func (c cacheFinder) others() []machine.CacheFolder {
	below := func(home machine.Fact[string], name string) string {
		if !home.Known() {
			return ""
		}
		return path.Join(home.Value, name)
	}
	cache := environmentPath(c.r, "XDG_CACHE_HOME")
	if !cache.Known() {
		cache = machine.Fact[string]{Value: below(c.home, ".cache"), State: c.home.State}
	}
	inductor := ""
	if name := c.m.Process.Value.Name; name != "" && c.tmp.Known() && !strings.Contains(name, "/") {
		inductor = path.Join(c.tmp.Value, "torchinductor_"+name)
	}
	var out []machine.CacheFolder
	for _, o := range []struct {
		use                machine.CacheUse
		variable, standard string
	}{
		{machine.ComgrCache, "AMD_COMGR_CACHE_DIR", below(cache, "comgr")},
		{machine.TritonCache, "TRITON_CACHE_DIR", below(c.home, ".triton/cache")},
		{machine.Inductor, "TORCHINDUCTOR_CACHE_DIR", inductor},
		{machine.BLASTuning, "HIPBLASLT_TUNING_FILE", ""},
	} {
		if off, _, _ := c.r.Getenv("AMD_COMGR_CACHE"); o.use == machine.ComgrCache && off == "0" {
			continue
		}
		if v := environmentPath(c.r, o.variable); v.Known() {
			out = append(out, c.folder(v.Value, o.use, o.variable, nil)...)
		} else if v.Absent() {
			out = append(out, c.folder(o.standard, o.use, "", nil)...)
		}
	}
	return out
}
