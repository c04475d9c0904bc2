package state

import (
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// secretive is a disk on which new folders are made with the umask 077. The umask itself
// is that of all tests.
type secretive struct{ trap }

func (s *secretive) mkdirat(dir int, name string, mode uint32) error {
	return s.trap.mkdirat(dir, name, mode&^0o077)
}

// TestFoldersForAll: what the plan makes for all users is open to them, and what is made
// in a folder of a group stays with the group.
func TestFoldersForAll(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	must(t, os.Chmod(p.root, 0o755|fs.ModeSetgid))
	before := p.tree(t)
	j, err := open(p.state, disk{&secretive{}}, clock)
	must(t, err)
	defer func() { _ = j.Close() }()
	e, err := j.Begin(Entry{}, []Act{
		{Kind: MakeDir, Path: p.file("rules.d"), Before: Image{Absent: true}, Mode: 0o755},
		{Kind: MakeDir, Path: p.file("mine"), Before: Image{Absent: true}, Mode: 0o700},
	})
	must(t, err)
	must(t, j.Apply(e))
	for name, want := range map[string]uint32{"rules.d": 0o755, "mine": 0o700} {
		var st unix.Stat_t
		must(t, unix.Stat(p.file(name), &st))
		if st.Mode&0o7777 != want|unix.S_ISGID {
			t.Errorf("%s is %04o", name, st.Mode&0o7777)
		}
	}
	conflicts, err := j.Undo(e)
	if err != nil || len(conflicts) > 0 {
		t.Errorf("undo: %v, %v", conflicts, err)
	}
	sameTree(t, "undone", p.tree(t), before)
}

// TestFoldersInUse: a folder that a program filled stays, and is named once, not once more
// for each folder above that was made for it.
func TestFoldersInUse(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	j, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	defer func() { _ = j.Close() }()
	var acts []Act
	for _, name := range []string{"own", "own/kernels", "own/tuning"} {
		acts = append(acts, Act{Kind: MakeDir, Path: p.file(name), Before: Image{Absent: true}, Mode: 0o700})
	}
	e, err := j.Begin(Entry{}, acts)
	must(t, err)
	must(t, j.Apply(e))
	must(t, os.WriteFile(p.file("own/kernels/a.ukdb"), nil, 0o600))
	conflicts, err := j.Undo(e)
	if err != nil || len(conflicts) != 1 || conflicts[0].Path != p.file("own/kernels") || e.Status != Kept {
		t.Errorf("undo: %v, %v; the entry is %s", conflicts, err, e.Status)
	}
	must(t, os.Remove(p.file("own/kernels/a.ukdb")))
	if conflicts, err := j.Undo(e); err != nil || len(conflicts) > 0 || e.Status != Undone {
		t.Errorf("undo once more: %v, %v; the entry is %s", conflicts, err, e.Status)
	}
	if _, err := os.Lstat(p.file("own")); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
}
