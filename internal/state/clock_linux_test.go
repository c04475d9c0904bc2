package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestClockJumps: whatever the clock says, entries have ids of their own and the
// order in which they were made.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	var made []string
	for _, day := range []time.Time{
		time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC), // back on the same day
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),                                                     // no clock at the start
		time.Date(2099, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), // far ahead, and back
	} {
		j, err := open(p.state, disk{&trap{}}, func() time.Time { return day })
		must(t, err)
		e, err := j.Begin(Entry{}, []Act{{Kind: Run, Argv: []string{"/bin/rebuild", p.file(".bashrc"), p.file("image")}, Refresh: true}})
		must(t, err)
		must(t, errors.Join(j.Apply(e), j.Close()))
		if slices.Contains(made, e.ID) {
			t.Errorf("%s was made twice", e.ID)
		}
		made = append(made, e.ID)
	}
	entries, err := Read(p.state)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.ID)
	}
	if !slices.Equal(got, made) {
		t.Errorf("the journal tells %v, made were %v", got, made)
	}
	must(t, p.takeBackLast(t, &trap{}))
	entries, err = Read(p.state)
	must(t, err)
	if last := entries[len(entries)-1]; last.ID != made[len(made)-1] || last.Status != Undone || !last.UndoneAt.Equal(clock().UTC()) {
		t.Errorf("undone was %+v", last)
	}
	j, err := open(p.state, disk{&trap{}}, func() time.Time { return time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC) })
	must(t, err)
	defer func() { _ = j.Close() }()
	if _, err := j.Begin(Entry{}, nil); err == nil {
		t.Error("a year of five digits becomes an id")
	}
}

// TestOddStateFolders: what is not a journal of our own is refused, nothing hangs,
// and the machine stays as it is.
func TestOddStateFolders(t *testing.T) {
	t.Parallel()
	entry := func(p plot) string { return filepath.Join(p.state, "journal", "2026-11-15-1.entry") }
	for name, damage := range map[string]func(t *testing.T, p plot){
		"the journal is a file": func(t *testing.T, p plot) {
			must(t, os.RemoveAll(filepath.Join(p.state, "journal")))
			must(t, os.WriteFile(filepath.Join(p.state, "journal"), nil, 0o600))
		},
		"an entry is a folder": func(t *testing.T, p plot) {
			must(t, os.Remove(entry(p)))
			must(t, os.Mkdir(entry(p), 0o700))
		},
		"an entry is a pipe": func(t *testing.T, p plot) {
			must(t, os.Remove(entry(p)))
			must(t, unix.Mkfifo(entry(p), 0o600))
		},
		"an entry is a link": func(t *testing.T, p plot) {
			must(t, os.Remove(entry(p)))
			must(t, os.Symlink("/etc/passwd", entry(p)))
		},
		"an entry is vast": func(t *testing.T, p plot) { must(t, os.Truncate(entry(p), maxEntry+1)) },
		"an entry has another name": func(t *testing.T, p plot) {
			must(t, os.Rename(entry(p), filepath.Join(p.state, "journal", "2026-11-15-2.entry")))
		},
		"the lock is a link": func(t *testing.T, p plot) {
			lock := filepath.Join(p.state, "journal", ".lock")
			must(t, os.Remove(lock))
			must(t, os.Symlink(p.file(".bashrc"), lock))
		},
		"others may write": func(t *testing.T, p plot) { must(t, os.Chmod(filepath.Join(p.state, "journal"), 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlot(t)
			must(t, p.perform(t, &trap{}))
			damage(t, p)
			before := p.tree(t)
			if err := p.takeBackLast(t, &trap{}); err == nil {
				t.Error("undo trusts it")
			}
			if j, err := open(p.state, disk{&trap{}}, clock); err == nil {
				if _, err := j.Begin(Entry{}, nil); err == nil {
					t.Error("fix trusts it")
				}
				_ = j.Close()
			}
			sameTree(t, name, p.tree(t), before)
		})
	}
}

// TestStrayFilesAreNobodysEntries: what else lies in the folder does not matter.
func TestStrayFilesAreNobodysEntries(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	before := p.tree(t)
	must(t, p.perform(t, &trap{}))
	for _, name := range []string{"note.txt", ".2026-11-15-1.new", "2026-11-15-1.entry~"} {
		must(t, os.WriteFile(filepath.Join(p.state, "journal", name), []byte("x"), 0o600))
	}
	must(t, os.Remove(filepath.Join(p.state, "journal", ".lock"))) // it is made anew
	must(t, p.takeBackLast(t, &trap{}))
	sameTree(t, "undone", p.tree(t), before)
}
