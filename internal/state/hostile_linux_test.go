package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// restarted is the disk after a start of the machine: btrfs, ZFS, overlays and
// network file systems give their devices new numbers.
type restarted struct{ trap }

func (r *restarted) fstat(fd int) (unix.Stat_t, error) {
	st, err := r.trap.fstat(fd)
	st.Dev += 7
	return st, err
}

// TestUndoAfterARestart: nothing counts as another file because its device has
// another number.
func TestUndoAfterARestart(t *testing.T) {
	t.Parallel()
	for part := 1; part <= parts; part++ {
		p := newPlot(t)
		p.part = part
		before := p.tree(t)
		must(t, p.perform(t, &trap{}))
		j, err := open(p.state, disk{&restarted{}}, clock)
		must(t, err)
		entries, err := j.Entries()
		must(t, err)
		if conflicts, err := j.Undo(&entries[0]); err != nil || len(conflicts) > 0 {
			t.Errorf("part %d: %v, %v", part, conflicts, err)
		}
		sameTree(t, "undone after a restart", p.tree(t), before)
		must(t, j.Close())
	}
}

// TestAnotherFileAfterARestart: a file of the same name and number that is not the
// one that was moved stays where it is.
func TestAnotherFileAfterARestart(t *testing.T) {
	t.Parallel()
	noted := Image{Inode: 1, Device: 2, Size: 3, Change: Moment{Seconds: 4}}
	for name, i := range map[string]Image{
		"another number": {Inode: 2, Device: 9, Size: 3, Change: Moment{Seconds: 4}},
		"another size":   {Inode: 1, Device: 9, Size: 4, Change: Moment{Seconds: 4}},
		"another time":   {Inode: 1, Device: 9, Size: 3, Change: Moment{Seconds: 5}},
		"a folder":       {Inode: 1, Device: 9, Folder: true},
		"nothing":        {Absent: true},
	} {
		if i.isNoted(noted) {
			t.Errorf("%s is taken for the same file", name)
		}
	}
}

// TestTimesOfTheEpoch: files of images that are built to be the same everywhere are
// of 1970, and undo brings that back too.
func TestTimesOfTheEpoch(t *testing.T) {
	t.Parallel()
	for _, when := range []time.Time{time.Unix(0, 0), time.Unix(0, 1), time.Unix(-1, 0), time.Date(2106, 2, 7, 6, 28, 16, 0, time.UTC)} {
		p := newPlot(t)
		must(t, os.Chtimes(p.file(".bashrc"), when, when))
		before := p.tree(t)
		must(t, p.try(t, p.acts(t)[0]))
		must(t, p.takeBackLast(t, &trap{}))
		sameTree(t, when.String(), p.tree(t), before)
	}
}

// TestNamesThatAreNoText: the journal is text. A name that it cannot hold could not
// be found again by undo.
func TestNamesThatAreNoText(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	name := p.file("caf\xe9")
	if err := os.WriteFile(name, []byte("x\n"), 0o600); err != nil {
		t.Skipf("no such name here: %v", err)
	}
	if _, _, err := Look(name, true); err == nil || !strings.Contains(err.Error(), `caf\xe9`) {
		t.Errorf("look: %v", err)
	}
	before := p.tree(t)
	for _, a := range []Act{
		{Kind: Write, Path: name, New: []byte("y\n")}, {Kind: Move, Path: name, To: name + ".aside"},
		{Kind: Run, Argv: []string{"/bin/true", "caf\xe9"}}, {Kind: Run, Argv: []string{"/bin/true"}, Back: []string{"/bin/true", "caf\xe9"}},
	} {
		if err := p.try(t, a); err == nil {
			t.Errorf("%s is done", a.Kind)
		}
	}
	sameTree(t, "refused", p.tree(t), before)

	// A new line in a name is text, and goes there and back.
	must(t, os.WriteFile(p.file("a\nb"), []byte("x\n"), 0o600))
	place, image, err := Look(p.file("a\nb"), true)
	must(t, err)
	before = p.tree(t)
	must(t, p.try(t, Act{Kind: Write, Path: place, Before: image, New: []byte("y\n")}))
	must(t, p.takeBackLast(t, &trap{}))
	sameTree(t, "a new line in a name", p.tree(t), before)
}

// TestLongNames: what is prepared beside a file has a name that the disk takes.
func TestLongNames(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	name := p.file(strings.Repeat("界", 80))
	must(t, os.WriteFile(name, []byte("x\n"), 0o600))
	place, image, err := Look(name, true)
	must(t, err)
	before := p.tree(t)
	must(t, p.try(t, Act{Kind: Write, Path: place, Before: image, New: []byte("y\n")}))
	must(t, p.takeBackLast(t, &trap{}))
	sameTree(t, "a long name", p.tree(t), before)
}

// flagged is a disk whose files have flags, as only root could set all of them.
type flagged struct {
	trap
	is  uint32
	set []uint32
}

func (f *flagged) flags(int) (uint32, error) { return f.is, nil }

func (f *flagged) setFlags(_ int, flags uint32) error {
	f.set = append(f.set, flags)
	return nil
}

// TestFlags: a locked file is named as such before anything is tried, and the flags
// of others go to what takes their place, there and back.
func TestFlags(t *testing.T) {
	t.Parallel()
	const extents = 0x80000 // of the file system's own
	for flags, want := range map[uint32]string{
		0: "", extents: "", flagImmutable: "immutable", flagAppend: "appended", flagNoDump | extents: "kept", flagSync | flagNoAccess: "kept",
	} {
		p := newPlot(t)
		d := &flagged{is: flags}
		j, err := open(p.state, disk{d}, clock)
		must(t, err)
		e, err := j.Begin(Entry{}, p.acts(t)[:1])
		must(t, err)
		err = j.Apply(e)
		if locked := flags&(flagImmutable|flagAppend) != 0; locked != (err != nil) || locked && !strings.Contains(err.Error(), want) {
			t.Errorf("%#x: %v", flags, err)
		}
		if err == nil {
			_, err = j.Undo(e)
			must(t, err)
		}
		if kept := want == "kept"; kept != (len(d.set) == 2) || kept && (d.set[0] != flags || d.set[1] != flags) {
			t.Errorf("%#x: set %#x", flags, d.set)
		}
		must(t, j.Close())
	}
}

// TestNewerJournal: what a newer rocsmith wrote is whole, and nobody is told to put
// it away.
func TestNewerJournal(t *testing.T) {
	t.Parallel()
	for name, newer := range map[string]func(sealed string) string{
		"a new head": func(s string) string { return strings.Replace(s, "rocsmith journal 1 ", "rocsmith journal 2 ", 1) },
		"a new schema": func(s string) string {
			body := strings.Replace(s[strings.Index(s, "\n")+1:], `"schema": 1`, `"schema": 2`, 1)
			return magic + sumOf([]byte(body)) + "\n" + body
		},
	} {
		p := newPlot(t)
		must(t, p.perform(t, &trap{}))
		file := filepath.Join(p.state, "journal", "2026-11-15-1.entry")
		data, err := os.ReadFile(file)
		must(t, err)
		must(t, os.WriteFile(file, []byte(newer(string(data))), 0o600))
		before := p.tree(t)
		var later *NewerError
		if err := p.takeBackLast(t, &trap{}); !errors.As(err, &later) || strings.Contains(err.Error(), "damaged") || strings.Contains(err.Error(), "aside") || !strings.Contains(err.Error(), "newer rocsmith") {
			t.Errorf("%s: %v", name, err)
		}
		sameTree(t, name, p.tree(t), before)
	}
}

// A swapper is somebody who owns the folder in which root makes another, and puts
// one of root's in its place at once.
type swapper struct {
	trap
	secret string
}

func (s *swapper) mkdirat(dir int, name string, mode uint32) error {
	if err := s.trap.mkdirat(dir, name, mode); err != nil || s.secret == "" {
		return err
	}
	place := filepath.Join(filepath.Dir(s.secret), name)
	return errors.Join(os.Remove(place), os.Rename(s.secret, place))
}

// TestAFolderOfRootIsNotGivenAway: a folder that took the place of the one that was
// made does not get its owner.
func TestAFolderOfRootIsNotGivenAway(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	secret := p.file("secret")
	must(t, os.Mkdir(secret, 0o700))
	must(t, os.WriteFile(filepath.Join(secret, "key"), nil, 0o600))
	d := disk{&swapper{secret: secret}}
	s := Step{Act: Act{Kind: MakeDir, Path: p.file("fresh"), Mode: 0o700}}
	err := d.within(s.Path, func(dir int, name string) error { return d.makeDir(dir, name, &s) })
	if !errors.Is(err, ErrChanged) {
		t.Errorf("make a folder: %v", err)
	}
}

// tricks are what somebody who owns the folder above puts in the place of the one
// that the plan is about.
var tricks = map[string]func(p plot, victim string) error{
	"a link": func(p plot, victim string) error {
		return errors.Join(os.Rename(p.root, p.root+".away"), os.Symlink(victim, p.root))
	},
	"another folder": func(p plot, victim string) error {
		return errors.Join(os.Rename(p.root, p.root+".away"), os.Mkdir(p.root, 0o755), os.Link(filepath.Join(victim, ".bashrc"), p.file(".bashrc")))
	},
	"nothing": func(p plot, _ string) error { return os.Rename(p.root, p.root+".away") },
}

// TestWhoOwnsTheFolder: whenever somebody puts something else in the place of the
// folder, fix and undo do nothing to what the path leads to then.
func TestWhoOwnsTheFolder(t *testing.T) {
	t.Parallel()
	whole := &trap{}
	plain := newPlot(t)
	plain.thereAndBack(t, whole)
	for name, trick := range tricks {
		for at := 1; at <= whole.count; at += 8 {
			p := newPlot(t)
			victim := filepath.Join(filepath.Dir(p.root), "victim")
			must(t, os.Mkdir(victim, 0o755))
			for _, file := range []string{".bashrc", ".zshrc", "cache.ukdb"} {
				data, err := os.ReadFile(p.file(file))
				must(t, err)
				must(t, os.WriteFile(filepath.Join(victim, file), data, 0o600))
			}
			before := plot{root: victim}.tree(t)
			p.thereAndBack(t, &trap{hook: func(n int) error {
				if n != at {
					return nil
				}
				return trick(p, victim)
			}})
			sameTree(t, name, plot{root: victim}.tree(t), before)
			if t.Failed() {
				t.Fatalf("%s, before call %d", name, at)
			}
		}
	}
}

// thereAndBack applies the acts on files and undoes them, however that ends.
func (p plot) thereAndBack(t *testing.T, d *trap) {
	t.Helper()
	acts := p.acts(t)[:4]
	j, err := open(p.state, disk{d}, clock)
	must(t, err)
	defer func() { _ = j.Close() }()
	e, err := j.Begin(Entry{}, acts)
	must(t, err)
	if j.Apply(e) == nil {
		_, _ = j.Undo(e) // what it leaves is not the question here
	}
}

// TestRightsOfRootDoNotTravel: who gets a file that runs as root could write into it,
// and undo would give it its right again.
func TestRightsOfRootDoNotTravel(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	file := filepath.Join(dir, "tool")
	must(t, os.WriteFile(file, nil, 0o600))
	for mode, refused := range map[uint32]bool{0o755: false, 0o4755: true, 0o2755: true, 0o1755: false} {
		must(t, unix.Chmod(file, mode))
		_, err := disk{village{}}.owners(&Step{Act: Act{Path: dir, UID: 1000, GID: 1000}})
		if (err != nil) != refused {
			t.Errorf("%04o: %v", mode, err)
		}
	}
	// A journal of an older version may hold one that went.
	must(t, unix.Chmod(file, 0o755))
	var st unix.Stat_t
	must(t, unix.Stat(file, &st))
	theirs := village{of: map[uint64]unix.Stat_t{st.Ino: {Uid: 1000, Gid: 1000}}}
	must(t, disk{theirs}.undoOwn(&Step{Act: Act{UID: 1000, GID: 1000}, Owners: []Owned{{Path: file, Mode: 0o4755, Inode: st.Ino}}}))
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o755 {
		t.Errorf("undo made it %v (%v)", info.Mode(), err)
	}
	must(t, unix.Chmod(file, 0o644))
	must(t, unix.Chmod(dir, 0o2755)) // of a folder it is no right of anybody's
	if owners, err := (disk{village{}}).owners(&Step{Act: Act{Path: dir, UID: 1000, GID: 1000}}); err != nil || len(owners) != 2 {
		t.Errorf("a folder: %v, %v", owners, err)
	}
}
