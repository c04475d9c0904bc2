package scan

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// Limits of what one target can make us read.
const (
	maxFiles   = 500_000
	maxEntries = 200_000   // of one zip
	maxInflate = 128 << 20 // bytes of one compressed entry
)

// Files scans targets, names of a file system: files, folders, wheels and other
// zips. It never fails: what cannot be read is a problem.
func Files(fsys fs.FS, targets []string, r Request) Report {
	s := &scanner{fsys: fsys, request: r, targets: targets, seen: map[string]bool{}, folders: map[string]*Item{}}
	for _, t := range targets {
		s.target(t)
	}
	for _, i := range s.folders {
		s.items = append(s.items, *i)
	}
	slices.SortFunc(s.items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	for n := range s.items {
		s.items[n].judge(r.GPUs)
	}
	s.name()
	return Report{GPUs: r.GPUs, Items: s.items, Files: s.files, Problems: s.problems}
}

type scanner struct {
	fsys     fs.FS
	request  Request
	targets  []string
	seen     map[string]bool  // files by the name without links
	folders  map[string]*Item // of kernels
	sites    []string         // folders of Python packages
	items    []Item
	files    int
	problems []Problem
}

func (s *scanner) problem(p, what string) {
	const most = 1000
	if len(s.problems) < most {
		s.problems = append(s.problems, Problem{Path: p, What: what})
	}
}

func (s *scanner) target(name string) {
	info, err := fs.Stat(s.fsys, name)
	switch {
	case err != nil:
		s.problem(name, why(err))
	case info.IsDir():
		s.folder(name)
	default:
		s.file(name)
	}
}

// why is the innermost cause: the problem names the file.
func why(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// folder walks a tree without following links: what a link leads to is in the
// tree as well, or is not part of it.
func (s *scanner) folder(root string) {
	err := fs.WalkDir(s.fsys, root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			s.problem(p, why(err))
			return nil
		case d.IsDir() && isKernelFolder(p) && path.Base(p) == "library":
			s.kernels(p)
			return fs.SkipDir
		case d.IsDir():
			if base := path.Base(p); base == "site-packages" || base == "dist-packages" {
				s.sites = append(s.sites, p)
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		case s.files >= maxFiles:
			return errTooMany
		}
		s.file(p)
		return nil
	})
	if err != nil {
		s.problem(root, why(err))
	}
}

var errTooMany = fmt.Errorf("there are more than %d files; the rest was not looked at", maxFiles)

// file looks at one file. Most are told by their first bytes to hold nothing.
func (s *scanner) file(name string) {
	if s.seen[name] {
		return
	}
	s.seen[name] = true
	s.files++
	f, src, err := s.open(name)
	if err != nil {
		s.problem(name, why(err))
		return
	}
	defer func() { _ = f.Close() }()
	s.bytes(name, src)
}

// open opens a file to be read in parts.
func (s *scanner) open(name string) (io.Closer, *io.SectionReader, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	src, ok := f.(io.ReaderAt)
	if err == nil && !ok {
		err = errors.New("it cannot be read in parts")
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, io.NewSectionReader(src, 0, info.Size()), nil
}

// source is a part of a file, or bytes in memory.
type source interface {
	io.ReaderAt
	Size() int64
}

// bytes looks at one file, or at what an archive holds. Archives in archives are
// looked into, as far as a wheel in a tarball goes.
func (s *scanner) bytes(name string, src source) {
	const deepest = 3
	if strings.Count(name, "!") < deepest && s.container(name, src) {
		return
	}
	s.codes(name, src)
}

func (s *scanner) asked(name string) bool { return slices.Contains(s.targets, name) }

// isArchive tells an archive by its name; other compressed files are texts.
func isArchive(name string) bool {
	base := path.Base(name)
	return strings.Contains(base, ".tar") || slices.Contains([]string{".tgz", ".txz", ".tzst"}, path.Ext(base))
}

// codes asks for the GPU code in bytes.
func (s *scanner) codes(name string, src source) {
	f, err := codeobj.Read(name, src, codeobj.Options{Deep: s.request.Deep})
	if err != nil {
		s.problem(name, why(err))
		return
	}
	for _, p := range f.Problems {
		s.problem(p.Path, p.What)
	}
	if dir := kernelRoot(name); isKernelFolder(path.Dir(name)) && (f.Kind == codeobj.KindCodeObject || f.Kind == codeobj.KindBundle) {
		if s.folders[dir] == nil {
			s.folders[dir] = &Item{Path: dir, Kind: "kernels"}
		}
		s.folders[dir].add(f.Objects)
		return
	}
	hip, cuda := needs(f, src)
	if i, ok := item(f); ok {
		i.Needs = slices.Concat(hip, cuda)
		s.items = append(s.items, i)
	} else if i, ok := cudaOnly(f, hip, cuda); ok {
		s.items = append(s.items, i)
	}
	if f.Kpack != nil {
		s.kpacked(f)
	}
	s.outside(name, f.Outside)
}

// kpacked looks for the archives that hold the code of a library, one for each
// GPU, in the folders that the library names.
func (s *scanner) kpacked(f codeobj.File) {
	i := Item{Path: f.Path, Kind: string(f.Kind)}
	for _, pattern := range f.Kpack.Paths {
		before, after, _ := strings.Cut(path.Base(pattern), "@GFXARCH@")
		dir := path.Join(path.Dir(f.Path), path.Dir(pattern))
		entries, err := fs.ReadDir(s.fsys, dir)
		if err != nil {
			continue // named below, where no other folder has them
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), before) && strings.HasSuffix(e.Name(), after) {
				i.add(s.archived(path.Join(dir, e.Name())))
			}
		}
	}
	if len(i.Targets) == 0 {
		s.problem(f.Path, "its GPU code lies in archives of its own ("+strings.Join(f.Kpack.Paths, ", ")+"), and none of them is there")
		return
	}
	s.items = append(s.items, i)
}

func (s *scanner) archived(name string) []codeobj.Object {
	f, src, err := s.open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	found, err := codeobj.Read(name, src, codeobj.Options{})
	if err != nil {
		return nil
	}
	return found.Objects
}

// isKernelFolder reports a folder in which rocBLAS or hipBLASLt keep a file for
// each kernel: one answer for all of them says more than a thousand.
func isKernelFolder(dir string) bool {
	parts := strings.Split(dir, "/")
	return slices.Contains(parts, "library") && (slices.Contains(parts, "rocblas") || slices.Contains(parts, "hipblaslt"))
}

// kernels reads a folder of kernels: code by bytes, and what is for what by names.
func (s *scanner) kernels(dir string) {
	folder, err := codeobj.ReadFolder(s.fsys, dir, codeobj.Options{Deep: s.request.Deep})
	if err != nil {
		s.problem(dir, why(err))
		return
	}
	for _, p := range folder.Problems {
		s.problem(p.Path, p.What)
	}
	s.files += len(folder.Files)
	i := Item{Path: dir, Kind: "kernels", merged: folder.Merged, kernels: map[string]codeobj.FolderTarget{}}
	for _, f := range folder.Files {
		i.add(f.Objects)
	}
	for _, t := range folder.Targets {
		i.kernels[t.Processor] = t
	}
	if len(i.Targets) > 0 {
		s.items = append(s.items, i)
	}
}

// kernelRoot is the folder up to "library": some keep a folder for each GPU in it.
func kernelRoot(name string) string {
	before, _, _ := strings.Cut(name, "/library/")
	return before + "/library"
}

// zip looks into a wheel or another zip. The path of an entry is behind an
// exclamation mark; nothing is unpacked anywhere.
func (s *scanner) zip(name string, src source) {
	z, err := zip.NewReader(src, src.Size())
	if err != nil {
		s.problem(name, why(err))
		return
	}
	for n, f := range z.File {
		if n >= maxEntries || s.files >= maxFiles {
			s.problem(name, "there are too many files in it; the rest was not looked at")
			return
		}
		if f.FileInfo().IsDir() {
			continue
		}
		s.files++
		s.entry(name+"!"+f.Name, f, src)
	}
}

func (s *scanner) entry(name string, f *zip.File, src source) {
	if f.Method == zip.Store {
		at, err := f.DataOffset()
		size := f.FileInfo().Size()
		switch {
		case err != nil:
			s.problem(name, why(err))
		case size < 0 || at < 0 || size > src.Size()-at:
			s.problem(name, "it is said to reach past the end of the archive")
		default:
			s.bytes(name, io.NewSectionReader(src, at, size))
		}
		return
	}
	r, err := f.Open()
	if err != nil {
		s.problem(name, why(err))
		return
	}
	defer func() { _ = r.Close() }()
	s.unpacked(name, r)
}
