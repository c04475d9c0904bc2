package launch

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNothingIsHeldOpenWhereTheCommandDidNotStart: who still has the other end of a
// pipe learns that nobody reads it.
func TestNothingIsHeldOpenWhereTheCommandDidNotStart(t *testing.T) {
	t.Parallel()
	_, stdout := pipeOf(t)
	_, stderr := pipeOf(t)
	o, err := openOutputs(Streams{Stdin: devNull(t), Stdout: stdout, Stderr: stderr})
	if err != nil {
		t.Fatal(err)
	}
	var theirs []*os.File
	for _, f := range []*os.File{o.stdout, o.stderr} {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, os.NewFile(uintptr(fd), "theirs"))
	}
	syscall.ForkLock.RLock() // a process that another test starts holds the readers until it executes its program
	o.finish()
	syscall.ForkLock.RUnlock()
	for _, f := range theirs {
		if _, err := f.WriteString("x"); !errors.Is(err, unix.EPIPE) {
			t.Errorf("written: %v", err)
		}
		_ = f.Close()
	}
}

// TestNoNewSizeAfterTheEnd: the number of a closed terminal may be another's.
func TestNoNewSizeAfterTheEnd(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	o, err := openOutputs(Streams{Stdin: term.slave, Stdout: term.slave, Stderr: term.slave})
	if err != nil {
		t.Fatal(err)
	}
	if o.screen == nil {
		t.Fatal(o.unseen)
	}
	term.size(50, 60)
	if !o.screen.resize() {
		t.Error("the new size was not seen")
	}
	o.finish()
	term.size(70, 80)
	if o.screen.resize() || o.screen.master >= 0 {
		t.Errorf("the closed terminal %d was given a size", o.screen.master)
	}
}

// TestErrorsComeLast wherever they go.
func TestErrorsComeLast(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	r, w := pipeOf(t)
	out := readAll(r)
	end, err := Run(sh("echo why >&2; echo result"), Streams{Stdin: devNull(t), Stdout: w, Stderr: file})
	_ = w.Close()
	if got := <-out; err != nil || got != "result\n" || string(end.Tail) != "result\nwhy\n" {
		t.Errorf("%q, %q kept (%v)", got, end.Tail, err)
	}
}

// TestAQuietCommandTakesNoMore of what the user's pipes may hold together than it
// would without rocsmith.
func TestAQuietCommandTakesNoMore(t *testing.T) {
	t.Parallel()
	r, w := pipeOf(t)
	out := readAll(r)
	held := func() int {
		size, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		return size
	}
	before := held()
	if _, err := Run(sh("echo one; sleep 0.01; echo two"), Streams{Stdin: devNull(t), Stdout: w, Stderr: devNull(t)}); err != nil {
		t.Fatal(err)
	}
	after := held()
	_ = w.Close()
	if got := <-out; got != "one\ntwo\n" || after != before {
		t.Errorf("%q; the pipe held %d bytes, and holds %d", got, before, after)
	}
}
