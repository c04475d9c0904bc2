package codeobj

import (
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// isMIOpen knows the databases of MIOpen by their names; bytes only tell that some of them are SQLite's. They hold
// settings and compiled kernels for one GPU, and a program runs without them.
func isMIOpen(base string, head []byte) bool {
	name := strings.TrimSuffix(base, ".bz2")
	for _, ending := range []string{".fdb.txt", ".db.txt", ".ufdb.txt", ".udb.txt", ".tn.model", ".ktn.model", ".kdb", ".ukdb"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return strings.HasPrefix(name, "gfx") && strings.HasSuffix(name, ".db") && strings.HasPrefix(string(head), "SQLite format 3\x00")
}

// A MIOpenTarget is what the name of a database says it is for.
type MIOpenTarget struct {
	Processor string // "gfx908"
	Units     int    // compute units; 0 where the name does not say
}

// ParseMIOpenName reads the name of a database: the longest name of a processor, then the number of compute units, in
// decimal behind "_" up to 64, in bare hexadecimal above: "gfx906_60.HIP.fdb.txt", "gfx90878.kdb" (gfx908, 120 units),
// "gfx942e4.db.txt" (228). It is not ok where it begins with no processor that is known.
func ParseMIOpenName(base string) (t MIOpenTarget, ok bool) {
	const longest = len("gfx1100") + 1
	stem, _, _ := strings.Cut(base, ".")
	for n := min(len(stem), longest); n > len("gfx"); n-- {
		if _, known := rocm.LookupTarget(stem[:n]); known {
			return MIOpenTarget{Processor: stem[:n], Units: units(stem[n:])}, true
		}
	}
	return MIOpenTarget{}, false
}

func units(text string) int {
	const most = 1 << 12
	decimal, isDecimal := strings.CutPrefix(text, "_")
	base := 16
	if isDecimal {
		text, base = decimal, 10
	}
	n, err := strconv.ParseUint(text, base, 16)
	if err != nil || n > most {
		return 0
	}
	return int(n)
}
