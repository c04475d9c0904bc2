package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// A disk does with single files what the journal wants done.
type disk struct{ calls }

// folder opens a folder component by component, and follows no link on the way.
func (d disk) folder(p string) (int, error) {
	fd, err := d.openat(unix.AT_FDCWD, "/", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: "/", Err: err}
	}
	at := ""
	for name := range strings.SplitSeq(strings.Trim(p, "/"), "/") {
		if name == "" {
			continue
		}
		at += "/" + name
		next, err := d.openat(fd, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		d.release(fd)
		if err != nil {
			return -1, &fs.PathError{Op: "open", Path: at, Err: err}
		}
		fd = next
	}
	return fd, nil
}

// release closes a handle that nothing was written through.
func (d disk) release(fd int) { _ = d.closeFile(fd) }

// within opens the folder of a path, and hands on its handle and the name.
func (d disk) within(p string, do func(dir int, name string) error) error {
	dir, err := d.folder(path.Dir(p))
	if err != nil {
		return err
	}
	defer d.release(dir)
	return do(dir, path.Base(p))
}

// look takes the image of a file, with its content where that is wanted. What is
// neither a plain file nor a folder, or has a second name, is refused: to replace
// it would change more than was shown.
func (d disk) look(dir int, name string, content bool) (Image, error) {
	fd, err := d.openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOATIME, 0)
	if errors.Is(err, unix.EPERM) { // only the owner may leave the time of access alone
		fd, err = d.openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	}
	if errors.Is(err, unix.EACCES) && !content { // what is only moved need not be read
		fd, err = d.openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return Image{Absent: true}, nil
	case errors.Is(err, unix.ELOOP):
		return Image{}, oddError(name + " is a symbolic link")
	case errors.Is(err, unix.ENXIO):
		return Image{}, oddError(name + " is neither a file nor a folder")
	case err != nil:
		return Image{}, fmt.Errorf("open %s: %w", name, err)
	}
	defer d.release(fd)
	return d.image(fd, name, content)
}

// errOddFile is a link, a pipe or a device.
var errOddFile = errors.New("it is neither a file nor a folder")

// An oddError is errOddFile with a name.
type oddError string

func (e oddError) Error() string { return string(e) }

func (e oddError) Is(target error) bool { return target == errOddFile }

func (d disk) image(fd int, name string, content bool) (Image, error) {
	st, err := d.fstat(fd)
	if err != nil {
		return Image{}, fmt.Errorf("look at %s: %w", name, err)
	}
	i := Image{
		Mode: st.Mode & 0o7777, UID: st.Uid, GID: st.Gid, Size: st.Size, Inode: st.Ino,
		Device: deviceOf(st), Access: momentOf(st.Atim), Change: momentOf(st.Mtim),
	}
	switch kind := st.Mode & unix.S_IFMT; {
	case kind == unix.S_IFDIR:
		i.Folder = true
		return i, nil
	case kind != unix.S_IFREG:
		return i, oddError(name + " is neither a file nor a folder")
	case st.Nlink > 1 && content:
		return i, fmt.Errorf("%s has %d names (hard links), and only one would be changed", name, st.Nlink)
	}
	if i.Flags, err = d.flagsOf(fd, name); err != nil || !content {
		return i, err
	}
	if i.Data, err = d.read(fd); err != nil {
		return i, fmt.Errorf("read %s: %w", name, err)
	}
	i.Sum = sumOf(i.Data)
	i.Xattrs, err = d.attributes(fd, name)
	return i, err
}

// attributes reads the extended attributes: access lists, labels, notes.
func (d disk) attributes(fd int, name string) (map[string][]byte, error) {
	names, err := d.listxattr(fd)
	if err != nil {
		return nil, fmt.Errorf("list the attributes of %s: %w", name, err)
	}
	var out map[string][]byte
	for _, attribute := range names {
		if !utf8.ValidString(attribute) {
			return nil, fmt.Errorf("the name of an attribute of %s is no text: %q", name, attribute)
		}
		value, err := d.getxattr(fd, attribute)
		if err != nil {
			return nil, fmt.Errorf("read the attribute %s of %s: %w", attribute, name, err)
		}
		if out == nil {
			out = map[string][]byte{}
		}
		out[attribute] = value
	}
	return out, nil
}

// make writes a new file under a name that nobody has. It is on the disk, with
// its rights, before anybody sees it under its own name.
func (d disk) make(dir int, name string, i Image) error {
	fd, err := d.openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	err = d.fill(fd, name, i)
	if closed := d.closeFile(fd); err == nil && closed != nil {
		err = fmt.Errorf("close %s: %w", name, closed)
	}
	if err != nil {
		_ = d.unlink(dir, name, false) // recovery takes it away where this cannot
	}
	return err
}

func (d disk) fill(fd int, name string, i Image) error {
	if err := d.write(fd, i.Data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	st, err := d.fstat(fd)
	if err != nil {
		return fmt.Errorf("look at %s: %w", name, err)
	}
	if st.Uid != i.UID || st.Gid != i.GID {
		if err := d.fchown(fd, i.UID, i.GID); err != nil {
			return fmt.Errorf("give %s to %d:%d: %w", name, i.UID, i.GID, err)
		}
	}
	if err := d.dress(fd, name, i.Xattrs); err != nil {
		return err
	}
	// After the owner, because a change of owner takes setuid bits away, and after
	// the attributes, which nobody may set on a file that nobody may write.
	if err := d.fchmod(fd, i.Mode); err != nil {
		return fmt.Errorf("set the rights of %s: %w", name, err)
	}
	if err := d.flag(fd, name, i.Flags); err != nil {
		return err
	}
	if i.taken() {
		if err := d.utimes(fd, i.Access, i.Change); err != nil {
			return fmt.Errorf("set the times of %s: %w", name, err)
		}
	}
	if err := d.fsync(fd); err != nil {
		return fmt.Errorf("bring %s to the disk: %w", name, err)
	}
	return nil
}

// dress gives a file these attributes and no others. One that it has from its
// folder already need not be set, which only root may do with some.
func (d disk) dress(fd int, name string, want map[string][]byte) error {
	has, err := d.attributes(fd, name)
	if err != nil {
		return err
	}
	for attribute, value := range want {
		if old, ok := has[attribute]; ok && string(old) == string(value) {
			continue
		}
		if err := d.setxattr(fd, attribute, value); err != nil {
			return fmt.Errorf("set the attribute %s of %s: %w", attribute, name, err)
		}
	}
	for attribute := range has {
		if _, ok := want[attribute]; ok || strings.HasPrefix(attribute, "security.") {
			continue // a label belongs to the place
		}
		if err := d.removexattr(fd, attribute); err != nil {
			return fmt.Errorf("take the attribute %s from %s: %w", attribute, name, err)
		}
	}
	return nil
}

// put lets new stand where old stood, or refuses. The two change places, so that
// what somebody saved in the same moment is in hand and not lost; it is compared,
// and put back where it is not what was expected.
func (d disk) put(dir int, name, temporary string, old, fresh Image) error {
	if err := d.clear(dir, temporary); err != nil {
		return err
	}
	if err := d.make(dir, temporary, fresh); err != nil {
		return err
	}
	if err := d.swap(dir, name, temporary, old); err != nil {
		_ = d.clear(dir, temporary) // recovery does it where this cannot
		return err
	}
	if err := d.clear(dir, temporary); err != nil {
		return err
	}
	return d.settle(dir, name)
}

func (d disk) settle(dir int, name string) error {
	fd, err := d.openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if errors.Is(err, unix.EACCES) {
		return nil // a folder that may be written and not read; the rename stands
	}
	if err != nil {
		return fmt.Errorf("open the folder of %s: %w", name, err)
	}
	defer d.release(fd)
	if err := d.fsync(fd); err != nil {
		return fmt.Errorf("bring the folder of %s to the disk: %w", name, err)
	}
	return nil
}

// unsupported are the answers of file systems that cannot exchange two names.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

func (d disk) swap(dir int, name, temporary string, old Image) error {
	if old.Absent {
		return d.place(dir, temporary, name)
	}
	now, err := d.look(dir, name, true)
	if err != nil {
		return err
	}
	if !now.sameFile(old) {
		return fmt.Errorf("%s: %w", name, ErrChanged)
	}
	err = d.rename(dir, temporary, name, unix.RENAME_EXCHANGE)
	if unsupported(err) {
		err = d.rename(dir, temporary, name, 0)
		if err != nil {
			return fmt.Errorf("put %s in its place: %w", name, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("put %s in its place: %w", name, err)
	}
	taken, err := d.look(dir, temporary, true)
	if err == nil && taken.sameFile(old) && taken.sameRights(old) { // else the new one would be wider than the old
		return nil
	}
	if back := d.rename(dir, temporary, name, unix.RENAME_EXCHANGE); back != nil {
		return fmt.Errorf("put %s back: %w", name, back)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, ErrChanged)
}

// place gives a file a name that nobody has, and never takes somebody's.
func (d disk) place(dir int, from, to string) error {
	err := d.rename(dir, from, to, unix.RENAME_NOREPLACE)
	if unsupported(err) {
		err = d.placePlainly(dir, from, to)
	}
	if errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("%s: %w", to, ErrChanged)
	}
	if err != nil {
		return fmt.Errorf("name %s: %w", to, err)
	}
	return nil
}

// placePlainly is for file systems, as NFS, that cannot rename and refuse to replace.
// A file gets a second name, which fails where somebody has it, and loses the first;
// what cannot have two is renamed after a look: folders, files of others
// (fs.protected_hardlinks), all on exFAT.
func (d disk) placePlainly(dir int, from, to string) error {
	err := d.link(dir, from, to)
	switch {
	case err == nil:
		return d.unlink(dir, from, false)
	case !unsupported(err) && !errors.Is(err, unix.EPERM):
		return err
	}
	now, err := d.look(dir, to, false)
	switch {
	case err != nil:
		return err
	case !now.Absent:
		return unix.EEXIST
	}
	return d.rename(dir, from, to, 0)
}

// oneName takes the second name of a file away that was not to keep it: a process was
// killed between the two calls by which placePlainly gives a file another name.
func (d disk) oneName(dir int, name, second string) error {
	one, err := d.look(dir, name, false)
	if err != nil || one.Folder {
		return nil //nolint:nilerr // it is no file of ours with two names; who asks looks at it again
	}
	other, err := d.look(dir, second, false)
	if err != nil || !one.isInode(other) {
		return nil //nolint:nilerr // as above
	}
	return d.clear(dir, second)
}

// clear takes a file of our own away; that there is none is fine.
func (d disk) clear(dir int, temporary string) error {
	err := d.unlink(dir, temporary, false)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", temporary, err)
	}
	return nil
}

// take removes a file, after it was compared under a name that nobody else uses.
func (d disk) take(dir int, name, temporary string, expected Image) error {
	if err := d.place(dir, name, temporary); err != nil {
		return err
	}
	taken, err := d.look(dir, temporary, true)
	if err == nil && taken.sameContent(expected) {
		if err := d.clear(dir, temporary); err != nil {
			return err
		}
		return d.settle(dir, name)
	}
	if back := d.place(dir, temporary, name); back != nil {
		return fmt.Errorf("put %s back: %w", name, back)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, ErrChanged)
}

func deviceOf(st unix.Stat_t) uint64 {
	return uint64(st.Dev) //nolint:unconvert // 32 bits wide on some machines
}

func momentOf(t unix.Timespec) Moment {
	seconds, nanos := t.Unix()
	return Moment{seconds, nanos}
}
