package state

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// A village is a disk whose files belong to others than they do, by their names:
// only root could make such files.
type village struct {
	kernel
	of map[uint64]unix.Stat_t // by inode
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
