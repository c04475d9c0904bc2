package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Root answers questions about the tree below dir as if dir were "/": a mounted
// disk, an unpacked image. Symbolic links are resolved here and not by the
// system, because an absolute link of that tree means a file of that tree.
//
// What belongs to the running process or kernel (its variables, its rights, the
// kernel log, tools) is refused with ErrAnotherRoot: it would describe this
// machine and pass for the other.
func Root(r Reader, dir string) Reader {
	return &rooted{door: r, dir: strings.TrimRight(dir, "/")}
}

type rooted struct {
	door Reader
	dir  string
}

// below asks one question about the place that p means inside the root.
func below[T any](r *rooted, op, p string, follow bool, ask func(outside string) (T, error)) (T, error) {
	var none T
	inside, err := walk(p, follow, r.readLink)
	if err != nil {
		return none, inRoot(op, p, err)
	}
	value, err := ask(r.dir + inside)
	if err != nil {
		return none, inRoot(op, p, err)
	}
	return value, nil
}

func (r *rooted) readLink(inside string) (target string, isLink bool, err error) {
	st, err := r.door.Lstat(r.dir + inside)
	if err != nil || st.Mode&fs.ModeSymlink == 0 {
		return "", false, err
	}
	target, err = r.door.ReadLink(r.dir + inside)
	return target, true, err
}

// inRoot makes an error name the path that was asked for, without the prefix.
func inRoot(op, p string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		op, err = pe.Op, pe.Err
	}
	return &fs.PathError{Op: op, Path: p, Err: err}
}

func (r *rooted) OS() string { return r.door.OS() }

func (r *rooted) ReadFile(p string) ([]byte, error) {
	return below(r, opRead, p, true, r.door.ReadFile)
}

func (r *rooted) ReadAt(p string, off int64, n int) ([]byte, error) {
	return below(r, opRead, p, true, func(outside string) ([]byte, error) {
		return r.door.ReadAt(outside, off, n)
	})
}

func (r *rooted) ReadDir(p string) ([]Entry, error) {
	return below(r, opReadDir, p, true, r.door.ReadDir)
}

func (r *rooted) ReadLink(p string) (string, error) {
	return below(r, opReadLink, p, false, r.door.ReadLink)
}

func (r *rooted) Lstat(p string) (Stat, error) {
	return below(r, opLstat, p, false, r.door.Lstat)
}

func (r *rooted) Statfs(p string) (FileSystem, error) {
	return below(r, opStatfs, p, true, r.door.Statfs)
}

func (r *rooted) Getxattr(p, name string) ([]byte, error) {
	return below(r, opGetxattr, p, true, func(outside string) ([]byte, error) {
		return r.door.Getxattr(outside, name)
	})
}

func (r *rooted) FileVersion(p string) (string, error) {
	return below(r, opVersion, p, true, r.door.FileVersion)
}

func (r *rooted) Access(p string, _ byte) error {
	return &fs.PathError{Op: opAccess, Path: p, Err: ErrAnotherRoot}
}

func (r *rooted) TryOpen(p string) error {
	return &fs.PathError{Op: opOpen, Path: p, Err: ErrAnotherRoot}
}

func (r *rooted) Getenv(name string) (string, bool, error) {
	return "", false, fmt.Errorf("read variable %s: %w", name, ErrAnotherRoot)
}

func (r *rooted) Environ(prefix string) ([]Variable, error) {
	return nil, fmt.Errorf("read variables %s*: %w", prefix, ErrAnotherRoot)
}

func (r *rooted) Process() (Process, error) {
	return Process{}, fmt.Errorf("read process: %w", ErrAnotherRoot)
}

func (r *rooted) KernelLog() ([]string, error) {
	return nil, fmt.Errorf("read kernel log: %w", ErrAnotherRoot)
}

func (r *rooted) Registry(key, value string) (string, error) {
	return "", fmt.Errorf("read registry %s %s: %w", key, value, ErrAnotherRoot)
}

func (r *rooted) Ask(_ context.Context, tool Tool, _ ...string) ([]byte, error) {
	return nil, fmt.Errorf("run %s: %w", tool, ErrAnotherRoot)
}
