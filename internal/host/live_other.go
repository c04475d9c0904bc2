//go:build !linux && !windows

package host

import (
	"context"
	"io/fs"
	"runtime"
)

// Live returns a door that opens nothing: AMD GPUs work under Linux and Windows
// only, but a snapshot of such a machine can be judged anywhere.
func Live() Reader { return closed{} }

type closed struct{}

func closedPath(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: ErrOtherSystem}
}

func (closed) OS() string { return runtime.GOOS }

func (closed) ReadFile(path string) ([]byte, error) { return nil, closedPath(opRead, path) }

func (closed) ReadAt(path string, _ int64, _ int) ([]byte, error) {
	return nil, closedPath(opRead, path)
}

func (closed) ReadDir(path string) ([]Entry, error) { return nil, closedPath(opReadDir, path) }

func (closed) ReadLink(path string) (string, error) { return "", closedPath(opReadLink, path) }

func (closed) Lstat(path string) (Stat, error) { return Stat{}, closedPath(opLstat, path) }

func (closed) Statfs(path string) (FileSystem, error) {
	return FileSystem{}, closedPath(opStatfs, path)
}

func (closed) Getxattr(path, _ string) ([]byte, error) { return nil, closedPath(opGetxattr, path) }

func (closed) Access(path string, _ byte) error { return closedPath(opAccess, path) }

func (closed) TryOpen(path string) error { return closedPath(opOpen, path) }

func (closed) Getenv(string) (string, bool, error) { return "", false, ErrOtherSystem }

func (closed) Environ(string) ([]Variable, error) { return nil, ErrOtherSystem }

func (closed) Process() (Process, error) { return Process{}, ErrOtherSystem }

func (closed) KernelLog() ([]string, error) { return nil, ErrOtherSystem }

func (closed) Registry(_, _ string) (string, error) { return "", ErrOtherSystem }

func (closed) FileVersion(path string) (string, error) { return "", closedPath(opVersion, path) }

func (closed) Ask(context.Context, Tool, ...string) ([]byte, error) { return nil, ErrOtherSystem }
