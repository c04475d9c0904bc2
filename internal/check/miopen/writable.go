package miopen

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// folklore answers what is advised wherever these words appear.
const (
	folklore = "MIOPEN_USER_DB_PATH, often advised, moves only the tuning; MIOPEN_CUSTOM_CACHE_DIR moves this file. " + folkloreOfAll
	// folkloreOfShipped is for what no variable of the user's cache moves.
	folkloreOfShipped = "Neither MIOPEN_USER_DB_PATH nor MIOPEN_CUSTOM_CACHE_DIR moves this file. " + folkloreOfAll
	folkloreOfAll     = "The .udb.txt and .ufdb.txt files are plain text and not the database meant. " +
		"SQLite runs on the processor, so this is no incompatibility of RDNA2 or of any GPU. MIOPEN_DISABLE_CACHE=1 is a diagnostic only."
)

const theWords = "\"attempt to write a readonly database\""

func runWritable(in check.Input) []check.Finding {
	m := in.Machine
	out := append(removed(m), cannotBegin(m)...)
	if none := concerned(m); none != nil && len(out) == 0 {
		return none
	}
	if value, off := disabled(m); off {
		return []check.Finding{check.NotHere("MIOpen", "MIOPEN_DISABLE_CACHE="+value+" keeps MIOpen from its kernel cache")}
	}
	for _, f := range m.Caches.MIOpen.Folders.Value {
		switch f.Use {
		case machine.KernelCache:
			out = append(out, judgeKernels(m, f)...)
		case machine.TuningCache:
			out = append(out, judgeTuning(m, f)...)
		case machine.SystemCache:
			out = append(out, judgeShipped(m, f)...)
		case machine.LockFolder:
			out = append(out, judgeLocks(m, f)...)
		}
	}
	if len(out) == 0 {
		out = readable(m)
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("MIOpen", "MIOpen has compiled no kernels here yet")}
	}
	return onceRefuted(out)
}

// removed are databases that were deleted under a running process.
func removed(m *machine.Machine) []check.Finding {
	out := make([]check.Finding, 0, len(m.Caches.MIOpen.Removed))
	for _, gone := range m.Caches.MIOpen.Removed {
		out = append(out, check.Finding{
			Subject: gone.Path, Verdict: check.Warn, Cause: "miopen-db-readonly",
			Message: fmt.Sprintf("%s was deleted while process %s has it open. What that process compiles is lost when it ends, and SQLite may tell it %s; nothing is wrong with the cache that other processes use.",
				short(gone.Path), gone.Process, theWords),
			Evidence: []machine.Evidence{{From: gone.From, Text: gone.Path + " (deleted)"}},
			Remedies: remediesFor(cure.For(m, "miopen-restart-process", cure.Values{"process": gone.Process})),
		})
	}
	return out
}

// cannotBegin is a folder that does not exist yet and cannot be made: a user
// without a home, or a container whose own file system is read-only. What MIOpen
// then does differs between versions, so it is a warning.
func cannotBegin(m *machine.Machine) []check.Finding {
	above, folder := m.Caches.MIOpen.Above.Value, m.Caches.MIOpen.Kernels.Value
	var obstacle string
	switch {
	case !m.Caches.MIOpen.Above.Known():
		return nil
	case above.FileSystem.Value.ReadOnly || above.Write.Value == "EROFS":
		obstacle = "is on a file system that is mounted read-only"
	case denied(above.Write):
		obstacle = fmt.Sprintf("belongs to %s, and %s", who(m, above.Stat.Value.UID), you(m))
	default:
		return nil
	}
	return []check.Finding{{
		Subject: folder, Verdict: check.Warn, Cause: "miopen-db-readonly",
		Message:  fmt.Sprintf("MIOpen cannot make the folder of its kernel cache, %s: %s %s. A program compiles its kernels anew at every start, or stops at the first convolution.", folder, above.Path, obstacle),
		Evidence: folderEvidence(above),
		Remedies: append(takeBack(m, chownPath, above.Path, above.Stat.Value), freshFolders(m, above)...),
	}}
}

// onceRefuted leaves the folklore to the first finding: a user with caches of
// three versions need not read it three times.
func onceRefuted(all []check.Finding) []check.Finding {
	said := false
	for i, f := range all {
		if rest, found := strings.CutSuffix(f.Message, " "+folklore); found {
			if said {
				all[i].Message = rest
			}
			said = true
		}
	}
	return all
}

// judgeKernels asks in the order in which SQLite meets the obstacles: the file,
// the folder, the files beside it, and then what they all live on.
func judgeKernels(m *machine.Machine, f machine.CacheFolder) []check.Finding {
	if f.Stat.Unread() || f.Listed.Unread() && f.Listed.Why != "" {
		return []check.Finding{unseen(m, f)}
	}
	var out []check.Finding
	databases := 0
	for _, file := range f.Files {
		if !strings.HasSuffix(file.Path, ".ukdb") {
			continue
		}
		databases++
		if found := judgeDatabase(m, f, file); found.Verdict != "" {
			out = append(out, found)
		}
	}
	if found := judgeFolder(m, f); found.Verdict != "" {
		out = append(out, found)
	}
	if len(out) > 0 {
		return out
	}
	return []check.Finding{{
		Subject: f.Path, Verdict: check.OK, Evidence: folderEvidence(f),
		Message: fmt.Sprintf("MIOpen can write its kernel cache (%s) in %s", counted(databases, f.Left), f.Path),
	}}
}

func counted(databases, left int) string {
	switch {
	case left > 0:
		return fmt.Sprintf("%d databases looked at, %d more files not", databases, left)
	case databases == 0:
		return "no database yet"
	case databases == 1:
		return "1 database"
	}
	return fmt.Sprintf("%d databases", databases)
}

// unseen is a folder that cannot even be looked at. Where a folder above it is
// closed, that is the answer: MIOpen cannot enter it either.
func unseen(m *machine.Machine, f machine.CacheFolder) check.Finding {
	from, why := f.Stat.From, f.Stat.Why
	if f.Stat.Known() {
		from, why = f.Listed.From, f.Listed.Why
	}
	if !strings.Contains(why, "EACCES") {
		return check.CannotTell(f.Path, "whether MIOpen can write its kernel cache", from, why)
	}
	return check.Finding{
		Subject: f.Path, Verdict: check.Fail, Cause: "miopen-db-readonly",
		Message:  fmt.Sprintf("MIOpen cannot enter the folder of its kernel cache, and %s. HOME=%s leads into somebody else's folder, as after sudo or in a container that runs as another user than it was built for. %s", you(m), homeOf(m), folklore),
		Evidence: []machine.Evidence{{From: from, Text: why}},
		Remedies: freshFolders(m, f),
	}
}

// judgeDatabase returns nothing where a database can be written as far as it
// alone goes; what concerns the whole folder is said once.
func judgeDatabase(m *machine.Machine, f machine.CacheFolder, file machine.CacheFile) check.Finding {
	switch {
	case file.Stat.Absent() || file.Stat.Known() && !file.Stat.Value.Mode.IsRegular():
		return check.Finding{} // a link to nowhere, or no file at all: not what SQLite opens
	case file.Stat.Unread():
		return check.CannotTell(file.Path, "whether MIOpen can write "+short(file.Path), file.Stat.From, file.Stat.Why)
	case file.Write.Unread():
		return check.CannotTell(file.Path, "whether MIOpen can write "+short(file.Path), file.Write.From, file.Write.Why)
	case denied(file.Write):
		return weighed(m, file, notOurs(m, f, file))
	case denied(f.Write):
		return check.Finding{} // said of the folder
	}
	for _, side := range sides(f, file) {
		switch {
		case side.Write.Unread():
			return check.CannotTell(side.Path, "whether MIOpen can write "+short(side.Path), side.Write.From, side.Write.Why)
		case denied(side.Write):
			return weighed(m, file, staleSide(m, f, file, side))
		}
	}
	return leftByRoot(m, f, file)
}

// denied reports a refusal that owner, group and mode explain.
func denied(write machine.Fact[string]) bool {
	return write.Value == "EACCES" || write.Value == "EPERM"
}

func sides(f machine.CacheFolder, file machine.CacheFile) []machine.CacheFile {
	var out []machine.CacheFile
	for _, suffix := range []string{"-wal", "-shm"} {
		if side, ok := f.File(file.Path + suffix); ok {
			out = append(out, side)
		}
	}
	return out
}

// weighed turns a failure into a warning where the file belongs to no GPU here:
// it stops nobody, until somebody sets an override.
func weighed(m *machine.Machine, file machine.CacheFile, f check.Finding) check.Finding {
	if m.MIOpenConcerns(short(file.Path)) {
		return f
	}
	f.Verdict = check.Warn
	f.Message = fmt.Sprintf("%s cannot be written, but it is the cache of another GPU than those here. A program that runs under HSA_OVERRIDE_GFX_VERSION may want it and then stop with %s; here MIOpen expects %s.",
		short(file.Path), theWords, expectedNames(m))
	return f
}

// overflowID is the number that a user namespace shows for every id it does not
// translate.
const overflowID = 65534

func notOurs(m *machine.Machine, f machine.CacheFolder, file machine.CacheFile) check.Finding {
	owner := file.Stat.Value.UID
	why := "Another user wrote it, as happens where all share one folder"
	switch {
	case owner == overflowID && m.Process.Value.InUserNamespace():
		why = "Its owner is a user of the host whom this container does not know"
	case owner == 0:
		why = "An earlier run as root or in a container left it behind"
	case m.Process.Known() && owner == m.Process.Value.UID:
		why = "Its mode forbids it even to its owner"
	}
	out := check.Finding{
		Subject: file.Path, Verdict: check.Fail, Cause: "miopen-db-readonly",
		Message: fmt.Sprintf("MIOpen cannot write its kernel cache %s: it belongs to %s, and %s. %s; MIOpen opens its folders to everybody, but not the files in them. A convolution then ends in miopenStatusInternalError with %s. %s",
			short(file.Path), who(m, owner), you(m), why, theWords, folklore),
		Evidence: append([]machine.Evidence{{From: machine.Source(file.Path), Text: file.Stat.Value.String() + "; write: " + file.Write.Value}}, folderEvidence(f)...),
	}
	if !denied(f.Write) && !sticky(f) {
		out.Remedies = append(out.Remedies, moveAside(m, f, file))
	}
	out.Remedies = append(out.Remedies, takeBack(m, chownDatabase, file.Path, file.Stat.Value)...)
	out.Remedies = append(out.Remedies, freshFolders(m, f)...)
	return out
}

func staleSide(m *machine.Machine, f machine.CacheFolder, file, side machine.CacheFile) check.Finding {
	st := side.Stat.Value
	out := check.Finding{
		Subject: file.Path, Verdict: check.Fail, Cause: "miopen-db-readonly",
		Message: fmt.Sprintf("MIOpen cannot write %s, which belongs to %s, beside a database that it can write. A run as another user ended without removing it; SQLite needs all three files and says %s. %s",
			short(side.Path), who(m, st.UID), theWords, folklore),
		Evidence: append([]machine.Evidence{
			{From: machine.Source(side.Path), Text: st.String() + "; write: " + side.Write.Value},
			{From: machine.Source(file.Path), Text: file.Stat.Value.String()},
		}, folderEvidence(f)...),
	}
	if !sticky(f) {
		out.Remedies = append(out.Remedies, moveAside(m, f, file))
	}
	out.Remedies = append(out.Remedies, takeBack(m, chownDatabase, file.Path, st)...)
	out.Remedies = append(out.Remedies, freshFolders(m, f)...)
	return out
}

// leftByRoot warns of what root leaves in the home of somebody else: root can
// write it, and nobody after root.
func leftByRoot(m *machine.Machine, f machine.CacheFolder, file machine.CacheFile) check.Finding {
	home := m.Caches.MIOpen.Home
	root := m.Process.Known() && m.Process.Value.UID == 0
	if !root || !home.Known() || home.Value.UID == 0 || file.Stat.Value.UID != 0 || f.Variable != "" || f.Path == m.Caches.MIOpen.Kernels.Value {
		return check.Finding{}
	}
	return check.Finding{
		Subject: file.Path, Verdict: check.Warn, Cause: "miopen-db-readonly",
		Message: fmt.Sprintf("%s belongs to root, in the home of uid %d. Root can write it; a program of that user stops with %s. It comes from running as root, or in a container, with that home.",
			short(file.Path), home.Value.UID, theWords),
		Evidence: append([]machine.Evidence{{From: machine.Source(file.Path), Text: file.Stat.Value.String()}, {From: home.From, Text: home.Value.String()}}, folderEvidence(f)...),
		Remedies: remediesFor(handOver(m, file, home.Value)),
	}
}
