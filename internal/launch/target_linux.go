package launch

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// errReleased says that the rest is left to somebody else.
var errReleased = errors.New("nobody waits for the reader")

// move carries a piece that the keeper has seen. It does not block in the call, where
// nothing could end it but the reader.
func (r *relay) move(n int64) (int, error) {
	const how = unix.SPLICE_F_MOVE | unix.SPLICE_F_NONBLOCK
	for left := n; left > 0; {
		got, err := again(func() (int64, error) { return unix.Splice(r.from, nil, r.to, nil, int(left), how) })
		switch {
		case errors.Is(err, unix.EAGAIN) && stirs(r.from): // the target is full
			if !r.room() {
				return 0, errReleased
			}
		case errors.Is(err, unix.EAGAIN), err == nil && got == 0:
			return int(n), nil // the command itself has read it: it may open what it writes to, as cat /dev/stdout does
		case refused(err): // no target for splice: one opened to append, some devices
			r.plain = true
			return int(n), r.copyRest(left)
		case err != nil:
			return 0, err
		}
		left -= max(got, 0)
	}
	return int(n), nil
}

// refused tells of a call that this system, or what watches over its calls, does not
// know for these files.
func refused(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM)
}

// room waits until the target can take more, and reports false where nobody wants to
// wait for that any longer.
func (r *relay) room() bool {
	fds := []unix.PollFd{descriptor(r.to, unix.POLLOUT), descriptor(r.released, unix.POLLIN)}
	poll(fds, -1)
	return fds[0].Revents != 0 || fds[1].Revents == 0
}

// copyRest carries by copying what the keeper has seen already.
func (r *relay) copyRest(n int64) error {
	for n > 0 {
		got, err := unix.Read(r.from, r.buffer[:min(n, int64(len(r.buffer)))])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || got <= 0 {
			return err
		}
		if err := r.write(r.buffer[:got]); err != nil {
			return err
		}
		n -= int64(got)
	}
	return nil
}

func (r *relay) copy(most int) (int, error) {
	n, err := again(func() (int64, error) {
		n, err := unix.Read(r.from, r.buffer[:most])
		return int64(n), err
	})
	if err != nil || n <= 0 {
		return 0, err
	}
	data := r.buffer[:n]
	if r.screen != nil {
		data = r.screen.packet(data)
	}
	_, _ = r.kept.Write(data)
	return int(n), r.write(data)
}

func (r *relay) write(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(r.to, b)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			if !r.room() {
				r.rest = b
				return errReleased
			}
			continue
		case err != nil:
			return err
		}
		b = b[n:]
	}
	return nil
}

// ownTerminal opens a terminal once more, so that a write to it does not block: it may
// be stopped by Ctrl-S, or its window hang, and nothing could end the call but whoever
// sits there. The flag is not set for the file that others share.
func ownTerminal(terminal int) (fd int, own bool) {
	if _, err := unix.IoctlGetInt(terminal, unix.TIOCGPTN); err == nil {
		return terminal, false // a master: to open it would make another terminal
	}
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(terminal), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return terminal, false // somebody else's, after su
	}
	return fd, true
}

// tellsOfReaders reports whether a file tells by itself that its reader has gone for
// good. A pipe with a name may get another one.
func tellsOfReaders(fd int) bool {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false
	}
	var fs unix.Statfs_t
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		return true
	case unix.S_IFIFO:
		return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PIPEFS_MAGIC
	}
	return false
}
