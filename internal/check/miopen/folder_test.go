package miopen

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// TestShippedDatabaseCanBeRead: where MIOpen compiled nothing yet, that its own
// database can be read is the proof of the cure that takes it out of WAL mode. One
// that nobody could look at is no proof.
func TestShippedDatabaseCanBeRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		header machine.Fact[machine.CacheHeader]
		want   check.Verdict
	}{
		"plain":  {machine.Know(machine.CacheHeader{}, "/opt/x.kdb"), check.OK},
		"WAL":    {machine.Know(machine.CacheHeader{WAL: true}, "/opt/x.kdb"), check.Fail},
		"unread": {machine.Unknown[machine.CacheHeader]("/opt/x.kdb", "permission denied"), check.Skipped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &machine.Machine{OS: "linux"}
			m.Caches.MIOpen.Folders = machine.Know([]machine.CacheFolder{{
				Use: machine.SystemCache, Path: "/opt/db", Write: machine.Know("EACCES", "/opt/db"),
				Files: []machine.CacheFile{{Path: "/opt/db/gfx1010.kdb", Header: tc.header}},
			}}, "folders")
			got := runWritable(check.Input{Machine: m})
			if len(got) != 1 || got[0].Verdict != tc.want {
				t.Errorf("it says %+v, want %s", got, tc.want)
			}
		})
	}
}
