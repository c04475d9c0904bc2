package launch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Some programs read the keyboard from the terminal that they write to: less asks
// for the name of the one that its errors go to (ttyname(3)), and opens that. Nobody
// types into a screen, so they would wait for ever, at a terminal that obeys nothing.
// They are handed what is typed.

// keys hands what is typed at the real terminal to a screen.
type keys struct {
	stop int           // closed to end it
	done chan struct{} // closed when it has ended
}

func (k *keys) running() bool {
	if k == nil {
		return false
	}
	select {
	case <-k.done:
		return false
	default:
		return true
	}
}

// handKeys begins when a program that opened the screen for reading wants single
// keys, and ends when it wants no more.
func (s *screen) handKeys(single bool) {
	switch {
	case single && !s.keys.running() && s.isRead():
		s.endKeys()
		s.keys = s.beginKeys()
	case !single:
		s.endKeys()
	}
}

func (s *screen) endKeys() {
	if s.keys != nil {
		_ = unix.Close(s.keys.stop)
		s.keys = nil
	}
}

func (s *screen) beginKeys() *keys {
	// A file of its own, which does not block: another may read what was there a moment
	// ago, and a line that is typed later is not ours.
	from, err := unix.Open("/proc/self/fd/"+strconv.Itoa(s.real), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	var stop [2]int
	if err := unix.Pipe2(stop[:], unix.O_CLOEXEC); err != nil {
		_ = unix.Close(from)
		return nil
	}
	k := &keys{stop: stop[1], done: make(chan struct{})}
	go func() {
		defer close(k.done)
		defer func() { _, _ = unix.Close(from), unix.Close(stop[0]) }()
		fromBackground(func() bool { s.carryKeys(from, stop[0]); return true })
	}()
	return k
}

// carryKeys ends where the terminal is somebody else's meanwhile: the kernel answers
// EIO to who reads it from the background.
func (s *screen) carryKeys(from, stop int) {
	var buffer [256]byte
	for {
		fds := []unix.PollFd{descriptor(from, unix.POLLIN), descriptor(stop, unix.POLLIN)}
		poll(fds, -1)
		if fds[1].Revents != 0 {
			return
		}
		n, err := unix.Read(from, buffer[:])
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		case err != nil || n <= 0 || !s.isRead(): // it may have been killed, and left the settings
			return
		default:
			s.typed(buffer[:n])
		}
	}
}

// typed puts keys into the screen. What does not fit is lost, as at any terminal.
func (s *screen) typed(keys []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master >= 0 {
		_, _ = unix.Write(s.master, keys)
	}
}

// isRead tells whether a process has opened the screen for reading alone. The
// command's own streams are open for both.
func (s *screen) isRead() bool {
	processes, _ := filepath.Glob("/proc/[0-9]*/fd")
	for _, dir := range processes {
		entries, _ := os.ReadDir(dir) // of others than root their owners alone see them
		for _, e := range entries {
			if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && to == s.name && readOnly(filepath.Join(filepath.Dir(dir), "fdinfo", e.Name())) {
				return true
			}
		}
	}
	return false
}

// readOnly reads how a descriptor was opened (proc(5), fdinfo).
func readOnly(info string) bool {
	text, err := os.ReadFile(info)
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(text, []byte("flags:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	flags, err := strconv.ParseUint(strings.TrimSpace(string(line)), 8, 64)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY
}
