package state

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are the system calls by which this room looks and changes. There is one
// place for them so that a test can let each single one fail, or end the process
// at it. Files are meant by the handle of their folder and a name without a
// slash: nobody can put a link in the way between a look and an act.
type calls interface {
	openat(dir int, name string, flags int, mode uint32) (int, error)
	closeFile(fd int) error
	fstat(fd int) (unix.Stat_t, error)
	read(fd int) ([]byte, error)
	pread(fd int, buf []byte, off int64) (int, error)
	write(fd int, data []byte) error
	fsync(fd int) error
	fchmod(fd int, mode uint32) error
	fchown(fd int, uid, gid uint32) error
	utimes(fd int, access, change Moment) error
	listxattr(fd int) ([]string, error)
	getxattr(fd int, name string) ([]byte, error)
	hasxattr(fd int, name string) (bool, error)
	setxattr(fd int, name string, value []byte) error
	removexattr(fd int, name string) error
	flags(fd int) (uint32, error)
	setFlags(fd int, flags uint32) error
	rename(dir int, from, to string, flags uint) error
	link(dir int, from, to string) error
	unlink(dir int, name string, folder bool) error
	mkdirat(dir int, name string, mode uint32) error
	names(fd int) ([]string, error)
	flock(fd int) error
	run(argv []string) (string, error)
}

// kernel makes the calls.
type kernel struct{}

// again repeats a call that a signal interrupted.
func again[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if !errors.Is(err, unix.EINTR) {
			return v, err
		}
	}
}

func againPlain(call func() error) error {
	_, err := again(func() (struct{}, error) { return struct{}{}, call() })
	return err
}

func (kernel) openat(dir int, name string, flags int, mode uint32) (int, error) {
	return again(func() (int, error) { return unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode) })
}

func (kernel) closeFile(fd int) error { return unix.Close(fd) }

func (kernel) fstat(fd int) (unix.Stat_t, error) {
	var st unix.Stat_t
	err := againPlain(func() error { return unix.Fstat(fd, &st) })
	return st, err
}

// read returns a whole file, which must not be larger than a before-image may be.
func (kernel) read(fd int) ([]byte, error) {
	var out bytes.Buffer
	buf := make([]byte, 64<<10)
	for off := int64(0); ; {
		n, err := again(func() (int, error) { return unix.Pread(fd, buf, off) })
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			return out.Bytes(), nil
		}
		off += int64(n)
		if off > MaxImage {
			return nil, ErrTooLarge
		}
		out.Write(buf[:n])
	}
}

func (kernel) pread(fd int, buf []byte, off int64) (int, error) {
	return again(func() (int, error) { return unix.Pread(fd, buf, off) })
}

func (kernel) write(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := again(func() (int, error) { return unix.Write(fd, data) })
		switch {
		case err != nil:
			return err
		case n == 0:
			return io.ErrShortWrite
		}
		data = data[n:]
	}
	return nil
}

func (kernel) fsync(fd int) error {
	return againPlain(func() error { return unix.Fsync(fd) })
}

func (kernel) fchmod(fd int, mode uint32) error {
	return againPlain(func() error { return unix.Fchmod(fd, mode) })
}

func (kernel) fchown(fd int, uid, gid uint32) error {
	return againPlain(func() error { return unix.Fchown(fd, int(uid), int(gid)) })
}

// utimes sets the times by the handle: who owns the folder could have put another file
// under the name. utimensat(2) does so where it gets none, for which the library has
// no call.
func (kernel) utimes(fd int, access, change Moment) error {
	times := [2]unix.Timespec{{Sec: access.Seconds, Nsec: access.Nanos}, {Sec: change.Seconds, Nsec: change.Nanos}}
	return againPlain(func() error {
		_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
}

func (kernel) listxattr(fd int) ([]string, error) {
	buf := make([]byte, 64<<10) // the most that the kernel returns
	n, err := again(func() (int, error) { return unix.Flistxattr(fd, buf) })
	if errors.Is(err, unix.ENOTSUP) {
		return nil, nil
	}
	if err != nil || n == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00"), nil
}

func (kernel) getxattr(fd int, name string) ([]byte, error) {
	buf := make([]byte, 64<<10)
	n, err := again(func() (int, error) { return unix.Fgetxattr(fd, name, buf) })
	if err != nil {
		return nil, err
	}
	return bytes.Clone(buf[:n]), nil
}

// hasxattr asks for the length alone: a folder holds many files.
func (kernel) hasxattr(fd int, name string) (bool, error) {
	_, err := again(func() (int, error) { return unix.Fgetxattr(fd, name, nil) })
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	return err == nil, err
}

func (kernel) setxattr(fd int, name string, value []byte) error {
	return againPlain(func() error { return unix.Fsetxattr(fd, name, value, 0) })
}

func (kernel) removexattr(fd int, name string) error {
	return againPlain(func() error { return unix.Fremovexattr(fd, name) })
}

func (kernel) rename(dir int, from, to string, flags uint) error {
	return againPlain(func() error { return unix.Renameat2(dir, from, dir, to, flags) })
}

func (kernel) link(dir int, from, to string) error {
	return againPlain(func() error { return unix.Linkat(dir, from, dir, to, 0) })
}

func (kernel) unlink(dir int, name string, folder bool) error {
	flags := 0
	if folder {
		flags = unix.AT_REMOVEDIR
	}
	return againPlain(func() error { return unix.Unlinkat(dir, name, flags) })
}

func (kernel) mkdirat(dir int, name string, mode uint32) error {
	return againPlain(func() error { return unix.Mkdirat(dir, name, mode) })
}

// names lists a folder through a handle of its own, which it closes.
func (kernel) names(fd int) ([]string, error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(other), "folder")
	defer func() { _ = dir.Close() }()
	if _, err := dir.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return dir.Readdirnames(-1)
}

func (kernel) flock(fd int) error {
	err := againPlain(func() error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
