package state

import (
	"errors"
	"os/exec"
	"testing"
)

// TestWhoSaidOne: sudo ends with 1 for a wrong password, the rocsmith of root for
// files that it left. Only the second one ran.
func TestWhoSaidOne(t *testing.T) {
	t.Parallel()
	began := "printf '" + Began[:len(Began)-1] + "\\n'; "
	for name, tc := range map[string]struct {
		does, said string
		want       error
	}{
		"a wrong password":   {"echo 'sudo: 3 incorrect password attempts' >&2; exit 1", "", ErrNoRoot},
		"it never ran":       {"exit 0", "", ErrNoRoot},
		"sudo was killed":    {"kill -TERM $$", "", ErrNoRoot},
		"something was left": {began + "echo more; exit 1", "more\n", ErrKept},
		"done":               {began + "echo more", "more\n", nil},
	} {
		said, err := become(exec.Command("/bin/sh", "-c", tc.does))
		if said != tc.said || !errors.Is(err, tc.want) {
			t.Errorf("%s: %q, %v", name, said, err)
		}
	}
	for _, does := range []string{began + "exit 4", began + "kill -TERM $$"} {
		if _, err := become(exec.Command("/bin/sh", "-c", does)); err == nil || errors.Is(err, ErrNoRoot) || errors.Is(err, ErrKept) {
			t.Errorf("%s: %v; root must look at what it did", does, err)
		}
	}
}
