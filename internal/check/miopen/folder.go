package miopen

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// fullBelow is the room that SQLite needs to begin: its shared memory alone has
// 32 KiB, and a compiled kernel some hundred.
const fullBelow = 1 << 20

// judgeFolder judges what all databases of a folder share.
func judgeFolder(m *machine.Machine, f machine.CacheFolder) check.Finding {
	system := f.FileSystem.Value
	switch {
	case f.Write.Unread():
		return check.CannotTell(f.Path, "whether MIOpen can write into "+f.Path, f.Write.From, f.Write.Why)
	case f.Stat.Known() && !f.Stat.Value.Mode.IsDir():
		return folderFails(m, f, fmt.Sprintf("%s names a file, and MIOpen needs a folder for its kernel cache. It makes one database for each GPU in it, and stops where it cannot.", f.Variable))
	case system.ReadOnly || f.Write.Value == "EROFS":
		return folderFails(m, f, fmt.Sprintf("The kernel cache of MIOpen lies on a file system that is mounted read-only, in %s. SQLite then says \"unable to open database file\", or %s where the database is not in WAL mode yet. In a container the folder or its volume may have been mounted with \"ro\". %s", place(f), theWords, folklore))
	case denied(f.Write):
		found := folderFails(m, f, fmt.Sprintf("MIOpen cannot write into the folder of its kernel cache: it belongs to %s, and %s. SQLite makes two files beside a database while it is open, so a database that is itself open to everybody is not enough; it says %s. %s",
			who(m, f.Stat.Value.UID), you(m), theWords, folklore))
		found.Remedies = append(takeBack(m, chownPath, f.Path, f.Stat.Value), found.Remedies...)
		return found
	case f.Write.Value != "":
		return folderFails(m, f, fmt.Sprintf("MIOpen cannot write into the folder of its kernel cache: the system says %s. %s", f.Write.Value, folklore))
	case system.Size > 0 && system.Free < fullBelow:
		found := folderFails(m, f, fmt.Sprintf("The disk that holds the kernel cache of MIOpen is full: %d KiB are left in %s. Kernels cannot be kept, and SQLite stops with \"database or disk is full\" or \"disk I/O error\".", system.Free>>10, place(f)))
		found.Remedies = append(remediesFor(freeSpace(m, f)), found.Remedies...)
		return found
	case f.Variable != "" && system.Network():
		return onNetwork(m, f)
	case m.Caches.MIOpen.Shared.Known():
		return elsewhere(m, f)
	}
	return check.Finding{}
}

// place shortens a folder for a headline.
func place(f machine.CacheFolder) string {
	const most = 60
	if len(f.Path) > most {
		return "…" + strings.ToValidUTF8(f.Path[len(f.Path)-most:], "")
	}
	return f.Path
}

func folderFails(m *machine.Machine, f machine.CacheFolder, message string) check.Finding {
	return check.Finding{
		Subject: f.Path, Verdict: check.Fail, Cause: "miopen-db-readonly", Message: message,
		Evidence: folderEvidence(f), Remedies: freshFolders(m, f),
	}
}

// onNetwork is a choice of the user that MIOpen follows, although it would not
// by itself.
func onNetwork(m *machine.Machine, f machine.CacheFolder) check.Finding {
	return check.Finding{
		Subject: f.Path, Verdict: check.Warn, Cause: "miopen-db-shared-fs",
		Message: fmt.Sprintf("%s puts the kernel cache of MIOpen on a network file system (%s). By default MIOpen avoids that: SQLite's write-ahead log needs memory that all its users share, which two machines do not have, and ends in \"locking protocol\" or a damaged file.",
			f.Variable, f.FileSystem.Value.Type),
		Evidence: folderEvidence(f),
		Remedies: append(remediesFor(withoutWAL(m)), freshFolders(m, f)...),
	}
}

// elsewhere is how MIOpen answers a home on the network: nothing is wrong, but
// nobody would look there.
func elsewhere(m *machine.Machine, f machine.CacheFolder) check.Finding {
	shared := m.Caches.MIOpen.Shared
	return check.Finding{
		Subject: f.Path, Verdict: check.OK,
		Message: fmt.Sprintf("MIOpen keeps compiled kernels in %s, because your home is on %s. What is in ~/.cache/miopen is not used; after a restart of the machine everything is compiled again, unless MIOPEN_CUSTOM_CACHE_DIR names a local folder.",
			f.Path, shared.Value.Type),
		Evidence: append([]machine.Evidence{{From: shared.From, Text: shared.Value.String()}}, folderEvidence(f)...),
	}
}

// judgeTuning warns only: without it MIOpen searches again, and says so in its
// log.
func judgeTuning(m *machine.Machine, f machine.CacheFolder) []check.Finding {
	if f.Stat.Known() && f.Write.Unread() {
		return []check.Finding{check.CannotTell(f.Path, "whether MIOpen can write its tuning", f.Write.From, f.Write.Why)}
	}
	out := check.Finding{Subject: f.Path, Verdict: check.Warn, Cause: "miopen-db-readonly", Evidence: folderEvidence(f)}
	for _, file := range f.Files {
		if denied(file.Write) {
			out.Message = fmt.Sprintf("MIOpen cannot write its tuning file %s: it belongs to %s. It is plain text and stops no program; what MIOpen measures is lost, and measured again each time.", short(file.Path), who(m, file.Stat.Value.UID))
			out.Evidence = append([]machine.Evidence{{From: machine.Source(file.Path), Text: file.Stat.Value.String() + "; write: " + file.Write.Value}}, out.Evidence...)
			out.Remedies = append(takeBack(m, chownPath, file.Path, file.Stat.Value), freshFolders(m, f)...)
			return []check.Finding{out}
		}
	}
	if f.Write.Known() && f.Write.Value != "" && f.Stat.Known() && f.Stat.Value.Mode.IsDir() {
		out.Message = fmt.Sprintf("MIOpen cannot write its tuning into %s (%s). No program stops for it; what MIOpen measures is lost, and measured again each time.", place(f), f.Write.Value)
		out.Remedies = append(takeBack(m, chownPath, f.Path, f.Stat.Value), freshFolders(m, f)...)
		return []check.Finding{out}
	}
	return nil
}

// judgeShipped finds databases of the installation that need a writer: in WAL
// mode SQLite makes files beside them even to read.
func judgeShipped(m *machine.Machine, f machine.CacheFolder) []check.Finding {
	var out []check.Finding
	for _, file := range f.Files {
		if !strings.HasSuffix(file.Path, ".kdb") || !file.Header.Value.WAL || !m.MIOpenConcerns(short(file.Path)) {
			continue
		}
		if f.Write.Unread() {
			out = append(out, check.CannotTell(file.Path, "whether "+short(file.Path)+" can be read", f.Write.From, f.Write.Why))
			continue
		}
		if f.Write.Value == "" || len(sides(f, file)) == 2 {
			continue // root looks, or somebody keeps it open: it can be read
		}
		out = append(out, check.Finding{
			Subject: file.Path, Verdict: check.Fail, Cause: "miopen-db-readonly",
			Message: fmt.Sprintf("The shipped kernels in %s cannot even be read: the database is in WAL mode, in a folder you may not write. To open such a database SQLite makes two files beside it, and says %s where it may not (pytorch#126942). %s",
				short(file.Path), theWords, folkloreOfShipped),
			Evidence: append([]machine.Evidence{{From: machine.Source(file.Path), Text: "SQLite, bytes 18 and 19 say WAL; " + file.Stat.Value.String()}}, folderEvidence(f)...),
			Remedies: remediesFor(journalDelete(m, file)),
		})
	}
	return out
}

// readable are the shipped databases that can be read: what to say where nothing
// else was found, and what proves a cure of theirs.
func readable(m *machine.Machine) []check.Finding {
	var out []check.Finding
	for _, f := range m.Caches.MIOpen.Folders.Value {
		for _, file := range f.Files {
			if f.Use == machine.SystemCache && strings.HasSuffix(file.Path, ".kdb") && file.Header.Known() && !file.Header.Value.WAL && m.MIOpenConcerns(short(file.Path)) {
				out = append(out, check.Finding{
					Subject: file.Path, Verdict: check.OK,
					Message:  fmt.Sprintf("MIOpen can read the kernels that it came with, %s; it has compiled none here yet", short(file.Path)),
					Evidence: []machine.Evidence{{From: machine.Source(file.Path), Text: "SQLite, bytes 18 and 19 do not say WAL; " + file.Stat.Value.String()}},
				})
			}
		}
	}
	return out
}

// judgeLocks: MIOpen makes the folder for everybody; one made by hand, or under a
// strict umask, shuts out all others.
func judgeLocks(m *machine.Machine, f machine.CacheFolder) []check.Finding {
	if !denied(f.Write) {
		return nil
	}
	return []check.Finding{{
		Subject: f.Path, Verdict: check.Fail, Cause: "miopen-db-readonly",
		Message:  fmt.Sprintf("MIOpen cannot make its locks in %s: the folder belongs to %s, and %s. Without a lock it writes no database, and stops with \"Error creating file\".", place(f), who(m, f.Stat.Value.UID), you(m)),
		Evidence: folderEvidence(f),
		Remedies: remediesFor(openLocks(m, f)),
	}}
}

// folderEvidence shows a folder and what it lives on.
func folderEvidence(f machine.CacheFolder) []machine.Evidence {
	var out []machine.Evidence
	if f.Stat.Known() {
		text := f.Stat.Value.String()
		if f.Write.Known() && f.Write.Value != "" {
			text += "; write: " + f.Write.Value
		}
		out = append(out, machine.Evidence{From: machine.Source(f.Path), Text: text})
	}
	if f.FileSystem.Known() {
		out = append(out, machine.Evidence{From: machine.Source("statfs(" + f.Path + ")"), Text: f.FileSystem.Value.String()})
	}
	if f.Left > 0 {
		out = append(out, machine.Evidence{From: machine.Source(f.Path), Text: fmt.Sprintf("%d names; %d databases were not looked at", f.Listed.Value, f.Left)})
	}
	return out
}

// sticky reports a folder in which only its owner may rename a file: /tmp.
func sticky(f machine.CacheFolder) bool { return f.Stat.Value.Mode&fs.ModeSticky != 0 }
