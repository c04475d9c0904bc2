package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// piece is how much of a large file is in memory at one time.
const piece = 1 << 20

// copyIn puts a copy of a file under a name that nobody has. The bytes that were
// written are those that were summed, so the source may change meanwhile, and
// then nothing is kept.
func (d disk) copyIn(dir int, name, temporary string, s *Step) error {
	if err := d.clear(dir, temporary); err != nil {
		return err
	}
	fd, err := d.openat(dir, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("make %s: %w", temporary, err)
	}
	err = d.within(s.From, func(from int, source string) error { return d.fillFrom(from, source, fd, s) })
	if closed := d.closeFile(fd); err == nil && closed != nil {
		err = fmt.Errorf("close %s: %w", temporary, closed)
	}
	if err == nil {
		err = d.place(dir, temporary, name)
	}
	if err != nil {
		_ = d.clear(dir, temporary) // recovery takes it away where this cannot
		return err
	}
	return d.settle(dir, name)
}

func (d disk) fillFrom(dir int, source string, to int, s *Step) error {
	from, err := d.openat(dir, source, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", s.From, err)
	}
	defer d.release(from)
	sum, err := d.stream(from, s.Size, func(data []byte) error { return d.write(to, data) })
	switch {
	case err != nil:
		return fmt.Errorf("copy %s: %w", s.From, err)
	case sum != s.Sum:
		return fmt.Errorf("%s: %w", s.From, ErrChanged)
	}
	st, err := d.fstat(to)
	if err != nil {
		return fmt.Errorf("look at the copy of %s: %w", s.From, err)
	}
	if st.Uid != s.After.UID || st.Gid != s.After.GID {
		if err := d.fchown(to, s.After.UID, s.After.GID); err != nil {
			return fmt.Errorf("give the copy of %s to %d:%d: %w", s.From, s.After.UID, s.After.GID, err)
		}
	}
	if err := d.fchmod(to, s.After.Mode); err != nil {
		return fmt.Errorf("set the rights of the copy of %s: %w", s.From, err)
	}
	if err := d.fsync(to); err != nil {
		return fmt.Errorf("bring the copy of %s to the disk: %w", s.From, err)
	}
	return nil
}

// stream reads a plain file of a size piece by piece, and returns its sum.
func (d disk) stream(fd int, size int64, each func([]byte) error) (string, error) {
	st, err := d.fstat(fd)
	switch {
	case err != nil:
		return "", err
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return "", errOddFile
	case st.Size != size:
		return "", ErrChanged
	}
	h := sha256.New()
	buf := make([]byte, piece)
	for off := int64(0); off < size; {
		n, err := d.pread(fd, buf, off)
		if err != nil {
			return "", err
		}
		if n == 0 {
			return "", io.ErrUnexpectedEOF
		}
		h.Write(buf[:n])
		if err := each(buf[:n]); err != nil {
			return "", err
		}
		off += int64(n)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// holds reports whether a name stands for a plain file of a size and a sum.
func (d disk) holds(dir int, name string, size int64, sum string) (bool, error) {
	fd, err := d.openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer d.release(fd)
	is, err := d.stream(fd, size, func([]byte) error { return nil })
	if errors.Is(err, ErrChanged) || errors.Is(err, errOddFile) {
		return false, nil
	}
	return err == nil && is == sum, err
}

// undoCopy takes a copy away, if it is still the one that was made.
func (d disk) undoCopy(dir int, name, temporary string, s *Step) error {
	if err := d.sweepCopy(dir, temporary, s); err != nil {
		return err
	}
	ours, err := d.holds(dir, name, s.Size, s.Sum)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case err != nil:
		return err
	case !ours:
		now, err := d.look(dir, name, false)
		if err == nil && len(s.Befores) > 0 && now.isNoted(s.Befores[0]) {
			return nil // an undo that was interrupted had come past this
		}
		return Conflict{Path: s.Path, Before: s.Before, After: s.After, Now: now, Why: "it is not what rocsmith put there any more"}
	}
	if err := d.place(dir, name, temporary); err != nil {
		return err
	}
	if ours, err = d.holds(dir, temporary, s.Size, s.Sum); err != nil || !ours {
		return errors.Join(err, fmt.Errorf("%s: %w", s.Path, ErrChanged), d.place(dir, temporary, name))
	}
	if err := d.clear(dir, temporary); err != nil {
		return err
	}
	return d.settle(dir, name)
}

// sweepCopy removes what a killed process prepared, or was about to remove: a
// file of our own name and user that is no larger than ours.
func (d disk) sweepCopy(dir int, temporary string, s *Step) error {
	i, err := d.look(dir, temporary, false)
	switch {
	case err != nil || i.Absent:
		return err
	case i.Folder || i.Size > s.Size || int(i.UID) != unix.Geteuid() && i.UID != s.After.UID:
		return fmt.Errorf("%s: %w", temporary, ErrChanged)
	}
	return d.clear(dir, temporary)
}

// Holds reports whether a file is a plain one of a size and a sum. One that is not
// there does not.
func Holds(file string, size int64, sum string) (bool, error) {
	d := disk{kernel{}}
	ok := false
	err := d.within(realPath(file), func(dir int, name string) (err error) {
		ok, err = d.holds(dir, name, size, sum)
		return err
	})
	if errors.Is(err, unix.ENOENT) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	return ok, nil
}
