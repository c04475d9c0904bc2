package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

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

func openRegular(path string) (plainFile, error) {
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
		return sized{f, info.Size()}, nil
	}
	_ = f.Close()
	return nil, err
}

type sized struct {
	*os.File
	size int64
}

func (s sized) Size() int64 { return s.size }

func readDir(path string) ([]Entry, error) {
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
	return entries, nil
}

func statOf(info fs.FileInfo) Stat { return Stat{Mode: info.Mode(), Size: info.Size()} }

func (live) Process() (Process, error) {
	return Process{}, fmt.Errorf("read process: %w", ErrOtherSystem)
}

func (live) KernelLog() ([]string, error) {
	return nil, fmt.Errorf("read kernel log: %w", ErrOtherSystem)
}

func (live) Ask(_ context.Context, tool Tool, _ ...string) ([]byte, error) {
	return nil, fmt.Errorf("run %s: %w", tool, ErrOtherSystem)
}
