package state

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// temporary is the name under which a step prepares its file. It follows from
// the entry, so that recovery finds what a killed process left.
func temporary(id string, step int, name string) string {
	const most = 180 // of the 255 bytes that a name may have
	for len(name) > most {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return fmt.Sprintf(".rocsmith-%s-%d-%s", id, step+1, name)
}

// aim looks at what a step will change, compares it with the plan, and writes
// down what it will look like afterwards.
func (d disk) aim(s *Step) error {
	var err error
	switch s.Kind {
	case Run:
		s.Befores, err = d.touched(s)
		return err
	case Install:
		s.Had, err = d.packages(s.Path)
		return err
	case Own:
		s.Owners, err = d.owners(s)
		return err
	}
	return d.within(s.Path, func(dir int, name string) error {
		now, err := d.look(dir, name, s.Kind == Write)
		switch {
		case err != nil:
			return err
		case !now.sameFile(s.Before) || s.Kind == Write && now.Folder:
			return fmt.Errorf("%s: %w", s.Path, ErrChanged)
		}
		s.Before = now
		s.After = now
		if s.Kind == Write || s.Kind == Copy {
			s.After, err = d.future(dir, s.Act)
		}
		return err
	})
}

// future is the file that a write leaves behind: with the rights and the owner
// that it had, or those of its folder's owner where it is new.
func (d disk) future(dir int, a Act) (Image, error) {
	i := Image{Sum: sumOf(a.New), Mode: a.Before.Mode, UID: a.Before.UID, GID: a.Before.GID, Xattrs: beyondContent(a.Before.Xattrs), Flags: a.Before.Flags, Size: int64(len(a.New))}
	if a.Kind == Copy {
		i.Sum, i.Size = a.Sum, a.Size
	}
	if !a.Before.Absent {
		return i, nil
	}
	owner, err := d.ownerFor(dir)
	if err != nil {
		return i, err
	}
	i.Mode, i.UID, i.GID = a.Mode, owner.UID, owner.GID
	return i, nil
}

// beyondContent leaves out what the kernel's integrity subsystem notes of a file's content
// (IMA, EVM): on another content it would be wrong, and the file could not be read.
func beyondContent(attributes map[string][]byte) map[string][]byte {
	out := maps.Clone(attributes)
	delete(out, "security.ima")
	delete(out, "security.evm")
	return out
}

// ownerFor is who a new file in a folder belongs to: this process, and where root
// works in somebody's home, that somebody.
func (d disk) ownerFor(dir int) (Image, error) {
	st, err := d.fstat(dir)
	if err != nil {
		return Image{}, fmt.Errorf("look at a folder: %w", err)
	}
	if unix.Geteuid() == 0 && st.Uid != 0 {
		return Image{UID: st.Uid, GID: st.Gid}, nil
	}
	i := Image{UID: uint32(unix.Geteuid()), GID: uint32(unix.Getegid())} //nolint:gosec // ids are never negative
	if st.Mode&unix.S_ISGID != 0 {
		i.GID = st.Gid
	}
	return i, nil
}

func (d disk) lookAt(file string, content bool) (Image, error) {
	var i Image
	err := d.within(file, func(dir int, name string) (err error) {
		i, err = d.look(dir, name, content)
		return err
	})
	if errors.Is(err, unix.ENOENT) {
		return Image{Absent: true}, nil
	}
	return i, err
}

// do makes a step's change, and notes what it left.
func (d disk) do(id string, n int, s *Step) error {
	switch s.Kind {
	case Write:
		return d.within(s.Path, func(dir int, name string) error {
			fresh := s.After
			fresh.Data = s.New
			if err := d.put(dir, name, temporary(id, n, name), s.Before, fresh); err != nil {
				return err
			}
			left, err := d.look(dir, name, true)
			if err == nil {
				left.Data = nil // it stands in New
				s.After = left
			}
			return err
		})
	case Copy:
		return d.within(s.Path, func(dir int, name string) error { return d.copyIn(dir, name, temporary(id, n, name), s) })
	case Move:
		return d.within(s.Path, func(dir int, name string) error { return d.move(dir, name, path.Base(s.To), s.Before) })
	case MakeDir:
		return d.within(s.Path, func(dir int, name string) error { return d.makeDir(dir, name, s) })
	case Install:
		return d.install(s)
	case Own:
		return d.own(s)
	}
	said, err := d.run(s.Argv)
	s.Note = said
	if err != nil {
		return err
	}
	s.Afters, err = d.touched(s)
	for i := range s.Afters {
		s.Afters[i].Data = nil // only compared
	}
	return err
}

// move gives a file another name, and takes it back where it was another file.
func (d disk) move(dir int, from, to string, expected Image) error {
	if err := d.place(dir, from, to); err != nil {
		return err
	}
	moved, err := d.look(dir, to, false)
	if err == nil && moved.isInode(expected) {
		return d.settle(dir, to)
	}
	if back := d.place(dir, to, from); back != nil {
		return fmt.Errorf("take the new name of %s back: %w", from, back)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", from, ErrChanged)
}

// madeNow looks at a folder that this process has just made. Who owns the one above
// can put another in its place, which may be one of root's that they cannot read; it
// would be given to them. What is empty tells nobody anything.
func (d disk) madeNow(fd int, name string) (Image, error) {
	i, err := d.image(fd, name, false)
	if err != nil {
		return i, err
	}
	inside, err := d.names(fd)
	switch {
	case err != nil:
		return i, fmt.Errorf("list it: %w", err)
	case len(inside) > 0 || int(i.UID) != unix.Geteuid():
		return i, ErrChanged
	}
	return i, nil
}

// unmask gives a new folder the rights of the plan, whatever the umask of this process:
// one of the system must not be closed to all users because root works with 077. Where
// the folder above has a list of rights for what is made in it, that list rules.
func (d disk) unmask(fd int, made Image, mode uint32) error {
	const inherited = unix.S_ISGID
	if made.Mode&^inherited == mode {
		return nil
	}
	if ruled, err := d.hasxattr(fd, "system.posix_acl_access"); err != nil || ruled {
		return err
	}
	return d.fchmod(fd, mode|made.Mode&inherited)
}

func (d disk) makeDir(dir int, name string, s *Step) error {
	if err := d.mkdirat(dir, name, s.Mode); err != nil {
		return fmt.Errorf("make the folder %s: %w", s.Path, err)
	}
	fd, err := d.openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("open the folder %s: %w", s.Path, err)
	}
	defer d.release(fd)
	owner, err := d.ownerFor(dir)
	if err != nil {
		return err
	}
	made, err := d.madeNow(fd, name)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	if strings.HasPrefix(s.Path, "/etc/") {
		if err := d.unmask(fd, made, s.Mode); err != nil {
			return fmt.Errorf("set the rights of the folder %s: %w", s.Path, err)
		}
	}
	if made.UID != owner.UID {
		if err := d.fchown(fd, owner.UID, owner.GID); err != nil {
			return fmt.Errorf("give the folder %s to %d:%d: %w", s.Path, owner.UID, owner.GID, err)
		}
	}
	s.After = made
	return d.settle(dir, name)
}
