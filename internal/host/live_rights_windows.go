package host

import (
	"io/fs"
	"os"
)

// Access opens the path as asked and closes it: under Windows only the system
// itself can add up the rights.
func (l live) Access(path string, want byte) error {
	var flag int
	switch want {
	case 'r':
		flag = os.O_RDONLY
	case 'w':
		flag = os.O_WRONLY
	default:
		return pathError(opAccess, path, EINVAL)
	}
	return l.tryOpen(opAccess, path, flag)
}

func (l live) TryOpen(path string) error { return l.tryOpen(opOpen, path, os.O_RDWR) }

func (l live) tryOpen(op, path string, flag int) error {
	_, err := onPath(l, op, path, func() (struct{}, error) {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, f.Close()
	})
	return err
}

func (l live) Statfs(path string) (FileSystem, error) {
	return FileSystem{}, &fs.PathError{Op: opStatfs, Path: path, Err: ErrOtherSystem}
}

func (l live) Getxattr(path, _ string) ([]byte, error) {
	return nil, &fs.PathError{Op: opGetxattr, Path: path, Err: ErrOtherSystem}
}
