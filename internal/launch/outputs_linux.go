package launch

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// outputs are what the command writes to, and how that reaches rocsmith's own
// streams. A file is handed on as it is, and its end read afterwards; what is
// thrown away or an odd device too. A pipe or socket is reached through a pipe, a
// terminal through a terminal, so that the command sees the same kind.
type outputs struct {
	stdout, stderr *os.File // for the command
	theirs         []*os.File
	relays         []*relay
	screen         *screen
	files          []writtenFile
	unseen         []string
	seen           []seen // in the order of the streams; of each its own, so that a flood of one does not wash away the other
	ended          [2]int // a pipe, which is closed at the end of the command
	released       [2]int // one that is closed when nobody wants to wait for the readers
	running        sync.WaitGroup
	finished       sync.Once
	toRelease      sync.Once
	broken         atomic.Bool // a reader went away
	passOn         []string
	attended       bool // by a person who sits at a shell
}

// A seen stream is one whose beginning and end can be had afterwards.
type seen struct {
	name string
	read func() (text []byte, lost int64, err error)
}

// A way is how a stream is handed on.
type way int

const (
	asItIs way = iota
	asItIsAndRead
	throughPipe
	throughTerminal
)

func wayOf(fd int) (way, unix.Stat_t) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return asItIs, st
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return asItIsAndRead, st
	case unix.S_IFIFO, unix.S_IFSOCK:
		return throughPipe, st
	case unix.S_IFCHR:
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
			return throughTerminal, st
		}
	}
	return asItIs, st
}

func openOutputs(s Streams) (*outputs, error) {
	o := &outputs{ended: [2]int{-1, -1}, released: [2]int{-1, -1}, passOn: s.PassOn}
	in, _ := wayOf(int(s.Stdin.Fd()))
	errs, _ := wayOf(int(s.Stderr.Fd()))
	o.attended = s.attended && in == throughTerminal && errs == throughTerminal
	err := unix.Pipe2(o.ended[:], unix.O_CLOEXEC)
	if err == nil {
		err = unix.Pipe2(o.released[:], unix.O_CLOEXEC)
	}
	if err != nil {
		o.finish()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if o.stdout, err = o.open(s.Stdout, "standard output"); err != nil {
		o.finish()
		return nil, err
	}
	if same(s.Stdout, s.Stderr) { // one of them, so that the order is kept
		o.stderr = o.stdout
		return o, nil
	}
	if o.stderr, err = o.open(s.Stderr, "standard error"); err != nil {
		o.finish()
		return nil, err
	}
	return o, nil
}

// same reports whether two streams end in one place: cmd 2>&1, or one terminal, of
// which /dev/tty is a second name.
func same(a, b *os.File) bool {
	one, x := wayOf(int(a.Fd()))
	other, y := wayOf(int(b.Fd()))
	if one == throughTerminal && other == throughTerminal {
		device, err := unix.IoctlGetInt(int(a.Fd()), unix.TIOCGDEV)
		second, too := unix.IoctlGetInt(int(b.Fd()), unix.TIOCGDEV)
		if err == nil && too == nil {
			return device == second
		}
	}
	return x.Dev == y.Dev && x.Ino == y.Ino && x.Mode&unix.S_IFMT != unix.S_IFREG
}

func (o *outputs) open(f *os.File, name string) (*os.File, error) {
	fd := int(f.Fd())
	switch w, st := wayOf(fd); w {
	case asItIsAndRead:
		if !slices.ContainsFunc(o.files, func(w writtenFile) bool { return w.dev == st.Dev && w.ino == st.Ino }) {
			written := writtenFileAt(fd, st)
			o.files, o.seen = append(o.files, written), append(o.seen, seen{name, written.written})
		}
		return f, nil
	case throughPipe:
		return o.pipe(fd)
	case throughTerminal:
		if o.attended {
			return f, nil
		}
		slave, err := o.terminal(fd)
		if err != nil { // no terminal to be had: the command's output matters more than what is kept of it
			o.unseen = append(o.unseen, fmt.Sprintf("%s: no terminal could be made: %v", name, err))
			return f, nil
		}
		return slave, nil
	default:
		o.unseen = append(o.unseen, name+" went to a device, and was not looked at")
		return f, nil
	}
}

func (o *outputs) pipe(to int) (*os.File, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	theirs := os.NewFile(uintptr(p[1]), "pipe")
	o.theirs = append(o.theirs, theirs)
	// The reading end alone does not block; that of the command is another open file.
	if err := unix.SetNonblock(p[0], true); err != nil {
		_ = unix.Close(p[0])
		return nil, fmt.Errorf("set up a pipe: %w", err)
	}
	return theirs, o.carry(p[0], to, nil)
}

func (o *outputs) terminal(to int) (*os.File, error) {
	s, err := openScreen(to)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(s.slave), "terminal")
	o.theirs = append(o.theirs, theirs)
	if err := o.carry(s.master, to, s); err != nil {
		return nil, err
	}
	o.screen = s
	return theirs, nil
}

func (o *outputs) carry(from, to int, s *screen) error {
	k := &kept{}
	o.seen = append(o.seen, seen{read: func() ([]byte, int64, error) {
		text, lost := k.bytes()
		return text, lost, nil
	}})
	r, err := newRelay(from, to, k, o.ended[0])
	if err != nil {
		return err
	}
	r.screen, r.released = s, o.released[0]
	if s != nil {
		r.to, r.own = ownTerminal(to)
	}
	o.relays = append(o.relays, r)
	return nil
}

// begin starts to carry, when the command has its ends and rocsmith does not need
// them any more.
func (o *outputs) begin() {
	o.closeTheirs()
	for _, r := range o.relays {
		o.running.Go(func() {
			defer r.close()
			if fromBackground(r.run) {
				o.handOver(r)
			}
			if r.broken {
				o.broken.Store(true)
			}
		})
	}
	o.relays = nil // each closes itself
}

func (o *outputs) closeTheirs() {
	for _, f := range o.theirs {
		_ = f.Close()
	}
	o.theirs = nil
}

// finish is called when the command has ended, or did not start.
func (o *outputs) finish() {
	o.finished.Do(func() {
		o.closeTheirs()
		_ = unix.Close(o.ended[1])
		o.running.Wait()
		for _, r := range o.relays { // the command did not start
			r.close()
		}
		o.release()
		_, _ = unix.Close(o.ended[0]), unix.Close(o.released[0])
	})
}

// release lets go of what a reader does not take: somebody else will carry it.
func (o *outputs) release() { o.toRelease.Do(func() { _ = unix.Close(o.released[1]) }) }

// unread reports whether a reader went away before the command had ended.
func (o *outputs) unread() bool { return o.broken.Load() }

// tell puts what was seen of the output into the end, errors last: there an engine
// says why it started nothing.
func (o *outputs) tell(e *End) {
	for _, s := range o.seen {
		text, lost, err := s.read()
		if err != nil {
			o.unseen = append(o.unseen, fmt.Sprintf("%s could not be read again: %v", s.name, err))
		}
		e.Tail, e.Lost = append(e.Tail, text...), e.Lost+lost
	}
	e.Unseen = o.unseen
}
