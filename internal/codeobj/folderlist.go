package codeobj

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// A folderList is the files of a folder of kernels on a disk.
type folderList struct {
	fsys     fs.FS
	dir      string
	files    []string
	problems []Problem
}

func (l *folderList) problem(where, format string, args ...any) {
	l.problems = append(l.problems, Problem{where, fmt.Sprintf(format, args...)})
}

// list finds the files, also in folders for single GPUs.
func (l *folderList) list(dir string) error {
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if strings.HasPrefix(e.Name(), "gfx") && dir == l.dir {
				l.subfolder(name)
			}
			continue
		}
		if len(l.files) >= maxFolder {
			l.problem(dir, "more than %d files, and the rest was not read", maxFolder)
			return nil
		}
		l.files = append(l.files, name)
	}
	return nil
}

func (l *folderList) subfolder(name string) {
	if err := l.list(name); err != nil {
		l.problem(name, "the folder cannot be read: %v", err)
	}
}

// read reads the files, as many at a time as there are processors. Where too much is in them the last are left out:
// files are begun in their order, so what was read is always the first of them.
func (l *folderList) read(o Options) []KernelFile {
	out := make([]KernelFile, len(l.files))
	var next, objects, problems atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(l.files)) {
		workers.Go(func() {
			r := KernelReader{Options: o}
			for {
				i := int(next.Add(1) - 1)
				if i >= len(l.files) {
					return
				}
				out[i] = KernelFile{name: l.files[i], named: parseKernelName(path.Base(l.files[i])), err: errStop}
				full := objects.Load() > int64(o.limits().Objects) || problems.Load() > maxFolderProblems
				if full && out[i].named.role != roleIndex {
					continue
				}
				out[i] = l.readFile(&r, l.files[i])
				objects.Add(int64(len(out[i].file.Objects)))
				problems.Add(int64(len(out[i].file.Problems)))
			}
		})
	}
	workers.Wait()
	return out
}

func (l *folderList) readFile(r *KernelReader, name string) KernelFile {
	var opened fs.File
	defer func() {
		if opened != nil {
			_ = opened.Close()
		}
	}()
	return r.Read(name, func() (Source, error) {
		f, size, err := l.open(name)
		if err != nil {
			return nil, err
		}
		opened = f
		at, ok := f.(io.ReaderAt)
		if !ok {
			return nil, errors.New("it cannot be read in parts")
		}
		return Buffered(at, size), nil
	})
}

// open opens plain files only: a pipe would make us wait.
func (l *folderList) open(name string) (fs.File, int64, error) {
	info, err := fs.Stat(l.fsys, name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it is no plain file")
	}
	f, err := l.fsys.Open(name)
	return f, info.Size(), err
}
