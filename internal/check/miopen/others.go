package miopen

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func runOthers(in check.Input) []check.Finding {
	m := in.Machine
	if m.OS == "windows" {
		return []check.Finding{check.NotHere("caches", "on Windows the caches are not looked at")}
	}
	if m.Variables.Unread() {
		return []check.Finding{check.CannotTell("caches", "which caches there are", m.Variables.From, m.Variables.Why)}
	}
	var out []check.Finding
	for _, f := range m.Caches.Others {
		out = append(out, judgeOther(m, f))
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("caches", "there are no other caches")}
	}
	return out
}

func judgeOther(m *machine.Machine, f machine.CacheFolder) check.Finding {
	out := check.Finding{Subject: string(f.Use), Verdict: check.Warn, Evidence: folderEvidence(f)}
	system := f.FileSystem.Value
	switch {
	case strings.Contains(f.Stat.Why, "EACCES"):
		return check.NotHere(string(f.Use), f.Path+" is closed to this user")
	case f.Stat.Unread():
		return check.CannotTell(string(f.Use), "whether "+string(f.Use)+" can write its cache", f.Stat.From, f.Stat.Why)
	case f.Write.Unread():
		return check.CannotTell(string(f.Use), "whether "+string(f.Use)+" can write its cache", f.Write.From, f.Write.Why)
	case system.ReadOnly || f.Write.Value == "EROFS":
		out.Message = fmt.Sprintf("%s cannot write its cache: %s is on a file system that is mounted read-only. It compiles everything again in each process, or stops.", f.Use, place(f))
		out.Remedies = remediesFor(otherFolder(m, f))
	case f.Write.Value != "":
		out.Message = fmt.Sprintf("%s cannot write its cache %s, which belongs to %s. An earlier run as another user left it behind; some programs compile everything again, others stop with \"Permission denied\".", f.Use, place(f), who(m, f.Stat.Value.UID))
		out.Remedies = append(takeBack(m, chownPath, f.Path, f.Stat.Value), otherFolder(m, f))
	case system.Size > 0 && system.Free < fullBelow:
		out.Message = fmt.Sprintf("%s has no room for its cache: %d KiB are left in %s. It compiles everything again in each process, or stops.", f.Use, system.Free>>10, place(f))
		out.Remedies = remediesFor(freeSpace(m, f), otherFolder(m, f))
	default:
		out.Verdict, out.Message = check.OK, fmt.Sprintf("%s can write its cache %s", f.Use, f.Path)
	}
	return out
}
