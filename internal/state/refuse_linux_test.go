package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// try applies one act with a journal of its own.
func (p plot) try(t *testing.T, a Act) error {
	t.Helper()
	j, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	defer func() { _ = j.Close() }()
	e, err := j.Begin(Entry{}, []Act{a})
	if err != nil {
		return err
	}
	return j.Apply(e)
}

// TestOtherThanPlanned: whatever somebody does between plan and act, fix writes
// nowhere else and leaves what it finds.
func TestOtherThanPlanned(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(t *testing.T, p plot){
		"content":      func(t *testing.T, p plot) { must(t, os.WriteFile(p.file(".bashrc"), []byte("mine\n"), 0o600)) },
		"another file": func(t *testing.T, p plot) { must(t, replaceFile(p.file(".bashrc"), []byte("mine\n"))) },
		"gone":         func(t *testing.T, p plot) { must(t, os.Remove(p.file(".bashrc"))) },
		"a folder": func(t *testing.T, p plot) {
			must(t, os.Remove(p.file(".bashrc")))
			must(t, os.Mkdir(p.file(".bashrc"), 0o700))
		},
		"a link": func(t *testing.T, p plot) {
			must(t, os.Remove(p.file(".bashrc")))
			must(t, os.Symlink(p.file("victim"), p.file(".bashrc")))
		},
		"a second name": func(t *testing.T, p plot) { must(t, os.Link(p.file(".bashrc"), p.file("other"))) },
		"folder a link": func(t *testing.T, p plot) {
			must(t, os.Rename(p.root, p.root+".real"))
			must(t, os.Symlink(p.root+".real", p.root))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlot(t)
			must(t, os.WriteFile(p.file("victim"), []byte("victim\n"), 0o600))
			act := p.acts(t)[0]
			meddle(t, p)
			before := p.tree(t)
			if err := p.try(t, act); err == nil {
				t.Error("it was applied")
			}
			sameTree(t, name, p.tree(t), before)
			if entries, err := Read(p.state); err != nil || len(entries) > 0 {
				t.Errorf("a run that changed nothing left %d entries (%v)", len(entries), err)
			}
		})
	}
}

func TestNeverTakesAName(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	acts := p.acts(t)
	must(t, os.WriteFile(p.file("cache.ukdb.aside"), []byte("an older one"), 0o600))
	before := p.tree(t)
	if err := p.try(t, acts[2]); !errors.Is(err, ErrChanged) {
		t.Errorf("move onto a name that is taken: %v", err)
	}
	must(t, os.Mkdir(p.file("new"), 0o700))
	if err := p.try(t, acts[3]); !errors.Is(err, ErrChanged) {
		t.Errorf("make a folder that is there: %v", err)
	}
	must(t, os.Remove(p.file("new")))
	sameTree(t, "refused", p.tree(t), before)
}

// TestUndoKeepsWhatOthersDid: a file that was changed since stays, and all three
// versions are handed over to be shown; the rest is undone.
func TestUndoKeepsWhatOthersDid(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	before := p.tree(t)
	must(t, p.perform(t, &trap{}))
	must(t, os.WriteFile(p.file(".bashrc"), []byte("# changed\nand again\n"), 0o600))
	must(t, os.WriteFile(p.file("cache.ukdb"), []byte("a new cache\n"), 0o600))
	must(t, os.WriteFile(p.file("new/mine"), []byte("mine\n"), 0o600))
	j, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	defer func() { _ = j.Close() }()
	entries, err := j.Entries()
	must(t, err)
	conflicts, err := j.Undo(&entries[0])
	must(t, err)
	paths := make([]string, len(conflicts))
	for i, c := range conflicts {
		paths[i] = strings.TrimPrefix(c.Path, p.root)
	}
	if want := []string{"/new", "/cache.ukdb", "/.bashrc"}; !slices.Equal(paths, want) {
		t.Fatalf("conflicts in %q, want %q", paths, want)
	}
	c := conflicts[2]
	if string(c.Now.Data) != "# changed\nand again\n" || !strings.HasPrefix(string(c.Before.Data), "content of") {
		t.Errorf("before %.20q, now %.20q", c.Before.Data, c.Now.Data)
	}
	if entries[0].Status != Kept {
		t.Errorf("status %s", entries[0].Status)
	}
	// What stood in the way is taken away by hand; the second undo does the rest.
	must(t, os.Remove(p.file("cache.ukdb")))
	must(t, os.Remove(p.file("new/mine")))
	must(t, os.WriteFile(p.file(".bashrc"), entries[0].Steps[0].New, 0o600))
	if conflicts, err := j.Undo(&entries[0]); err != nil || len(conflicts) > 0 {
		t.Fatalf("second undo: %v, %v", conflicts, err)
	}
	sameTree(t, "second undo", p.tree(t), before)
}

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	first, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	if _, err := open(p.state, disk{&trap{}}, clock); !errors.Is(err, ErrBusy) {
		t.Errorf("the second one: %v, want %v", err, ErrBusy)
	}
	must(t, first.Close())
	again, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	must(t, again.Close())
}

func TestDamagedJournalIsNamed(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"cut":   func(b []byte) []byte { return b[:len(b)/2] },
		"empty": func([]byte) []byte { return nil },
		"bit":   func(b []byte) []byte { b[len(b)-10] ^= 1; return b },
		"text":  func([]byte) []byte { return []byte("hello\nworld\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlot(t)
			must(t, p.perform(t, &trap{}))
			file := filepath.Join(p.state, "journal", "2026-11-15-1.entry")
			data, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, damage(data), 0o600))
			before := p.tree(t)
			var damaged *DamagedError
			if err := p.takeBackLast(t, &trap{}); !errors.As(err, &damaged) || damaged.File != file {
				t.Errorf("undo with a damaged journal: %v", err)
			}
			j, err := open(p.state, disk{&trap{}}, clock)
			must(t, err)
			defer func() { _ = j.Close() }()
			if _, err := j.Begin(Entry{}, nil); !errors.As(err, &damaged) {
				t.Errorf("fix with a damaged journal: %v", err)
			}
			sameTree(t, name, p.tree(t), before)
		})
	}
}

func TestJournalIsPrivate(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	must(t, p.perform(t, &trap{}))
	for name, want := range map[string]string{"": "drwx------", "journal": "drwx------", "journal/2026-11-15-1.entry": "-rw-------"} {
		info, err := os.Stat(filepath.Join(p.state, name))
		must(t, err)
		if info.Mode().String() != want {
			t.Errorf("%s has mode %v, want %s", name, info.Mode(), want)
		}
	}
	must(t, os.Chmod(filepath.Join(p.state, "journal"), 0o777))
	if _, err := open(p.state, disk{&trap{}}, clock); err == nil {
		t.Error("a journal that others can write is trusted")
	}
}
