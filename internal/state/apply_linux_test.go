package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A trap makes real calls, but the n-th of them fails; where it is dead, all
// later ones fail as well, as if the process had ended.
type trap struct {
	kernel
	at, count int
	dead      bool
	err       error
	said      string // the call that failed
	commands  func(argv []string) (string, error)
	hook      func(n int) error // is called before the n-th call
	plain     bool              // names are changed as network file systems can: see plain_linux_test.go
	single    bool              // and a file has one name only
	moves     []int             // the calls that changed names
}

func (p *trap) hit(call string) error {
	p.count++
	if p.hook != nil {
		if err := p.hook(p.count); err != nil {
			return err
		}
	}
	if p.count == p.at || p.dead && p.at > 0 && p.count > p.at {
		if p.said == "" {
			p.said = call
		}
		return p.err
	}
	return nil
}

func (p *trap) openat(dir int, name string, flags int, mode uint32) (int, error) {
	if err := p.hit("openat " + name); err != nil {
		return -1, err
	}
	return p.kernel.openat(dir, name, flags, mode)
}

// closeFile always closes: a test must not run out of handles.
func (p *trap) closeFile(fd int) error { return errors.Join(p.kernel.closeFile(fd), p.hit("close")) }

func (p *trap) fstat(fd int) (unix.Stat_t, error) {
	if err := p.hit("fstat"); err != nil {
		return unix.Stat_t{}, err
	}
	return p.kernel.fstat(fd)
}

func (p *trap) read(fd int) ([]byte, error) {
	if err := p.hit("read"); err != nil {
		return nil, err
	}
	return p.kernel.read(fd)
}

func (p *trap) pread(fd int, buf []byte, off int64) (int, error) {
	if err := p.hit("pread"); err != nil {
		return 0, err
	}
	return p.kernel.pread(fd, buf, off)
}

// write fails half-way, as a full disk does.
func (p *trap) write(fd int, data []byte) error {
	if err := p.hit("write"); err != nil {
		if p.count == p.at {
			_ = p.kernel.write(fd, data[:len(data)/2])
		}
		return err
	}
	return p.kernel.write(fd, data)
}

// fsync only counts: these tests end calls, not the power.
func (p *trap) fsync(int) error { return p.hit("fsync") }

func (p *trap) guard(call string, do func() error) error {
	if err := p.hit(call); err != nil {
		return err
	}
	return do()
}

func (p *trap) fchmod(fd int, mode uint32) error {
	return p.guard("fchmod", func() error { return p.kernel.fchmod(fd, mode) })
}

func (p *trap) fchown(fd int, uid, gid uint32) error {
	return p.guard("fchown", func() error { return p.kernel.fchown(fd, uid, gid) })
}

func (p *trap) utimes(fd int, access, change Moment) error {
	return p.guard("utimes", func() error { return p.kernel.utimes(fd, access, change) })
}

func (p *trap) listxattr(fd int) ([]string, error) {
	if err := p.hit("listxattr"); err != nil {
		return nil, err
	}
	return p.kernel.listxattr(fd)
}

func (p *trap) getxattr(fd int, name string) ([]byte, error) {
	if err := p.hit("getxattr"); err != nil {
		return nil, err
	}
	return p.kernel.getxattr(fd, name)
}

func (p *trap) hasxattr(fd int, name string) (bool, error) {
	if err := p.hit("hasxattr"); err != nil {
		return false, err
	}
	return p.kernel.hasxattr(fd, name)
}

func (p *trap) setxattr(fd int, name string, value []byte) error {
	return p.guard("setxattr", func() error { return p.kernel.setxattr(fd, name, value) })
}

func (p *trap) removexattr(fd int, name string) error {
	return p.guard("removexattr", func() error { return p.kernel.removexattr(fd, name) })
}

func (p *trap) flags(fd int) (uint32, error) {
	if err := p.hit("flags"); err != nil {
		return 0, err
	}
	return p.kernel.flags(fd)
}

func (p *trap) setFlags(fd int, flags uint32) error {
	return p.guard("setFlags", func() error { return p.kernel.setFlags(fd, flags) })
}

func (p *trap) rename(dir int, from, to string, flags uint) error {
	return p.guard("rename "+to, func() error {
		p.moves = append(p.moves, p.count)
		if p.plain && flags != 0 {
			return unix.EINVAL
		}
		return p.kernel.rename(dir, from, to, flags)
	})
}

func (p *trap) link(dir int, from, to string) error {
	return p.guard("link "+to, func() error {
		p.moves = append(p.moves, p.count)
		if p.single {
			return unix.EPERM
		}
		return p.kernel.link(dir, from, to)
	})
}

func (p *trap) unlink(dir int, name string, folder bool) error {
	return p.guard("unlink "+name, func() error { return p.kernel.unlink(dir, name, folder) })
}

func (p *trap) mkdirat(dir int, name string, mode uint32) error {
	return p.guard("mkdirat "+name, func() error { return p.kernel.mkdirat(dir, name, mode) })
}

func (p *trap) names(fd int) ([]string, error) {
	if err := p.hit("names"); err != nil {
		return nil, err
	}
	return p.kernel.names(fd)
}

func (p *trap) flock(fd int) error {
	return p.guard("flock", func() error { return p.kernel.flock(fd) })
}

func (p *trap) run(argv []string) (string, error) {
	if err := p.hit("run " + argv[0]); err != nil {
		return "", err
	}
	if p.commands != nil {
		return p.commands(argv)
	}
	return pretend(argv)
}

// perform plans and applies, through a disk that may fail.
func (p plot) perform(t *testing.T, d *trap) error {
	t.Helper()
	acts := p.acts(t)
	j, err := open(p.state, disk{d}, clock)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	e, err := j.Begin(Entry{Version: "test", Titles: []string{"Try"}}, acts)
	if err != nil {
		return err
	}
	return j.Apply(e)
}

// takeBackLast undoes the last entry, through a disk that may fail.
func (p plot) takeBackLast(t *testing.T, d *trap) error {
	t.Helper()
	j, err := open(p.state, disk{d}, clock)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	entries, err := j.Entries()
	if err != nil || len(entries) == 0 {
		return errors.Join(err, errors.New("no entry"))
	}
	conflicts, err := j.Undo(&entries[len(entries)-1])
	for _, c := range conflicts {
		err = errors.Join(err, c)
	}
	return err
}

// recoverAll is what the next run does first.
func (p plot) recoverAll(t *testing.T, d *trap) {
	t.Helper()
	j, err := open(p.state, disk{d}, clock)
	must(t, err)
	defer func() { _ = j.Close() }()
	if _, err := j.Recover(); err != nil {
		t.Fatal(err)
	}
	entries, err := j.Entries()
	must(t, err)
	for _, e := range entries {
		if e.Open() {
			t.Errorf("%s is still %s", e.ID, e.Status)
		}
	}
}

func (p plot) standing(t *testing.T) bool {
	t.Helper()
	entries, err := Read(p.state)
	must(t, err)
	return len(entries) > 0 && entries[len(entries)-1].Standing()
}

func TestApplyAndUndoAreExact(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	before := p.tree(t)
	must(t, p.perform(t, &trap{}))
	during := p.tree(t)
	for name, want := range map[string]string{"/.bashrc": "-rw-r--r--", "/.zshrc": "-rw-------", "/cache.ukdb.aside": "-rw-r-----", "/new/file": "-rw-------", "/etc/group-": "-rw-r--r--"} {
		if !strings.HasPrefix(during[name], want) {
			t.Errorf("%s is %q, want mode %s", name, during[name], want)
		}
	}
	bash, err := os.ReadFile(p.file(".bashrc"))
	must(t, err)
	if !strings.HasPrefix(string(bash), "# changed\n") || p.image() != sumOf(bash) {
		t.Errorf("the change did not arrive: %.20q, image %s", bash, p.image())
	}
	if !strings.HasSuffix(during["/.bashrc"], " .bashrc") {
		t.Errorf("the attribute of .bashrc is lost: %q", during["/.bashrc"])
	}
	must(t, p.takeBackLast(t, &trap{}))
	sameTree(t, "after undo", p.tree(t), before)
	bash, err = os.ReadFile(p.file(".bashrc"))
	must(t, err)
	if p.image() != sumOf(bash) {
		t.Error("the image was not made anew from the old file")
	}
}

// TestEveryCallFails lets each system call of apply fail once, alone and with
// all that follow, and wants the machine as it was.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	for part := 1; part <= parts; part++ {
		dry, first := &trap{}, newPlot(t)
		first.part = part
		must(t, first.perform(t, dry))
		if dry.count < 50 {
			t.Fatalf("apply made %d calls; the trap does not see them", dry.count)
		}
		t.Logf("%d calls of apply", dry.count)
		atEach(t, dry.count, func(t *testing.T, d *trap) {
			p := newPlot(t)
			p.part = part
			before := p.tree(t)
			err := p.perform(t, d)
			p.recoverAll(t, &trap{})
			if p.standing(t) {
				must(t, p.takeBackLast(t, &trap{}))
			} else if err == nil {
				t.Errorf("%s: apply reports success and nothing stands", d.said)
			}
			sameTree(t, "apply, "+d.said, p.tree(t), before)
		})
	}
}

// atEach tries something with a trap at each of the calls, and at every third
// with all that follow: what a kill leaves is the question of TestKill, too.
func atEach(t *testing.T, calls int, try func(*testing.T, *trap)) {
	t.Helper()
	const workers = 4
	for part := range workers {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for at := 1 + part; at <= calls; at += workers {
				try(t, &trap{at: at, err: unix.EIO})
				if at%3 == part%3 {
					try(t, &trap{at: at, err: unix.ENOSPC, dead: true})
				}
			}
		})
	}
}

// TestEveryCallOfUndoFails does the same to undo: afterwards everything is as it
// was before the cure, or a second undo brings it there.
func TestEveryCallOfUndoFails(t *testing.T) {
	t.Parallel()
	for part := 1; part <= parts; part++ {
		first, dry := newPlot(t), &trap{}
		first.part = part
		must(t, first.perform(t, &trap{}))
		must(t, first.takeBackLast(t, dry))
		t.Logf("%d calls of undo", dry.count)
		atEach(t, dry.count, func(t *testing.T, d *trap) {
			p := newPlot(t)
			p.part = part
			before := p.tree(t)
			must(t, p.perform(t, &trap{}))
			_ = p.takeBackLast(t, d) // what it says is not the question
			p.recoverAll(t, &trap{})
			if p.standing(t) {
				must(t, p.takeBackLast(t, &trap{}))
			}
			sameTree(t, "undo, "+d.said, p.tree(t), before)
		})
	}
}

func TestFailedStepIsRolledBack(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	before := p.tree(t)
	acts := append(p.acts(t), Act{Kind: Run, Argv: []string{"/bin/nonsense", "x"}})
	j, err := open(p.state, disk{&trap{}}, clock)
	must(t, err)
	e, err := j.Begin(Entry{}, acts)
	must(t, err)
	var rolled *RollbackError
	if err := j.Apply(e); !errors.As(err, &rolled) {
		t.Fatalf("Apply: %v, want a rollback", err)
	}
	must(t, j.Close())
	sameTree(t, "rolled back", p.tree(t), before)
	entries, err := Read(p.state)
	must(t, err)
	if len(entries) != 1 || entries[0].Status != RolledBack || entries[0].ID != "2026-11-15-1" {
		t.Errorf("the journal holds %+v, want one attempt that was rolled back", entries)
	}
	if left, _ := filepath.Glob(p.file(".rocsmith-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
