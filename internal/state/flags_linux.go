package state

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Flags of a file as chattr(1) sets them, from the kernel's fs.h.
const (
	flagSync      = 0x08
	flagImmutable = 0x10
	flagAppend    = 0x20
	flagNoDump    = 0x40
	flagNoAccess  = 0x80 // its time of access stays

	// flagsKept go to the file that takes another's place. The others tell of the file
	// system, or of a file that must not be changed.
	flagsKept = flagSync | flagNoDump | flagNoAccess
)

// flagsOf reads the flags of a file, and refuses one that is locked: to be told so
// helps more than that an operation is not permitted.
func (d disk) flagsOf(fd int, name string) (uint32, error) {
	flags, err := d.flags(fd)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read the flags of %s: %w", name, err)
	case flags&flagImmutable != 0:
		return 0, fmt.Errorf("%s is locked: it is immutable (lsattr shows an i); chattr -i, as root, unlocks it", name)
	case flags&flagAppend != 0:
		return 0, fmt.Errorf("%s is locked: it can only be appended to (lsattr shows an a); chattr -a, as root, unlocks it", name)
	}
	return flags & flagsKept, nil
}

// flag gives a new file the flags of the one whose place it takes.
func (d disk) flag(fd int, name string, flags uint32) error {
	if flags == 0 {
		return nil
	}
	has, err := d.flags(fd)
	if err == nil {
		err = d.setFlags(fd, has|flags)
	}
	if err != nil {
		return fmt.Errorf("set the flags of %s: %w", name, err)
	}
	return nil
}

// flags are none on file systems that have no such thing, and where a file may be
// seen and not read.
func (kernel) flags(fd int) (uint32, error) {
	flags, err := again(func() (uint32, error) { return unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS) })
	for _, none := range []error{unix.ENOTTY, unix.ENOTSUP, unix.EINVAL, unix.ENOSYS, unix.EBADF, unix.EPERM, unix.EACCES} {
		if errors.Is(err, none) {
			return 0, nil
		}
	}
	return flags, err
}

func (kernel) setFlags(fd int, flags uint32) error {
	return againPlain(func() error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, int(flags)) })
}
