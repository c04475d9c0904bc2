//go:build linux || windows

package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// Live returns the door to the running machine.
func Live() Reader { return live{patience: Patience, hangs: new(atomic.Int32)} }

// live asks the running system. What is the same on all systems stands here;
// the files by system hold the rest.
type live struct {
	patience time.Duration
	hangs    *atomic.Int32 // questions that were given up
}

func (live) OS() string { return runtime.GOOS }

// onPath asks one question about a path, bounded in time, and gives its error
// the one form that all errors about paths have.
func onPath[T any](l live, op, path string, ask func() (T, error)) (T, error) {
	value, err := bounded(l, ask)
	if err != nil {
		var none T
		return none, pathError(op, path, err)
	}
	return value, nil
}

// bounded asks one question within the time that is left for it. Where a driver
// hangs it hangs everywhere, and nobody waits two seconds for each of a hundred
// files: after a few questions that were given up, the others get a moment.
// Answers that come at all come in far less.
func bounded[T any](l live, ask func() (T, error)) (T, error) {
	const few, moment = 3, 20 * time.Millisecond
	patience := l.patience
	if l.hangs.Load() >= few {
		patience = min(patience, moment)
	}
	value, err := within(patience, ask)
	if errors.Is(err, ErrTooLong) {
		l.hangs.Add(1)
	}
	return value, err
}

func pathError(op, path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: named(err)}
}

// readWhole reads a file of at most MaxFile bytes. A file that is as long as the
// system says needs one call; those of /proc and /sys are read to their end.
func readWhole(f plainFile) ([]byte, error) {
	const least = 512
	data := make([]byte, 0, max(least, min(f.Size(), MaxFile)+1))
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case len(data) > MaxFile:
			return nil, ErrTooBig
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) == f.Size():
			return data, nil
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func (l live) ReadFile(path string) ([]byte, error) {
	return onPath(l, opRead, path, func() ([]byte, error) {
		f, err := openRegular(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return readWhole(f)
	})
}

// hold opens a plain file to be asked about many times.
func (l live) hold(path string) (plainFile, error) {
	return onPath(l, opRead, path, func() (plainFile, error) { return openRegular(path) })
}

func (l live) ReadAt(path string, off int64, n int) ([]byte, error) {
	return onPath(l, opRead, path, func() ([]byte, error) {
		switch {
		case off < 0 || n < 0:
			return nil, EINVAL
		case n > MaxFile:
			return nil, ErrTooBig
		}
		f, err := openRegular(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		data := make([]byte, n)
		got, err := f.ReadAt(data, off)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return data[:got], nil
	})
}

func (l live) ReadDir(path string) ([]Entry, error) {
	return onPath(l, opReadDir, path, func() ([]Entry, error) { return readDir(path) })
}

func (l live) ReadLink(path string) (string, error) {
	return onPath(l, opReadLink, path, func() (string, error) { return os.Readlink(path) })
}

func (l live) Lstat(path string) (Stat, error) {
	return onPath(l, opLstat, path, func() (Stat, error) {
		info, err := os.Lstat(path)
		if err != nil {
			return Stat{}, err
		}
		return statOf(info), nil
	})
}

func (live) Getenv(name string) (string, bool, error) {
	value, set := os.LookupEnv(name)
	return value, set, nil
}

func (live) Environ(prefix string) ([]Variable, error) {
	return environWith(prefix, os.Environ()), nil
}
