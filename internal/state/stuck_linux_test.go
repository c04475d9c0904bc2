package state

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// reopen takes the journal of a plot, as the next run does.
func (p plot) reopen(t *testing.T) *Journal {
	t.Helper()
	j, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// interrupt ends a run when all of its steps but the last are taken.
func (p plot) interrupt(t *testing.T) {
	t.Helper()
	dry := newPlot(t)
	d := &trap{}
	must(t, dry.perform(t, d))
	_ = p.perform(t, &trap{at: d.count - 10, err: unix.EIO, dead: true}) // as a kill would
	entries, err := Read(p.state)
	must(t, err)
	if len(entries) != 1 || entries[0].Status != Doing || entries[0].Steps[0].Status != Done {
		t.Fatalf("it was not interrupted: %+v", entries)
	}
}

// TestRecoveryGoesOn: what somebody changed after a kill is left, and keeps no later
// run from its work; undo can be asked for it.
func TestRecoveryGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	before := p.tree(t)
	p.interrupt(t)
	ours, err := os.ReadFile(p.file(".bashrc"))
	must(t, err)
	info, err := os.Stat(p.file(".bashrc"))
	must(t, err)
	must(t, os.WriteFile(p.file(".bashrc"), []byte("theirs\n"), 0o600))
	j := p.reopen(t)
	recovered, err := j.Recover()
	if err != nil || len(recovered) != 1 || recovered[0].Status != Kept || recovered[0].Steps[0].Note == "" {
		t.Fatalf("recovered %+v, %v", recovered, err)
	}
	if data, err := os.ReadFile(p.file(".bashrc")); err != nil || string(data) != "theirs\n" {
		t.Errorf("their file holds %q (%v)", data, err)
	}
	if again, err := j.Recover(); err != nil || len(again) > 0 {
		t.Errorf("the next run recovers %+v, %v", again, err)
	}
	if _, err := j.Begin(Entry{}, nil); err != nil {
		t.Errorf("nothing can be begun any more: %v", err)
	}
	must(t, os.WriteFile(p.file(".bashrc"), ours, info.Mode()))
	entries, err := j.Entries()
	must(t, err)
	if conflicts, err := j.Undo(&entries[0]); err != nil || len(conflicts) > 0 {
		t.Fatalf("undo: %v, %v", conflicts, err)
	}
	sameTree(t, "undone", p.tree(t), before)
}

// TestUndoOfWhatIsGone: a folder that was taken away, or replaced by a link, is
// somebody's doing, and no reason to try for ever.
func TestUndoOfWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(t *testing.T, dir string){
		"gone": func(t *testing.T, dir string) { t.Helper(); must(t, os.Rename(dir, dir+".moved")) },
		"a link": func(t *testing.T, dir string) {
			t.Helper()
			must(t, os.Rename(dir, dir+".moved"))
			must(t, os.Symlink(dir+".moved", dir))
		},
		"a file": func(t *testing.T, dir string) {
			t.Helper()
			must(t, os.Rename(dir, dir+".moved"))
			must(t, os.WriteFile(dir, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlot(t)
			dir := p.file("dotfiles")
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Rename(p.file(".bashrc"), filepath.Join(dir, "bashrc")))
			must(t, os.Rename(p.file("cache.ukdb"), filepath.Join(dir, "cache.ukdb")))
			before := p.tree(t)
			_, bash, err := Look(filepath.Join(dir, "bashrc"), true)
			must(t, err)
			_, cache, err := Look(filepath.Join(dir, "cache.ukdb"), false)
			must(t, err)
			j := p.reopen(t)
			e, err := j.Begin(Entry{}, []Act{
				{Kind: Write, Path: filepath.Join(dir, "bashrc"), Before: bash, New: []byte("x\n")},
				{Kind: Move, Path: filepath.Join(dir, "cache.ukdb"), To: filepath.Join(dir, "cache.aside"), Before: cache},
			})
			must(t, err)
			must(t, j.Apply(e))
			away(t, dir)
			conflicts, err := j.Undo(e)
			if err != nil || len(conflicts) != 2 || e.Status != Kept {
				t.Fatalf("undo: %v, %v, %s", conflicts, err, e.Status)
			}
			_ = os.Remove(dir)
			must(t, os.Rename(dir+".moved", dir))
			if conflicts, err := j.Undo(e); err != nil || len(conflicts) > 0 {
				t.Fatalf("second undo: %v, %v", conflicts, err)
			}
			sameTree(t, "undone", p.tree(t), before)
		})
	}
}

// TestUndoLeavesOddFiles: what somebody put into the place of a file that was moved
// or copied stays.
func TestUndoLeavesOddFiles(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	must(t, p.perform(t, &trap{}))
	must(t, os.Symlink("elsewhere", p.file("cache.ukdb")))
	must(t, os.Remove(p.file("kernels.co")))
	must(t, os.Mkdir(p.file("kernels.co"), 0o700))
	j := p.reopen(t)
	entries, err := j.Entries()
	must(t, err)
	conflicts, err := j.Undo(&entries[0])
	if err != nil || entries[0].Status != Kept || len(conflicts) != 3 {
		t.Fatalf("undo: %v, %v, %s", conflicts, err, entries[0].Status)
	}
	if to, err := os.Readlink(p.file("cache.ukdb")); err != nil || to != "elsewhere" {
		t.Errorf("their link: %q, %v", to, err)
	}
}

// TestUndoWhoseCommandFails: a user who left the group by hand is no member that
// could be taken out, and other groups came since.
func TestUndoWhoseCommandFails(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	must(t, p.perform(t, &trap{}))
	must(t, os.WriteFile(p.file("etc/group"), []byte("others\n"), 0o600))
	j := p.reopen(t)
	entries, err := j.Entries()
	must(t, err)
	conflicts, err := j.Undo(&entries[0])
	failed := func(c Conflict) bool { return strings.Contains(c.Why, "ada is not a member") && !c.Command }
	if err != nil || !slices.ContainsFunc(conflicts, failed) || entries[0].Status != Kept {
		t.Errorf("undo: %v, %v, %s", conflicts, err, entries[0].Status)
	}
	if recovered, err := j.Recover(); err != nil || len(recovered) > 0 {
		t.Errorf("the next run recovers %+v, %v", recovered, err)
	}
}
