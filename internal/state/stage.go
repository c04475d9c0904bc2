package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Stage is a folder of this run alone, in which files of an archive are looked
// at before anything is changed. It is among the temporary files.
type Stage struct {
	dir  string
	lock *os.File // held while it is in use; none where the system has none
	// Stopped is asked whether somebody wants this to end; nil is no.
	Stopped func() bool
}

const (
	stagePrefix = "rocsmith-kernels-"
	stageLock   = ".lock"
)

// NewStage makes one, and takes away those that interrupted runs left: they hold
// gigabytes.
func NewStage() (*Stage, error) { return newStage(os.TempDir(), time.Now()) }

func newStage(tmp string, now time.Time) (*Stage, error) {
	sweepStages(tmp, now)
	dir, err := os.MkdirTemp(tmp, stagePrefix)
	if err != nil {
		return nil, fmt.Errorf("make a folder to unpack into: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("find the folder to unpack into: %w", err)
	}
	lock, err := hold(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold the folder to unpack into: %w", err), os.RemoveAll(dir))
	}
	return &Stage{dir: dir, lock: lock}, nil
}

// sweepStages does what it can: what stays is in nobody's way.
func sweepStages(tmp string, now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(tmp, stagePrefix+"*")) // the pattern is a good one, or no folder of that name is found
	for _, dir := range dirs {
		if abandoned(dir, now) {
			_ = os.RemoveAll(dir)
		}
	}
}

// Put keeps a file under a name without a folder, and returns where, its size and
// its sum.
func (s *Stage) Put(name string, r io.Reader) (place string, size int64, sum string, err error) {
	if filepath.Base(name) != name || name == "." || name == ".." {
		return "", 0, "", fmt.Errorf("%q is no name of a file", name)
	}
	place = filepath.Join(s.dir, name)
	f, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, "", fmt.Errorf("unpack: %w", err)
	}
	h := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, h), patient{r, s})
	if closed := f.Close(); err == nil {
		err = closed
	}
	return place, size, hex.EncodeToString(h.Sum(nil)), err
}

// Interrupted is an error where somebody wants this to end.
func (s *Stage) Interrupted() error {
	if s.Stopped != nil && s.Stopped() {
		return ErrUnbegun
	}
	return nil
}

// A patient reader reads until somebody wants it to end.
type patient struct {
	io.Reader
	stage *Stage
}

func (p patient) Read(buf []byte) (int, error) {
	if err := p.stage.Interrupted(); err != nil {
		return 0, err
	}
	return p.Reader.Read(buf)
}

// Files are those that were put.
func (s *Stage) Files() fs.FS { return os.DirFS(s.dir) }

// Remove takes it away with all that is in it.
func (s *Stage) Remove() error {
	err := os.RemoveAll(s.dir)
	if s.lock != nil {
		_ = s.lock.Close()
	}
	if err != nil {
		return fmt.Errorf("remove what was unpacked: %w", err)
	}
	return nil
}
