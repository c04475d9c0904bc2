package scan

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// source is a part of a file, or bytes in memory.
type source interface {
	io.ReaderAt
	Size() int64
}

// file looks at one file. Most are told by their first bytes to hold nothing.
// An archive is only told to be one.
func (s *scanner) file(name string, w *watch) found {
	out := found{files: 1}
	f, size, err := s.open(name, w)
	if err != nil {
		out.problem(name, why(err))
		return out
	}
	defer func() { _ = f.Close() }()
	src := codeobj.Buffered(f, size)
	l := looker{scanner: s, found: &out}
	head, err := headOf(src)
	switch {
	case err != nil:
		out.problem(name, why(err))
	case int64(len(head)) < min(size, headSize):
		out.problem(name, shrank)
	case l.closed(name, head):
	case s.opens(name, head):
		out.archive = true
	default:
		l.codes(name, src)
		s.hasShrunk(name, size, &out)
	}
	out.links = f.links
	return out
}

const shrank = "it became shorter while it was read: scan it again"

// hasShrunk notices a file that somebody is writing: what was found in it may be
// half of the old and half of the new.
func (s *scanner) hasShrunk(name string, size int64, out *found) {
	if len(out.items) == 0 {
		return
	}
	if info, err := fs.Stat(s.fsys, name); err == nil && info.Size() < size {
		out.problem(name, shrank)
	}
}

// An openFile is a file to be read in parts.
type openFile struct {
	fs.File
	reads watchedFile
	links string
}

// ReadAt reads a part.
func (f openFile) ReadAt(p []byte, off int64) (int, error) { return f.reads.ReadAt(p, off) }

// open opens a file to be read in parts.
func (s *scanner) open(name string, w *watch) (openFile, int64, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return openFile{}, 0, err
	}
	info, err := f.Stat()
	src, ok := f.(io.ReaderAt)
	if err == nil && !ok {
		err = errors.New("it cannot be read in parts")
	}
	out := openFile{File: f, reads: watchedFile{src, w}}
	if live, ok := f.(interface {
		Hold() error
		Links() string
	}); ok && err == nil {
		err = live.Hold()
		out.links = live.Links()
	}
	if err != nil {
		_ = f.Close()
		return openFile{}, 0, err
	}
	return out, info.Size(), nil
}

// headOf returns the first bytes, by which archives are told.
func headOf(src source) ([]byte, error) {
	head := make([]byte, headSize)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// A looker looks at one file, or at what an archive holds.
type looker struct {
	*scanner
	found  *found
	tool   *tool   // within archives
	limits *limits // of the archive
}

func (l *looker) problem(p, what string) { l.found.problem(p, what) }

// codes asks for the GPU code in bytes.
func (l *looker) codes(name string, src source) {
	f, err := codeobj.Read(name, src, codeobj.Options{Deep: l.request.Deep})
	if err != nil {
		l.problem(name, why(err))
		return
	}
	for _, p := range f.Problems {
		l.problem(p.Path, p.What)
	}
	if i, ok := itemOf(f, src); ok {
		l.found.items = append(l.found.items, i)
	}
	switch {
	case l.limits != nil && f.Kind == codeobj.KindKpack:
		l.found.kpack(name, f.Objects)
	case l.limits != nil && f.Kpack != nil:
		l.found.split = append(l.found.split, f)
	case f.Kpack != nil:
		l.kpacked(f, l.kpacksOnDisk)
	}
	l.outside(name, f.Outside)
}

func (f *found) kpack(name string, objects []codeobj.Object) {
	if f.kpacks == nil {
		f.kpacks = map[string][]codeobj.Object{}
	}
	f.kpacks[name] = objects
}

// kpacked looks for the archives that hold the code of a library, one for each
// GPU, in the folders that the library names.
func (l *looker) kpacked(f codeobj.File, named func(dir, before, after string) map[string][]codeobj.Object) {
	i := newItem(f)
	i.kpack = f.Kpack
	before := len(l.found.problems)
	for _, pattern := range f.Kpack.Paths {
		head, tail, _ := strings.Cut(path.Base(pattern), "@GFXARCH@")
		archives := named(within(f.Path, path.Dir(pattern)), head, tail)
		for _, archive := range slices.Sorted(maps.Keys(archives)) {
			its := slices.DeleteFunc(slices.Clone(archives[archive]), func(o codeobj.Object) bool { return !f.Kpack.Names(o) })
			if i.add(its); len(its) > 0 {
				l.found.claimed = append(l.found.claimed, archive)
			}
		}
	}
	if found := l.found.problems[before:]; len(found) > 0 {
		i.unread = found[0].What
	}
	if len(i.Targets) == 0 && len(l.request.GPUs) == 0 {
		l.problem(f.Path, "its GPU code lies in archives of its own ("+strings.Join(f.Kpack.Paths, ", ")+"), and none of them is there, or holds it")
		return
	}
	l.found.items = append(l.found.items, i)
}

// within is a folder as seen from a file, which may stand in an archive.
func within(file, folder string) string {
	at := strings.LastIndexByte(file, '!') + 1
	return file[:at] + path.Join(path.Dir(file[at:]), folder)
}

// kpacksOnDisk returns the code in archives with names of that kind. A folder that
// cannot be read has none: another one may have them.
func (l *looker) kpacksOnDisk(dir, before, after string) map[string][]codeobj.Object {
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		return nil
	}
	out := map[string][]codeobj.Object{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), before) && strings.HasSuffix(e.Name(), after) {
			out[path.Join(dir, e.Name())] = l.archived(path.Join(dir, e.Name()))
		}
	}
	return out
}

func (l *looker) archived(name string) []codeobj.Object {
	f, size, err := l.open(name, &watch{})
	if err != nil {
		l.problem(name, why(err))
		return nil
	}
	defer func() { _ = f.Close() }()
	found, err := codeobj.Read(name, codeobj.Buffered(f, size), codeobj.Options{Deep: l.request.Deep})
	if err != nil {
		l.problem(name, why(err))
		return nil
	}
	for _, p := range found.Problems {
		l.problem(p.Path, p.What)
	}
	return found.Objects
}

// kpacksOf returns the code of archives that stand in the same wheel.
func (f *found) kpacksOf(dir, before, after string) map[string][]codeobj.Object {
	out := map[string][]codeobj.Object{}
	for name, objects := range f.kpacks {
		rest, ok := strings.CutPrefix(name, dir+"/"+before)
		if ok && !strings.Contains(rest, "/") && strings.HasSuffix(rest, after) {
			out[name] = objects
		}
	}
	return out
}
