package state

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

// TestStoppedIsPutBack: wherever somebody stops it, what was done is taken back at
// once, and not left to the next run.
func TestStoppedIsPutBack(t *testing.T) {
	t.Parallel()
	steps := len(newPlot(t).acts(t))
	for after := range steps + 1 {
		p := newPlot(t)
		before := p.tree(t)
		j := p.reopen(t)
		asked := 0
		j.Stopped = func() bool { asked++; return asked > after }
		e, err := j.Begin(Entry{}, p.acts(t))
		must(t, err)
		var rolled *RollbackError
		if err := j.Apply(e); !errors.As(err, &rolled) || !errors.Is(err, ErrInterrupted) {
			t.Fatalf("stopped after %d steps: %v", after, err)
		}
		sameTree(t, "stopped", p.tree(t), before)
		if e.Status != RolledBack {
			t.Errorf("stopped after %d steps: %s", after, e.Status)
		}
	}
}

// TestStoppedWhileUnpacking: an archive holds gigabytes, and what of it was unpacked
// goes.
func TestStoppedWhileUnpacking(t *testing.T) {
	t.Parallel()
	s, err := newStage(t.TempDir(), time.Now())
	must(t, err)
	_, _, _, err = s.Put("a", strings.NewReader("a"))
	must(t, err)
	s.Stopped = func() bool { return true }
	if _, _, _, err := s.Put("b", strings.NewReader("b")); !errors.Is(err, ErrInterrupted) {
		t.Errorf("put: %v", err)
	}
	must(t, s.Remove())
	if _, err := os.Lstat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
