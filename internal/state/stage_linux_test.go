package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStagesOfTheDeadAreSwept: an interrupt leaves gigabytes, which the next run
// takes away; those of the living stay, and what only looks like one.
func TestStagesOfTheDeadAreSwept(t *testing.T) {
	t.Parallel()
	tmp, now := t.TempDir(), time.Now()
	old := now.Add(-2 * settled)
	dead := filepath.Join(tmp, stagePrefix+"1")
	fresh := filepath.Join(tmp, stagePrefix+"2")
	bare := filepath.Join(tmp, stagePrefix+"3")
	other := filepath.Join(tmp, "other-1")
	for _, dir := range []string{dead, fresh, bare, other} {
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "x"), nil, 0o600))
	}
	for _, dir := range []string{dead, fresh, other} {
		must(t, os.WriteFile(filepath.Join(dir, stageLock), nil, 0o600))
		must(t, os.Chtimes(filepath.Join(dir, stageLock), old, old))
	}
	must(t, os.Chtimes(filepath.Join(fresh, stageLock), now, now))
	must(t, os.Symlink(other, filepath.Join(tmp, stagePrefix+"4")))
	living, err := newStage(tmp, now)
	must(t, err)
	must(t, os.Chtimes(filepath.Join(living.dir, stageLock), old, old))
	next, err := newStage(tmp, now)
	must(t, err)
	if _, err := os.Lstat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stage of a dead process: %v", err)
	}
	for _, dir := range []string{fresh, bare, other, living.dir, next.dir} {
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("it is gone: %v", err)
		}
	}
	_, _, _, err = living.Put("x.dat", strings.NewReader("x"))
	must(t, err)
	must(t, errors.Join(living.Remove(), next.Remove()))
	if _, err := os.Lstat(living.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it was removed: %v", err)
	}
}
