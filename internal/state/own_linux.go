package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// mostOwned bounds how many files change hands in one step.
const mostOwned = 100_000

// owners lists what below a path belongs to root and not to whom the step wants.
// What others own is theirs, with all that is in it; a link is not followed and
// stays, and so does another file system.
func (d disk) owners(s *Step) ([]Owned, error) {
	var out []Owned
	var device uint64
	todo := []string{s.Path}
	for seen := 0; len(todo) > 0; seen++ {
		at := todo[0]
		todo = todo[1:]
		if seen > mostOwned {
			return nil, fmt.Errorf("%s holds more than %d files", s.Path, mostOwned)
		}
		names, err := d.visit(s, at, &device, &out)
		if err != nil && (!errors.Is(err, errOddFile) || at == s.Path) {
			return nil, err
		}
		slices.Sort(names)
		for _, n := range names {
			todo = append(todo, path.Join(at, n))
		}
	}
	return out, nil
}

// visit notes one file where it changes hands, and names what is in a folder.
func (d disk) visit(s *Step, at string, device *uint64, out *[]Owned) (names []string, err error) {
	err = d.handled(at, func(fd int, st unix.Stat_t) error {
		here := deviceOf(st)
		if at == s.Path {
			*device = here
		}
		if here != *device || st.Uid != root && st.Uid != s.UID {
			return nil
		}
		o, ours, err := s.owned(at, st)
		if ours {
			*out = append(*out, o)
			err = d.incapable(fd, at, st)
		}
		if err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
			names, err = d.names(fd)
		}
		return err
	})
	return names, err
}

// root is whose files change hands: those that a run as root left.
const root = 0

// owned is a file that changes hands, and ok where it does. One with a second name
// is refused, because the other name may be a file of the system.
func (s *Step) owned(at string, st unix.Stat_t) (o Owned, ok bool, err error) {
	switch {
	case st.Uid != root || st.Uid == s.UID && st.Gid == s.GID:
		return o, false, nil
	case st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1:
		return o, false, fmt.Errorf("%s has %d names (hard links); the others would change hands as well", at, st.Nlink)
	case st.Mode&unix.S_IFMT == unix.S_IFREG && st.Mode&(unix.S_ISUID|unix.S_ISGID) != 0:
		return o, false, fmt.Errorf("%s runs with the rights of its owner or group (mode %04o); who gets it could write into it, and have them", at, st.Mode&0o7777)
	}
	return Owned{Path: at, UID: st.Uid, GID: st.Gid, Mode: st.Mode & 0o7777, Device: deviceOf(st), Inode: st.Ino}, true, nil
}

// incapable refuses a file that runs with capabilities (capabilities(7)). The kernel
// takes them when it changes hands. To give them back at an undo would not be safe:
// its owner may have written into it meanwhile, and may still do so through a mapping
// that was made before.
func (d disk) incapable(fd int, at string, st unix.Stat_t) error {
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil
	}
	has, err := d.hasxattr(fd, "security.capability")
	switch {
	case err != nil:
		return fmt.Errorf("read the capabilities of %s: %w", at, err)
	case has:
		return fmt.Errorf("%s runs with capabilities (getcap shows them); it would lose them, and undo could not safely give them back", at)
	}
	return nil
}

// handled opens a plain file or a folder, and hands on what it is. Others keep
// their owners.
func (d disk) handled(file string, do func(fd int, st unix.Stat_t) error) error {
	return d.within(file, func(dir int, name string) error {
		fd, err := d.openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
			return fmt.Errorf("%s: %w", file, errOddFile)
		}
		if err != nil {
			return &fs.PathError{Op: "open", Path: file, Err: err}
		}
		defer d.release(fd)
		st, err := d.fstat(fd)
		if err != nil {
			return fmt.Errorf("look at %s: %w", file, err)
		}
		if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFDIR {
			return fmt.Errorf("%s: %w", file, errOddFile)
		}
		return do(fd, st)
	})
}

// own gives the files to their new owner. Each is compared with what was noted
// before it changes hands.
func (d disk) own(s *Step) error {
	for _, o := range s.Owners {
		err := d.handled(o.Path, func(fd int, st unix.Stat_t) error {
			if deviceOf(st) != o.Device || st.Ino != o.Inode || st.Uid != o.UID || st.Gid != o.GID || st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1 {
				return fmt.Errorf("%s: %w", o.Path, ErrChanged)
			}
			if err := d.fchown(fd, s.UID, s.GID); err != nil {
				return fmt.Errorf("give %s to %d:%d: %w", o.Path, s.UID, s.GID, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// undoOwn gives them back, with the rights of folders that a change of owner takes
// away. What is not there any more, or is another file, is its owner's affair.
func (d disk) undoOwn(s *Step) error {
	var others []string
	for _, o := range slices.Backward(s.Owners) {
		err := d.handled(o.Path, func(fd int, st unix.Stat_t) error {
			switch {
			case st.Ino != o.Inode: // a device may have another number after a restart
				return nil
			case st.Uid == s.UID && st.Gid == s.GID:
				if err := d.fchown(fd, o.UID, o.GID); err != nil {
					return fmt.Errorf("give %s back to %d:%d: %w", o.Path, o.UID, o.GID, err)
				}
			case st.Uid != o.UID || st.Gid != o.GID:
				others = append(others, o.Path)
				return nil
			}
			if st.Mode&unix.S_IFMT == unix.S_IFREG || st.Mode&0o7777 != o.Mode&^0o6000 && st.Mode&0o7777 != o.Mode {
				return nil // a file has no rights that were taken, or somebody changed them since
			}
			return d.fchmod(fd, o.Mode)
		})
		if err != nil && !gone(err) && !errors.Is(err, errOddFile) {
			return err
		}
	}
	if len(others) > 0 {
		return Conflict{Path: others[0], Why: fmt.Sprintf("somebody gave it to another owner since (%d files)", len(others))}
	}
	return nil
}
