package lint

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// An overlay is a file system with the content of some files replaced, or made of
// nothing else.
type overlay struct {
	below fs.FS // nil where there is none
	files map[string][]byte
}

// changed names the files that overlays replace.
func changed(fsys fs.FS) []string {
	var out []string
	for o, is := fsys.(overlay); is; o, is = o.below.(overlay) {
		out = append(out, slices.Collect(maps.Keys(o.files))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (o overlay) Open(name string) (fs.File, error) {
	data, own := o.files[name]
	switch {
	case own:
		return &memoryFile{Reader: bytes.NewReader(data), info: memoryInfo{path.Base(name), int64(len(data)), 0o644}}, nil
	case o.below != nil:
		return o.below.Open(name)
	case len(o.names(name)) > 0 || name == ".":
		return &memoryFile{Reader: bytes.NewReader(nil), info: memoryInfo{path.Base(name), 0, fs.ModeDir | 0o755}}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// names are what a folder holds, where there is nothing below.
func (o overlay) names(dir string) []string {
	seen := map[string]bool{}
	for name := range o.files {
		if dir != "." {
			rest, inside := strings.CutPrefix(name, dir+"/")
			if !inside {
				continue
			}
			name = rest
		}
		first, _, _ := strings.Cut(name, "/")
		seen[first] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// ReadDir lists a folder; a replaced file is listed below already.
func (o overlay) ReadDir(dir string) ([]fs.DirEntry, error) {
	if o.below != nil {
		return fs.ReadDir(o.below, dir)
	}
	var out []fs.DirEntry
	for _, name := range o.names(dir) {
		info, err := fs.Stat(o, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		out = append(out, fs.FileInfoToDirEntry(info))
	}
	return out, nil
}

type memoryFile struct {
	*bytes.Reader
	info memoryInfo
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *memoryFile) Close() error               { return nil }

type memoryInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) Mode() fs.FileMode  { return i.mode }
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
func (i memoryInfo) IsDir() bool        { return i.mode.IsDir() }
func (i memoryInfo) Sys() any           { return nil }
