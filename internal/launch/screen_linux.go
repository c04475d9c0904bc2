package launch

import (
	"fmt"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// A screen is a terminal that the command writes to in place of the real one, so
// that it sees a terminal and rocsmith sees what it writes.
//
// It is for output only, and nobody's controlling terminal: the command reads the
// keyboard itself, stays in its group and session, and Ctrl-C, Ctrl-Z, fg, bg and
// pipelines work as without rocsmith. The real terminal is never made raw, so that
// it is in order when rocsmith is killed.
type screen struct {
	slave int
	name  string // of the slave
	real  int
	keys  *keys // where the keyboard is handed on

	mu     sync.Mutex // of the relay, which closes the master, and of a new size
	master int        // -1 when it is closed
}

// openScreen makes a terminal with the settings and the size of the real one. It
// changes no byte on the way (OPOST is off), because the real one will.
func openScreen(terminal int) (*screen, error) {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/ptmx: %w", err)
	}
	s := &screen{master: master, slave: -1, real: terminal}
	if err := s.setUp(); err != nil {
		_ = unix.Close(master)
		if s.slave >= 0 {
			_ = unix.Close(s.slave)
		}
		return nil, err
	}
	return s, nil
}

func (s *screen) setUp() error {
	if err := unix.IoctlSetPointerInt(s.master, unix.TIOCSPTLCK, 0); err != nil {
		return fmt.Errorf("unlock the terminal: %w", err)
	}
	// TIOCGPTPEER needs no path, which another mount namespace may not have.
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return fmt.Errorf("open the terminal: %w", errno)
	}
	s.slave = int(slave)
	if number, err := unix.IoctlGetInt(s.master, unix.TIOCGPTN); err == nil {
		s.name = "/dev/pts/" + strconv.Itoa(number)
	}
	t, err := unix.IoctlGetTermios(s.real, unix.TCGETS)
	if err != nil {
		return fmt.Errorf("read the settings of the terminal: %w", err)
	}
	t.Oflag &^= unix.OPOST
	t.Lflag |= unix.EXTPROC // with it, changes of the settings are told in packet mode
	if err := unix.IoctlSetTermios(s.slave, unix.TCSETS, t); err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	if err := unix.IoctlSetPointerInt(s.master, unix.TIOCPKT, 1); err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	s.resize()
	return nil
}

// resize gives the screen the size of the real terminal, and reports whether that
// was a change.
func (s *screen) resize() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return false
	}
	size, err := unix.IoctlGetWinsize(s.real, unix.TIOCGWINSZ)
	if err != nil {
		return false
	}
	if old, err := unix.IoctlGetWinsize(s.master, unix.TIOCGWINSZ); err == nil && *old == *size {
		return false
	}
	return unix.IoctlSetWinsize(s.master, unix.TIOCSWINSZ, size) == nil
}

// close closes the master: its number may be another file's from then on.
func (s *screen) close() {
	s.endKeys()
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = unix.Close(s.master)
	s.master = -1
}

// packet takes a piece that was read from the master apart: a byte that says what
// it is, then data. Where the command changed the settings of its terminal, as
// programs do that draw on the whole screen, the real one gets them too.
func (s *screen) packet(b []byte) []byte {
	switch {
	case len(b) == 0:
		return nil
	case b[0] == unix.TIOCPKT_DATA:
		return b[1:]
	case b[0]&unix.TIOCPKT_IOCTL != 0:
		s.mirror()
	}
	return nil
}

func (s *screen) mirror() {
	theirs, err := unix.IoctlGetTermios(s.master, unix.TCGETS) // of a master: those of its slave
	if err != nil {
		return
	}
	if theirs.Oflag&unix.OPOST != 0 { // less turns it on, and each line would end twice
		own := *theirs
		own.Oflag &^= unix.OPOST
		_ = unix.IoctlSetTermios(s.master, unix.TCSETS, &own)
	}
	t, err := unix.IoctlGetTermios(s.real, unix.TCGETS)
	if err != nil {
		return
	}
	single := theirs.Lflag&unix.ICANON == 0
	if !single {
		s.handKeys(false) // before the real one collects lines, which are not ours to read
	}
	t.Iflag, t.Cc = theirs.Iflag, theirs.Cc
	t.Lflag = theirs.Lflag&^unix.EXTPROC | t.Lflag&unix.EXTPROC
	t.Oflag = theirs.Oflag&^unix.OPOST | t.Oflag&unix.OPOST // without it the screen would have two
	_ = unix.IoctlSetTermios(s.real, unix.TCSETS, t)
	if single {
		s.handKeys(true)
	}
}
