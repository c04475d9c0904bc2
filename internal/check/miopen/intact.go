package miopen

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func runIntact(in check.Input) []check.Finding {
	m := in.Machine
	if none := concerned(m); none != nil {
		return none
	}
	var out []check.Finding
	whole, left, bytes := 0, 0, int64(0)
	for _, f := range m.Caches.MIOpen.Folders.Value {
		left += f.Left
		for _, file := range f.Files {
			if !isKernels(file.Path) || !file.Header.Known() {
				out = append(out, unreadHeader(file)...)
				continue
			}
			if found := judgeHeader(m, f, file); found.Verdict != "" {
				out = append(out, found)
				continue
			}
			whole++
			bytes += file.Stat.Value.Size
		}
	}
	switch {
	case len(out) > 0:
		return out
	case whole == 0:
		return []check.Finding{check.NotHere("MIOpen", "there is no database of MIOpen that can be read")}
	case whole == 1:
		return []check.Finding{{Subject: "MIOpen", Verdict: check.OK, Message: fmt.Sprintf("The database of MIOpen is whole (%s)", size(bytes))}}
	case left > 0:
		return []check.Finding{{Subject: "MIOpen", Verdict: check.OK, Message: fmt.Sprintf("The first %d databases of MIOpen are whole (%s); %d more files were not looked at", whole, size(bytes), left)}}
	}
	return []check.Finding{{Subject: "MIOpen", Verdict: check.OK, Message: fmt.Sprintf("The %d databases of MIOpen are whole (%s)", whole, size(bytes))}}
}

// unreadHeader is silent where the file is closed to this user: whether it can be
// written is asked elsewhere.
func unreadHeader(file machine.CacheFile) []check.Finding {
	h := file.Header
	if !isKernels(file.Path) || h.Why == "" || strings.Contains(h.Why, "EACCES") {
		return nil
	}
	return []check.Finding{check.CannotTell(file.Path, "whether "+short(file.Path)+" is whole", h.From, h.Why)}
}

func isKernels(file string) bool {
	return strings.HasSuffix(file, ".ukdb") || strings.HasSuffix(file, ".kdb")
}

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// judgeHeader returns nothing for a database that is whole as far as its first
// bytes tell.
func judgeHeader(m *machine.Machine, f machine.CacheFolder, file machine.CacheFile) check.Finding {
	h, length := file.Header.Value, file.Stat.Value.Size
	beside := sides(f, file)
	logged := len(beside) > 0 && beside[0].Stat.Value.Size > 0 && strings.HasSuffix(beside[0].Path, "-wal")
	out := check.Finding{Subject: file.Path, Verdict: check.Fail, Cause: "miopen-cache-corrupt", Evidence: headerEvidence(file)}
	switch {
	case h.Format == machine.FormatEmpty && logged:
		out.Verdict = check.Warn
		out.Message = fmt.Sprintf("%s is empty, but a write-ahead log of %d bytes lies beside it. The two do not belong together any more: SQLite drops the log, or takes it for damage.", short(file.Path), beside[0].Stat.Value.Size)
		out.Evidence = append(out.Evidence, machine.Evidence{From: machine.Source(beside[0].Path), Text: beside[0].Stat.Value.String()})
	case h.Format == machine.FormatEmpty:
		return check.Finding{} // SQLite takes it for a new database
	case h.Format == machine.FormatText:
		out.Message = fmt.Sprintf("%s holds text where MIOpen expects a SQLite database. SQLite says \"file is not a database\". A copy that failed looks like this, and so does a pointer of git-lfs in place of the file it stands for.", short(file.Path))
	case h.Format == machine.FormatOther:
		out.Message = fmt.Sprintf("%s does not begin like a SQLite database. SQLite says \"file is not a database\"; a disk that filled up or a machine that stopped while writing leaves such a file.", short(file.Path))
	// While a log is there, the file may be on its way to the length it states.
	case h.Bytes() > length && !logged, length < 512:
		out.Message = fmt.Sprintf("%s is cut off: it has %d bytes and should have %d. SQLite says \"database disk image is malformed\"; a disk that filled up or a copy that broke off leaves such a file.", short(file.Path), length, max(h.Bytes(), 512))
	case len(file.Lacks.Value) > 0 && !logged:
		out.Verdict = check.Warn
		out.Message = fmt.Sprintf("%s was made by another MIOpen: its table of kernels has no column %s. MIOpen says \"Invalid fields in table: kern_db\", leaves it alone and compiles its kernels anew at every start, or stops with an error of SQLite.", short(file.Path), strings.Join(file.Lacks.Value, ", "))
		out.Evidence = append(out.Evidence, machine.Evidence{From: file.Lacks.From, Text: "kern_db lacks " + strings.Join(file.Lacks.Value, ", ")})
	default:
		return check.Finding{}
	}
	if f.Use == machine.SystemCache {
		out.Remedies = remediesFor(reinstall(m, file))
	} else {
		if !denied(f.Write) && !sticky(f) {
			out.Remedies = append(out.Remedies, moveAside(m, f, file))
		}
		out.Remedies = append(out.Remedies, freshFolders(m, f)...)
	}
	if !m.MIOpenConcerns(short(file.Path)) {
		out.Verdict = check.Warn
	}
	return out
}

func headerEvidence(file machine.CacheFile) []machine.Evidence {
	h := file.Header.Value
	text := "first bytes: " + h.Format
	if h.Format == machine.FormatSQLite {
		text = fmt.Sprintf("first bytes: SQLite, %d pages of %d bytes, %d changes", h.Pages, h.PageSize, h.Changes)
	}
	return []machine.Evidence{{From: machine.Source(file.Path), Text: text}, {From: machine.Source(file.Path), Text: file.Stat.Value.String()}}
}
