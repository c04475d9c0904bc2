package image

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// layers is a file system of folders that lie over each other. Links are left out:
// what they lead to is there under its own name, or outside of the image.
type layers struct {
	files   fs.ReadLinkFS
	folders []string // the topmost first
}

// Marks of what an upper layer takes away, as they stand in archives of layers and
// where no devices can be made. Elsewhere it is a character device.
const (
	gone   = ".wh."
	opaque = ".wh..wh..opq"
)

// topmost finds the layer that has a name.
func (l layers) topmost(op, name string) (string, fs.FileInfo, error) {
	missing := &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	if !fs.ValidPath(name) {
		return "", nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	for _, folder := range l.folders {
		at := path.Join(folder, name)
		info, err := l.files.Lstat(at)
		switch {
		case err == nil && !info.IsDir() && !info.Mode().IsRegular():
			return "", nil, missing
		case err == nil:
			return at, info, nil
		case !errors.Is(err, fs.ErrNotExist): // which a file in the place of a folder is as well
			return "", nil, err
		}
	}
	return "", nil, missing
}

// Open implements fs.FS.
func (l layers) Open(name string) (fs.File, error) {
	at, _, err := l.topmost("open", name)
	if err != nil {
		return nil, err
	}
	return l.files.Open(at)
}

// Stat implements fs.StatFS.
func (l layers) Stat(name string) (fs.FileInfo, error) {
	_, info, err := l.topmost("stat", name)
	return info, err
}

// ReadDir implements fs.ReadDirFS.
func (l layers) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, _, err := l.topmost("readdir", name); err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	seen := map[string]bool{}
	for _, folder := range l.folders {
		entries, err := fs.ReadDir(l.files, path.Join(folder, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		var last bool
		if out, last = over(entries, seen, out); last {
			break
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// over adds what one layer has, and reports whether it hides all that lies below.
func over(entries []fs.DirEntry, seen map[string]bool, out []fs.DirEntry) ([]fs.DirEntry, bool) {
	last := false
	var taken []string
	for _, e := range entries {
		name := e.Name()
		hidden, marked := strings.CutPrefix(name, gone)
		switch {
		case name == opaque:
			last = true
		case marked:
			taken = append(taken, hidden)
		case !seen[name]:
			seen[name] = true
			if e.IsDir() || e.Type().IsRegular() {
				out = append(out, e)
			}
		}
	}
	for _, name := range taken {
		seen[name] = true
	}
	return out, last
}
