package miopen

import (
	"fmt"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func remediesFor(all ...remedy.Remedy) []remedy.Remedy { return all }

// moveAside renames a database and what SQLite left beside it: a log without its
// database, or with another one, is worse than none.
func moveAside(m *machine.Machine, f machine.CacheFolder, file machine.CacheFile) remedy.Remedy {
	one := func(p, text string) remedy.Remedy {
		return cure.For(m, "miopen-move-aside", cure.Values{"path": p, "name": short(p), "text": text, "aside": p + ".aside"})
	}
	r := one(file.Path, "end programs that use it, then rename it: MIOpen makes a new one and compiles again what it needs; renaming it back is the undo")
	for _, side := range sides(f, file) {
		r.Steps = append(r.Steps, one(side.Path, "and what SQLite left beside it").Steps...)
	}
	return r
}

// takeBack gives what root left behind to this process; the owner before is
// written down, so that it can be given back. What another user owns is theirs,
// and a whole folder outside the home may be the system's: /var is no cache.
func takeBack(m *machine.Machine, id, what string, before machine.CacheStat) []remedy.Remedy {
	if before.UID != 0 || id == chownPath && !belowHome(m, what) {
		return nil
	}
	owner, now := cure.CurrentIDs, "you"
	if m.Process.Known() {
		owner, now = fmt.Sprintf("%d:%d", m.Process.Value.UID, m.Process.Value.GID), fmt.Sprintf("uid %d", m.Process.Value.UID)
	}
	return remediesFor(cure.For(m, id, cure.Values{
		"what": short(what), "path": what, "owner": owner, "now": now, "before": fmt.Sprintf("%d:%d", before.UID, before.GID),
	}))
}

// The cures that change an owner: of a file or folder, and of a database with the
// side files that SQLite keeps beside it.
const (
	chownPath     = "cache-chown"
	chownDatabase = "cache-chown-database"
)

// handOver gives a file of root to the owner of the home.
func handOver(m *machine.Machine, file machine.CacheFile, home machine.CacheStat) remedy.Remedy {
	return cure.For(m, chownDatabase, cure.Values{
		"what": short(file.Path), "path": file.Path, "owner": fmt.Sprintf("%d:%d", home.UID, home.GID),
		"now": fmt.Sprintf("uid %d", home.UID), "before": fmt.Sprintf("%d:%d", file.Stat.Value.UID, file.Stat.Value.GID),
	})
}

func belowHome(m *machine.Machine, what string) bool {
	home := m.Caches.MIOpen.Home
	return home.Known() && home.From != "/" && strings.HasPrefix(what, string(home.From)+"/")
}

func homeOf(m *machine.Machine) string {
	if home := m.Caches.MIOpen.Home; home.Known() {
		return string(home.From)
	}
	return path.Dir(path.Dir(m.Caches.MIOpen.Kernels.Value))
}

// freshFolders names new folders for both: somewhere else where the home itself
// is the obstacle.
func freshFolders(m *machine.Machine, f machine.CacheFolder) []remedy.Remedy {
	name := "miopen-own"
	if f.Variable == "" && f.Use == machine.KernelCache && path.Base(path.Dir(f.Path)) == "miopen" {
		name = path.Join(name, path.Base(f.Path)) // a folder for each version, as MIOpen itself does
	}
	base := path.Join(homeOf(m), ".cache")
	system, home := f.FileSystem.Value, m.Caches.MIOpen.Home
	readOnly := system.ReadOnly || f.Write.Value == "EROFS"
	elsewhere := readOnly || system.Network() || system.Size > 0 && system.Free < fullBelow ||
		m.Caches.MIOpen.Shared.Known() || f.Path == m.Caches.MIOpen.Above.Value.Path && f.Path != ""
	foreign := home.Known() && m.Process.Known() && home.Value.UID != m.Process.Value.UID && m.Process.Value.UID != 0
	if elsewhere || foreign || !home.Known() {
		base, name = "/var/tmp", "miopen-"+userNumber(m)
	}
	id, top := "miopen-fresh-folders", path.Join(base, name)
	if m.Container.Known() && readOnly {
		id = "miopen-mounted-folders" // nothing can be made in there
	}
	return remediesFor(cure.For(m, id, cure.Values{
		"top": top, "kernels": path.Join(top, "kernels"), "tuning": path.Join(top, "tuning"), "uid": userNumber(m),
	}))
}

func userNumber(m *machine.Machine) string {
	if !m.Process.Known() {
		return "own"
	}
	return fmt.Sprint(m.Process.Value.UID)
}

func freeSpace(m *machine.Machine, f machine.CacheFolder) remedy.Remedy {
	return cure.For(m, "cache-free-space", cure.Values{"path": f.Path})
}

func withoutWAL(m *machine.Machine) remedy.Remedy { return cure.For(m, "miopen-without-wal", nil) }

func journalDelete(m *machine.Machine, file machine.CacheFile) remedy.Remedy {
	return cure.For(m, "miopen-journal-delete", cure.Values{"name": short(file.Path), "path": file.Path})
}

func reinstall(m *machine.Machine, file machine.CacheFile) remedy.Remedy {
	return cure.For(m, "miopen-reinstall-kernels", cure.Values{"name": short(file.Path), "path": file.Path})
}

func openLocks(m *machine.Machine, f machine.CacheFolder) remedy.Remedy {
	return cure.For(m, "miopen-open-locks", cure.Values{"path": f.Path, "mode": fmt.Sprintf("%04o", f.Stat.Value.Mode.Perm())})
}

// variables that move each of the smaller caches.
var movers = map[machine.CacheUse]string{
	machine.ComgrCache: "AMD_COMGR_CACHE_DIR", machine.TritonCache: "TRITON_CACHE_DIR",
	machine.Inductor: "TORCHINDUCTOR_CACHE_DIR", machine.BLASTuning: "HIPBLASLT_TUNING_FILE",
}

func otherFolder(m *machine.Machine, f machine.CacheFolder) remedy.Remedy {
	top := path.Join("/var/tmp", "caches-"+userNumber(m))
	value := path.Join(top, path.Base(f.Path))
	folder := value
	if f.Use == machine.BLASTuning {
		folder = top // the variable names a file in it
	}
	return cure.For(m, "cache-other-folder", cure.Values{"use": string(f.Use), "name": movers[f.Use], "value": value, "folder": folder, "top": top})
}
