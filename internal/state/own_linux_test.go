package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A village is a disk whose files belong to others than they do, by their names:
// only root could make such files.
type village struct {
	kernel
	of      map[uint64]unix.Stat_t // by inode
	capable uint64                 // the inode of a file with capabilities
}

func (v village) hasxattr(fd int, _ string) (bool, error) {
	st, err := v.kernel.fstat(fd)
	return st.Ino == v.capable, err
}

func (v village) fstat(fd int) (unix.Stat_t, error) {
	st, err := v.kernel.fstat(fd)
	other := v.of[st.Ino]
	st.Uid, st.Gid = other.Uid, other.Gid
	st.Dev += other.Dev
	return st, err
}

func (village) fchown(int, uint32, uint32) error { return nil }

// TestOnlyRootsFilesChangeHands: what other users keep below the folder is theirs,
// and what is mounted there is not in it.
func TestOnlyRootsFilesChangeHands(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	v := village{of: map[uint64]unix.Stat_t{}}
	for name, is := range map[string]unix.Stat_t{
		"root": {}, "ada": {Uid: 1000, Gid: 1000}, "bob": {Uid: 1001, Gid: 1001}, "mounted": {Dev: 1},
	} {
		folder := filepath.Join(dir, name)
		must(t, os.Mkdir(folder, 0o755))
		must(t, os.WriteFile(filepath.Join(folder, "of-root"), nil, 0o600))
		var st unix.Stat_t
		must(t, unix.Stat(folder, &st))
		v.of[st.Ino] = is
		if is.Dev > 0 {
			must(t, unix.Stat(filepath.Join(folder, "of-root"), &st))
			v.of[st.Ino] = is
		}
	}
	owners, err := disk{v}.owners(&Step{Act: Act{Path: dir, UID: 1000, GID: 1000}})
	must(t, err)
	var got []string
	for _, o := range owners {
		name, err := filepath.Rel(dir, o.Path)
		must(t, err)
		got = append(got, name)
	}
	if want := []string{".", "root", "ada/of-root", "root/of-root"}; !slices.Equal(got, want) {
		t.Errorf("these change hands: %q, want %q", got, want)
	}
}

// TestCapabilitiesStay: the kernel takes them from a file that changes hands, and undo
// has no safe way to give them back, so none that has them does.
func TestCapabilitiesStay(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	file := filepath.Join(dir, "ping")
	must(t, os.WriteFile(file, nil, 0o755))
	var st, above unix.Stat_t
	must(t, unix.Stat(file, &st))
	must(t, unix.Stat(dir, &above))
	v := village{of: map[uint64]unix.Stat_t{st.Ino: {}, above.Ino: {}}, capable: st.Ino}
	_, err = disk{v}.owners(&Step{Act: Act{Path: dir, UID: 1000, GID: 1000}})
	if err == nil || !strings.Contains(err.Error(), file+" runs with capabilities") {
		t.Errorf("it changes hands: %v", err)
	}
}

// TestRealCapabilitiesStay asks the kernel.
func TestRealCapabilitiesStay(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	p := newPlot(t)
	file := p.file("owned/deep/b")
	raw := []byte{1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // cap_net_raw=ep, in the form of linux/capability.h
	if err := unix.Setxattr(file, "security.capability", raw, 0); err != nil {
		t.Skipf("no capabilities on files here: %v", err)
	}
	before := p.tree(t)
	own := Act{Kind: Own, Path: p.file("owned"), UID: stranger(), GID: stranger()}
	if err := p.try(t, own); err == nil || !strings.Contains(err.Error(), "capabilities") {
		t.Errorf("it changes hands: %v", err)
	}
	sameTree(t, "refused", p.tree(t), before)
	if got, err := unix.Getxattr(file, "security.capability", make([]byte, 64)); err != nil || got != len(raw) {
		t.Errorf("%d bytes of capabilities are left, %v", got, err)
	}
	must(t, unix.Removexattr(file, "security.capability"))
	must(t, p.try(t, own))
	must(t, p.takeBackLast(t, &trap{}))
	sameTree(t, "undone", p.tree(t), before)
}

// TestEntriesOfOthers: what stands in the journal is done at an undo, so an entry that
// somebody else wrote is none.
func TestEntriesOfOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	p := newPlot(t)
	must(t, p.perform(t, &trap{}))
	file := filepath.Join(p.state, "journal", "2026-11-15-1.entry")
	must(t, os.Chown(file, 1234, 1234))
	var damaged *DamagedError
	if _, err := Read(p.state); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "uid 1234") {
		t.Errorf("it is read: %v", err)
	}
	must(t, os.Chown(file, 0, 0))
	if _, err := Read(p.state); err != nil {
		t.Error(err)
	}
}
