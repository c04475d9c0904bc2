package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// Live returns the door to the running machine.
func Live() Reader { return live{patience: Patience} }

// live asks the running Windows system.
type live struct{ patience time.Duration }

func (live) OS() string { return "windows" }

// onPath asks one question about a path, bounded in time, and gives its error
// the one form that all errors about paths have.
func onPath[T any](l live, op, path string, ask func() (T, error)) (T, error) {
	value, err := within(l.patience, ask)
	if err != nil {
		var none T
		return none, pathError(op, path, err)
	}
	return value, nil
}

func pathError(op, path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: named(err)}
}

// named gives the errors of Windows that a check may meet the name that the
// same thing has elsewhere. It is the only place where numbers become names.
func named(err error) error {
	switch {
	case errors.Is(err, windows.ERROR_DIRECTORY):
		return ENOTDIR
	case errors.Is(err, syscall.EISDIR):
		return EISDIR
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
		return Errno("EBUSY")
	case errors.Is(err, fs.ErrNotExist):
		return ENOENT
	case errors.Is(err, fs.ErrPermission):
		return EACCES
	}
	return err
}

func (l live) ReadFile(path string) ([]byte, error) {
	return onPath(l, opRead, path, func() ([]byte, error) {
		f, err := openRegular(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
		if err == nil && len(data) > MaxFile {
			return nil, ErrTooBig
		}
		return data, err
	})
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

func openRegular(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = EISDIR
	case !info.Mode().IsRegular():
		err = ErrNotRegular
	default:
		return f, nil
	}
	_ = f.Close()
	return nil, err
}

func (l live) ReadDir(path string) ([]Entry, error) {
	return onPath(l, opReadDir, path, func() ([]Entry, error) {
		dir, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = dir.Close() }()
		found, err := dir.ReadDir(maxEntries + 1)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(found) > maxEntries {
			return nil, ErrTooBig
		}
		entries := make([]Entry, len(found))
		for i, e := range found {
			entries[i] = Entry{Name: e.Name(), Type: e.Type()}
		}
		slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
		return entries, nil
	})
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
		return Stat{Mode: info.Mode(), Size: info.Size()}, nil
	})
}

func (l live) Getenv(name string) (string, bool, error) {
	value, set := os.LookupEnv(name)
	return value, set, nil
}

func (l live) Environ(prefix string) ([]Variable, error) {
	return environWith(prefix, os.Environ()), nil
}

func (l live) Process() (Process, error) {
	return Process{}, fmt.Errorf("read process: %w", ErrOtherSystem)
}

func (l live) KernelLog() ([]string, error) {
	return nil, fmt.Errorf("read kernel log: %w", ErrOtherSystem)
}

func (l live) Ask(_ context.Context, tool Tool, _ ...string) ([]byte, error) {
	return nil, fmt.Errorf("run %s: %w", tool, ErrOtherSystem)
}
