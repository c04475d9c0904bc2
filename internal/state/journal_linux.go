package state

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Journal is the record of what was changed, held by one process at a time.
type Journal struct {
	disk disk
	path string
	dir  int // the folder of the entries
	lock int
	now  func() time.Time
	// Stopped is asked before each step whether somebody wants this to end; nil is no.
	Stopped func() bool
}

const folderMode = 0o700

// Open takes the journal below a folder for this process alone, and makes it
// where there is none.
func Open(dir string, now func() time.Time) (*Journal, error) {
	return open(dir, disk{kernel{}}, now)
}

func open(dir string, d disk, now func() time.Time) (*Journal, error) {
	place, err := ensure(d, filepath.Join(dir, "journal"))
	if err != nil {
		return nil, fmt.Errorf("open the journal in %s: %w", dir, err)
	}
	j := &Journal{disk: d, path: place, dir: -1, lock: -1, now: now}
	if err := j.hold(); err != nil {
		_ = j.Close()
		if errors.Is(err, ErrBusy) {
			return nil, err
		}
		return nil, fmt.Errorf("open the journal in %s: %w", dir, err)
	}
	return j, nil
}

// ensure makes a folder and those above it, for this user alone, and returns its
// real path.
func ensure(d disk, dir string) (string, error) {
	found, err := filepath.EvalSymlinks(dir)
	if err == nil {
		return found, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	above, err := ensure(d, filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	place := filepath.Join(above, filepath.Base(dir))
	return place, d.within(place, func(parent int, name string) error {
		if err := d.mkdirat(parent, name, folderMode); err != nil && !errors.Is(err, unix.EEXIST) {
			return &fs.PathError{Op: "mkdir", Path: place, Err: err}
		}
		return d.settle(parent, name)
	})
}

func (j *Journal) hold() (err error) {
	if j.dir, err = j.disk.folder(j.path); err != nil {
		return err
	}
	st, err := j.disk.fstat(j.dir)
	switch {
	case err != nil:
		return err
	case int(st.Uid) != unix.Geteuid():
		return &strangersError{j.path, st.Uid}
	case st.Mode&0o022 != 0:
		return fmt.Errorf("%s can be written by others (mode %04o), who could tell undo what to do; chmod 700 closes it", j.path, st.Mode&0o7777)
	}
	j.lock, err = j.disk.openat(j.dir, ".lock", unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("open the lock: %w", err)
	}
	return j.await()
}

// A strangersError is a journal that belongs to somebody else.
type strangersError struct {
	dir string
	uid uint32
}

func (e *strangersError) Error() string {
	text := fmt.Sprintf("%s belongs to uid %d, and this process is uid %d; XDG_STATE_HOME can name another place", e.dir, e.uid, unix.Geteuid())
	if e.uid == root { // left by a run with the home of somebody else
		text += fmt.Sprintf(", or root can give it back: sudo chown -R %d %s", unix.Geteuid(), e.dir)
	}
	return text
}

// another is how long one process waits for another, which is most often done in
// a moment.
const another = 2 * time.Second

func (j *Journal) await() error {
	enough := time.NewTimer(another)
	defer enough.Stop()
	again := time.NewTicker(another / 100)
	defer again.Stop()
	for {
		err := j.disk.flock(j.lock)
		if !errors.Is(err, ErrBusy) {
			return err
		}
		select {
		case <-enough.C:
			return err
		case <-again.C:
		}
	}
}

// Close gives the journal free.
func (j *Journal) Close() error {
	for _, fd := range []int{j.lock, j.dir} {
		if fd >= 0 {
			j.disk.release(fd)
		}
	}
	j.lock, j.dir = -1, -1
	return nil
}

// Read returns the entries of a journal, the oldest first, without holding it.
// That there is none is no error.
func Read(dir string) ([]Entry, error) {
	folder := filepath.Join(dir, "journal")
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	var out []Entry
	for _, f := range list {
		id, ours := strings.CutSuffix(f.Name(), suffix)
		if !ours {
			continue
		}
		file := filepath.Join(folder, f.Name())
		data, err := readEntry(file)
		if err != nil {
			return nil, err
		}
		e, err := parse(data)
		if err == nil && e.ID != id {
			err = fmt.Errorf("it holds the entry %s", e.ID)
		}
		switch {
		case errors.Is(err, errNewer):
			return nil, &NewerError{file}
		case err != nil:
			return nil, &DamagedError{file, err}
		}
		out = append(out, e)
	}
	// The clock may have been set meanwhile; numbers only grow.
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(day(a.ID), day(b.ID)), number(a.ID)-number(b.ID))
	})
	return out, nil
}

// readEntry reads a plain file of this user's. What it says is done at an undo: who owns
// a folder above could have put one of their own there.
func readEntry(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		return nil, &DamagedError{file, errOddEntry}
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer func() { _ = f.Close() }()
	var st unix.Stat_t
	switch err := unix.Fstat(int(f.Fd()), &st); {
	case err != nil:
		return nil, fmt.Errorf("look at the journal %s: %w", file, err)
	case st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > maxEntry:
		return nil, &DamagedError{file, errOddEntry}
	case int(st.Uid) != unix.Geteuid():
		return nil, &DamagedError{file, fmt.Errorf("it belongs to uid %d, and this process is uid %d", st.Uid, unix.Geteuid())}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEntry+1))
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return data, nil
}

var errOddEntry = errors.New("it is no plain file, or too large for an entry")

func day(id string) string { return id[:strings.LastIndex(id, "-")] }

func number(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndex(id, "-")+1:]) // the id is valid
	return n
}

const suffix = ".entry"

// maxEntry bounds what is read back: before-images are of text files.
const maxEntry = 256 << 20

// Entries returns all entries, the oldest first.
func (j *Journal) Entries() ([]Entry, error) { return Read(filepath.Dir(j.path)) }

// save brings an entry to the disk before anything else is done.
func (j *Journal) save(e *Entry) error {
	data, err := seal(*e)
	if err != nil {
		return err
	}
	temporary := "." + e.ID + ".new"
	if err := j.disk.clear(j.dir, temporary); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	i := Image{Data: data, Mode: 0o600, UID: uint32(unix.Geteuid()), GID: uint32(unix.Getegid())} //nolint:gosec // ids are never negative
	if err := j.disk.make(j.dir, temporary, i); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.disk.rename(j.dir, temporary, e.ID+suffix, 0); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return j.disk.settle(j.dir, temporary)
}
