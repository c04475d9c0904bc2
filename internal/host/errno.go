package host

import (
	"errors"
	"io/fs"
)

// An Errno is a system error by its POSIX name. Names, unlike numbers, mean the
// same on every operating system a snapshot is judged on.
type Errno string

// The errors that a check tells apart.
const (
	EACCES  Errno = "EACCES"
	EINVAL  Errno = "EINVAL"
	EIO     Errno = "EIO"
	EISDIR  Errno = "EISDIR"
	ELOOP   Errno = "ELOOP"
	ENODATA Errno = "ENODATA"
	ENODEV  Errno = "ENODEV"
	ENOENT  Errno = "ENOENT"
	ENOMEM  Errno = "ENOMEM"
	ENOTDIR Errno = "ENOTDIR"
	ENXIO   Errno = "ENXIO"
	EPERM   Errno = "EPERM"
)

// Error says what the error means, then its name.
func (e Errno) Error() string {
	if text, ok := errnoText[e]; ok {
		return text + " (" + string(e) + ")"
	}
	return string(e)
}

// Is lets errors.Is compare an Errno with the portable errors of io/fs.
func (e Errno) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return e == ENOENT || e == ENOTDIR
	case fs.ErrPermission:
		return e == EACCES || e == EPERM
	}
	return false
}

var errnoText = map[Errno]string{
	EACCES:  "permission denied",
	EINVAL:  "invalid argument",
	EIO:     "input/output error",
	EISDIR:  "is a directory",
	ELOOP:   "too many symbolic links",
	ENODATA: "no data available",
	ENODEV:  "no such device",
	ENOENT:  "no such file or directory",
	ENOMEM:  "out of memory",
	ENOTDIR: "not a directory",
	ENXIO:   "no such device or address",
	EPERM:   "operation not permitted",
}

// Errors of the door itself.
var (
	// ErrNotRecorded says that a snapshot does not hold the answer.
	ErrNotRecorded = errors.New("not recorded in this snapshot")
	// ErrAnotherRoot says that the question concerns the running process, which
	// is not a process of the examined root.
	ErrAnotherRoot = errors.New("another root")
	// ErrTooLong says that no answer came within Patience.
	ErrTooLong = errors.New("no answer in time")
	// ErrTooBig says that a file is larger than MaxFile.
	ErrTooBig = errors.New("larger than 4 MiB")
	// ErrNotRegular says that a path holds no plain bytes: a named pipe, a
	// socket, a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrOtherSystem says that the question has no meaning on this system.
	ErrOtherSystem = errors.New("not on this operating system")
)

// ErrnoOf returns the Errno inside an error, or "" where there is none.
func ErrnoOf(err error) Errno {
	var e Errno
	if errors.As(err, &e) {
		return e
	}
	return ""
}
