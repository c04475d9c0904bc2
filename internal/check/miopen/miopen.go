// Package miopen asks whether the caches of compiled kernels can be used: MIOpen's first, and smaller ones beside it.
package miopen

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "miopen/cache-writable",
		Title: "MIOpen can write its kernel cache",
		Needs: []string{"gpu/present"},
		Doc: `MIOpen keeps compiled kernels in a SQLite file, ` + "`~/.cache/miopen/VERSION/GFX_CUS.ukdb`" + `. Five different states of the disk end in the same
words, "attempt to write a readonly database": the file is not ours (an earlier run as root or in a container), the folder is not, the
-wal and -shm files beside it are not, the file system is read-only, or a shipped .kdb was left in WAL mode where nobody may write. They
are told apart by asking the kernel for each; nothing is opened for writing. A full disk and a shared one are named too. Files for other
GPUs only warn, and so do a folder that does not exist yet and cannot be made, and a file that was deleted under a process on the GPU. MIOPEN_USER_DB_PATH moves the tuning, which is text, and not this file.`,
		Run: runWritable,
	},
	{
		ID:    "miopen/cache-intact",
		Title: "MIOpen's databases are whole",
		Needs: []string{"gpu/present"},
		Doc: `Files are told by their first bytes, not by their names. A .ukdb or .kdb that is not SQLite, or is shorter than its own header says, ends
in "file is not a database" or "database disk image is malformed". An empty file is a new database, unless a write-ahead log lies beside
it. Only the first 100 bytes are read.`,
		Run: runIntact,
	},
	{
		ID:    "miopen/paths",
		Title: "MIOpen keeps what it compiles",
		Needs: []string{"gpu/present"},
		Doc: `Says where compiled kernels, tuning and locks are kept, with the variables taken into account, and warns where the cache is switched off:
MIOPEN_DISABLE_CACHE is a diagnostic. A relative path is a warning too. MIOpen reads each variable once in a process, so setting one after the first call changes nothing.`,
		Run: runPaths,
	},
	{
		ID:    "miopen/other-caches",
		Title: "The other kernel caches can be written",
		Needs: []string{"gpu/present"},
		Doc: `The caches of comgr, Triton and torch-inductor, and the tuning file of hipBLASLt where a variable names one. They are looked at from
outside: whose they are, and whether this process may write. What cannot be written is a warning: some programs go on without, others stop.`,
		Run: runOthers,
	},
}

// concerned returns the findings for a machine on which nothing can be asked.
func concerned(m *machine.Machine) []check.Finding {
	folders := m.Caches.MIOpen.Folders
	switch {
	case m.OS == "windows":
		return []check.Finding{check.NotHere("MIOpen", "on Windows the caches are not looked at")}
	case folders.Absent() && path.IsAbs(m.Caches.MIOpen.Kernels.Value) && path.IsAbs(m.Caches.MIOpen.Tuning.Value):
		return []check.Finding{check.NotHere("MIOpen", "MIOpen has left no cache here yet")}
	case folders.Unread():
		return []check.Finding{check.CannotTell("MIOpen", "which folders MIOpen uses", folders.From, folders.Why)}
	}
	return nil
}

// disabled returns the variable that switches the kernel cache off.
func disabled(m *machine.Machine) (value string, off bool) {
	value, _ = m.Variable("MIOPEN_DISABLE_CACHE")
	switch strings.ToLower(value) {
	case "1", "yes", "on", "true", "enable", "enabled":
		return value, true
	}
	return value, false
}

func runPaths(in check.Input) []check.Finding {
	m := in.Machine
	if none := concerned(m); none != nil {
		return none
	}
	o := m.Caches.MIOpen
	evidence := []machine.Evidence{
		{From: o.Kernels.From, Text: "compiled kernels in " + o.Kernels.Value},
		{From: o.Tuning.From, Text: "tuning in " + o.Tuning.Value},
	}
	if o.Locks.Known() {
		evidence = append(evidence, machine.Evidence{From: o.Locks.From, Text: "locks in " + o.Locks.Value})
	}
	if names := expectedNames(m); names != "" {
		evidence = append(evidence, machine.Evidence{From: "KFD topology", Text: "expected here: " + names})
	}
	for _, f := range []machine.Fact[string]{o.Kernels, o.Tuning} {
		switch {
		case f.Unread():
			return []check.Finding{check.CannotTell("MIOpen", "where MIOpen keeps its files", f.From, f.Why)}
		case !path.IsAbs(f.Value):
			return []check.Finding{relative(m, f, evidence)}
		}
	}
	if value, off := disabled(m); off {
		return []check.Finding{{
			Subject: "MIOpen", Verdict: check.Warn, Evidence: append([]machine.Evidence{{From: m.Variables.From, Text: "MIOPEN_DISABLE_CACHE=" + value}}, evidence...),
			Message:  fmt.Sprintf("MIOPEN_DISABLE_CACHE=%s makes every process compile its kernels again. It is meant for finding a fault: with it set, nothing is read from or written to the kernel cache, so an error about a database that stays has another cause.", value),
			Remedies: []remedy.Remedy{cure.For(m, "miopen-enable-cache", nil)},
		}}
	}
	return []check.Finding{{
		Subject: "MIOpen", Verdict: check.OK, Evidence: evidence,
		Message: fmt.Sprintf("MIOpen keeps compiled kernels in %s, tuning in %s", o.Kernels.Value, o.Tuning.Value),
	}}
}

// relative is a folder that moves with the working directory.
func relative(m *machine.Machine, f machine.Fact[string], evidence []machine.Evidence) check.Finding {
	return check.Finding{
		Subject: string(f.From), Verdict: check.Warn, Evidence: evidence,
		Message:  fmt.Sprintf("%s=%s is relative, so every working directory gets a cache of its own. Nothing that was compiled or measured elsewhere is found again, and the folder was not looked at.", f.From, f.Value),
		Remedies: freshFolders(m, machine.CacheFolder{}),
	}
}

// expectedNames are the databases that MIOpen opens for the GPUs here.
func expectedNames(m *machine.Machine) string {
	var names []string
	for _, g := range m.AMDGPUs() {
		if name := m.MIOpenName(g); name != "" {
			names = append(names, name+".ukdb")
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// who names a user by number, as far as the machine tells.
func who(m *machine.Machine, uid uint32) string {
	switch {
	case uid == 0:
		return "root"
	case m.Process.Known() && uid == m.Process.Value.UID:
		return "you"
	}
	return fmt.Sprintf("uid %d", uid)
}

// you names this process.
func you(m *machine.Machine) string {
	if !m.Process.Known() {
		return "this process"
	}
	return fmt.Sprintf("you are uid %d", m.Process.Value.UID)
}

// short is the name of a file for a headline.
func short(file string) string {
	const most = 60
	name := path.Base(file)
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}
