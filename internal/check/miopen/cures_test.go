package miopen

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// TestOnlyFoldersOfTheHomeAreTaken: "chown -R" is offered for what lies in the
// home and never for what may be the system's.
func TestOnlyFoldersOfTheHomeAreTaken(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{}
	m.Process = machine.Know(machine.Process{UID: 1000, GID: 1000}, "process")
	m.Caches.MIOpen.Home = machine.Know(machine.CacheStat{UID: 1000, GID: 1000}, "/home/user1")
	for what, offered := range map[string]bool{
		"/home/user1/.cache/miopen/3.5.1.": true, "/home/user1/.cache": true,
		"/home/user1": false, "/home/user10/.cache": false, "/": false, "/var": false, "/tmp": false, "/opt/rocm-7.2.0": false,
	} {
		if got := len(takeBack(m, chownPath, what, machine.CacheStat{})) > 0; got != offered {
			t.Errorf("chown -R %s is offered: %v, want %v", what, got, offered)
		}
	}
	if takeBack(m, chownPath, "/home/user1/.cache", machine.CacheStat{UID: 1001}) != nil {
		t.Error("a folder of another user is taken from them")
	}
	m.Caches.MIOpen.Home = machine.Missing[machine.CacheStat]("/home/user1")
	if takeBack(m, chownPath, "/home/user1/.cache", machine.CacheStat{}) != nil {
		t.Error("a folder is taken although nobody knows the home")
	}
}
