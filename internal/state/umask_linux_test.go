package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFoldersForAll: a folder of the system is open to all users though it was made with
// the umask 077, and stays with the group that the one above gave it.
func TestFoldersForAll(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		made       fs.FileMode
		want, mode uint32
	}{
		"closed":     {0o700, 0o755, 0o755},
		"of a group": {0o700 | fs.ModeSetgid, 0o755, 0o755 | unix.S_ISGID},
		"open":       {0o755, 0o755, 0o755},
	} {
		folder := filepath.Join(t.TempDir(), "rules.d")
		must(t, os.Mkdir(folder, 0o700))
		must(t, os.Chmod(folder, tc.made))
		d := disk{kernel{}}
		fd, err := d.openat(unix.AT_FDCWD, folder, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		must(t, err)
		made, err := d.image(fd, folder, false)
		must(t, err)
		must(t, d.unmask(fd, made, tc.want))
		d.release(fd)
		var st unix.Stat_t
		must(t, unix.Stat(folder, &st))
		if st.Mode&0o7777 != tc.mode {
			t.Errorf("%s: it is %04o, want %04o", name, st.Mode&0o7777, tc.mode)
		}
	}
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
