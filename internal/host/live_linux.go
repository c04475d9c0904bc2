package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Live returns the door to the running machine.
func Live() Reader { return live{patience: Patience} }

// live asks the running Linux system.
type live struct{ patience time.Duration }

func (live) OS() string { return "linux" }

// onPath asks one question about a path, bounded in time, and gives its error
// the one form that all errors about paths have.
func onPath[T any](l live, op, path string, ask func() (T, error)) (T, error) {
	value, err := within(l.patience, ask)
	if err != nil {
		var none T
		return none, pathError(op, path, err)
	}
	return value, nil
}

func pathError(op, path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: named(err)}
}

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

func (l live) ReadFile(path string) ([]byte, error) {
	return onPath(l, opRead, path, func() ([]byte, error) {
		fd, err := openRegular(path)
		if err != nil {
			return nil, err
		}
		defer release(fd)
		data, err := io.ReadAll(io.LimitReader(fdReader(fd), MaxFile+1))
		if err == nil && len(data) > MaxFile {
			return nil, ErrTooBig
		}
		return data, err
	})
}

func (l live) ReadAt(path string, off int64, n int) ([]byte, error) {
	return onPath(l, opRead, path, func() ([]byte, error) {
		switch {
		case off < 0 || n < 0:
			return nil, EINVAL
		case n > MaxFile:
			return nil, ErrTooBig
		}
		fd, err := openRegular(path)
		if err != nil {
			return nil, err
		}
		defer release(fd)
		data := make([]byte, n)
		got := 0
		for got < n {
			k, err := retried(func() (int, error) { return unix.Pread(fd, data[got:], off+int64(got)) })
			if err != nil {
				return nil, err
			}
			if k == 0 {
				break
			}
			got += k
		}
		return data[:got], nil
	})
}

// openRegular opens what holds plain bytes and nothing else. O_NONBLOCK keeps
// the open itself from waiting for the other end of a named pipe.
func openRegular(path string) (int, error) {
	fd, err := retried(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if errors.Is(err, unix.ENXIO) {
		return -1, ErrNotRegular // a socket, or a device without a driver
	}
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		release(fd)
		return -1, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return fd, nil
	case unix.S_IFDIR:
		err = EISDIR
	default:
		err = ErrNotRegular
	}
	release(fd)
	return -1, err
}

// release closes what was only read: nothing is lost if that fails.
func release(fd int) { _ = unix.Close(fd) }

// fdReader reads a descriptor without the runtime's poller, which would wait
// where a sysfs attribute says "not now".
type fdReader int

func (fd fdReader) Read(p []byte) (int, error) {
	n, err := retried(func() (int, error) { return unix.Read(int(fd), p) })
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

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

func (l live) ReadDir(path string) ([]Entry, error) {
	return onPath(l, opReadDir, path, func() ([]Entry, error) {
		dir, err := os.OpenFile(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		defer func() { _ = dir.Close() }()
		found, err := dir.ReadDir(maxEntries + 1)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(found) > maxEntries {
			return nil, ErrTooBig
		}
		entries := make([]Entry, len(found))
		for i, e := range found {
			entries[i] = Entry{Name: e.Name(), Type: e.Type()}
		}
		slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
		return entries, nil
	})
}

func (l live) ReadLink(path string) (string, error) {
	return onPath(l, opReadLink, path, func() (string, error) { return os.Readlink(path) })
}

func (l live) Lstat(path string) (Stat, error) {
	return onPath(l, opLstat, path, func() (Stat, error) {
		info, err := os.Lstat(path)
		if err != nil {
			return Stat{}, err
		}
		st := Stat{Mode: info.Mode(), Size: info.Size()}
		if sys, ok := info.Sys().(*syscall.Stat_t); ok {
			st.UID, st.GID = sys.Uid, sys.Gid
			if st.Mode&fs.ModeDevice != 0 {
				rdev := uint64(sys.Rdev) //nolint:unconvert // 32 bits wide on some machines
				st.Major, st.Minor = unix.Major(rdev), unix.Minor(rdev)
			}
		}
		return st, nil
	})
}

func (l live) Registry(key, value string) (string, error) {
	return "", fmt.Errorf("read registry %s %s: %w", key, value, ErrOtherSystem)
}

func (l live) FileVersion(path string) (string, error) {
	return "", &fs.PathError{Op: opVersion, Path: path, Err: ErrOtherSystem}
}
