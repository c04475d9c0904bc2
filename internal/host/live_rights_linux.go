package host

import (
	"golang.org/x/sys/unix"
)

// maxXattr is the kernel's own limit for one extended attribute.
const maxXattr = 64 << 10

func (l live) Getxattr(path, name string) ([]byte, error) {
	return onPath(l, opGetxattr, path, func() ([]byte, error) {
		value := make([]byte, maxXattr)
		n, err := retried(func() (int, error) { return unix.Getxattr(path, name, value) })
		if err != nil {
			return nil, err
		}
		return value[:n], nil
	})
}

// Access asks for the effective ids, which are those that an open would use.
func (l live) Access(path string, want byte) error {
	var mode uint32
	switch want {
	case 'r':
		mode = unix.R_OK
	case 'w':
		mode = unix.W_OK
	default:
		return pathError(opAccess, path, EINVAL)
	}
	_, err := onPath(l, opAccess, path, func() (struct{}, error) {
		return struct{}{}, unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS)
	})
	return err
}

func (l live) TryOpen(path string) error {
	_, err := onPath(l, opOpen, path, func() (struct{}, error) {
		fd, err := retried(func() (int, error) {
			return unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		})
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, unix.Close(fd)
	})
	return err
}
