package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// named replaces the number of a system error by its name. It is the only
// place where numbers become names.
func named(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		if name := unix.ErrnoName(number); name != "" {
			return Errno(name)
		}
	}
	return err
}

// openRegular opens what holds plain bytes and nothing else. O_NONBLOCK keeps
// the open itself from waiting for the other end of a named pipe.
func openRegular(path string) (plainFile, error) {
	fd, err := retried(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if errors.Is(err, unix.ENXIO) {
		return nil, ErrNotRegular // a socket, or a device without a driver
	}
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT == unix.S_IFREG:
		return descriptor{fd, st}, nil
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = EISDIR
	default:
		err = ErrNotRegular
	}
	_ = unix.Close(fd)
	return nil, err
}

// A descriptor is read without the runtime's poller, which would wait where a
// sysfs attribute says "not now".
type descriptor struct {
	fd   int
	stat unix.Stat_t // files in /proc and /sys say what they like
}

func (d descriptor) Size() int64 { return d.stat.Size }

func (d descriptor) links() string {
	if d.stat.Nlink < 2 {
		return ""
	}
	return fmt.Sprint(d.stat.Dev, d.stat.Ino)
}

func (d descriptor) Read(p []byte) (int, error) {
	n, err := retried(func() (int, error) { return unix.Read(d.fd, p) })
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

func (d descriptor) ReadAt(p []byte, off int64) (int, error) {
	got := 0
	for got < len(p) {
		n, err := retried(func() (int, error) { return unix.Pread(d.fd, p[got:], off+int64(got)) })
		if err != nil {
			return got, err
		}
		if n == 0 {
			return got, io.EOF
		}
		got += n
	}
	return got, nil
}

func (d descriptor) Close() error { return unix.Close(d.fd) }

// retried repeats a system call that a signal interrupted; the Go runtime
// itself sends such signals.
func retried(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func statOf(info fs.FileInfo) Stat {
	st := Stat{Mode: info.Mode(), Size: info.Size()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		st.UID, st.GID = sys.Uid, sys.Gid
		if st.Mode&fs.ModeDevice != 0 {
			rdev := uint64(sys.Rdev) //nolint:unconvert // 32 bits wide on some machines
			st.Major, st.Minor = unix.Major(rdev), unix.Minor(rdev)
		}
	}
	return st
}

func (live) Registry(key, value string) (string, error) {
	return "", fmt.Errorf("read registry %s %s: %w", key, value, ErrOtherSystem)
}

func (live) FileVersion(path string) (string, error) {
	return "", &fs.PathError{Op: opVersion, Path: path, Err: ErrOtherSystem}
}
