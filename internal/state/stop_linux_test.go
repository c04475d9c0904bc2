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
	if _, _, _, err := s.Put("b", strings.NewReader("b")); !errors.Is(err, ErrUnbegun) {
		t.Errorf("put: %v", err)
	}
	must(t, s.Remove())
	if _, err := os.Lstat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// A tightener closes a file to others in the moment before it is replaced.
type tightener struct {
	trap
	file string
}

func (c *tightener) rename(dir int, from, to string, flags uint) error {
	if err := os.Chmod(c.file, 0o600); err != nil {
		return err
	}
	return c.trap.rename(dir, from, to, flags)
}

// TestNothingGetsWider: rights that somebody takes away between the look and the
// rename are not given back by the new file.
func TestNothingGetsWider(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	file := p.file(".bashrc")
	place, before, err := Look(file, true)
	must(t, err)
	d := disk{&tightener{file: file}}
	fresh := before
	fresh.Data, fresh.Sum = []byte("new\n"), sumOf([]byte("new\n"))
	err = d.within(place, func(dir int, name string) error { return d.put(dir, name, ".rocsmith-x", before, fresh) })
	if !errors.Is(err, ErrChanged) {
		t.Errorf("put: %v", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v)", info.Mode(), err)
	}
	if _, now, err := Look(file, true); err != nil || !now.sameContent(before) {
		t.Errorf("the content changed: %v", err)
	}
}
