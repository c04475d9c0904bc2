package codeobj

import "strings"

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
