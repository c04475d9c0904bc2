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
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// Limits of what one target can make us read.
const (
	maxFiles    = 500_000
	maxProblems = 1000
)

// Files scans targets, names of a file system: files, folders, wheels and other
// archives. It never fails: what cannot be read is a problem.
func Files(fsys fs.FS, targets []string, r Request) Report {
	return newScanner(fsys, targets, r).report()
}

func newScanner(fsys fs.FS, targets []string, r Request) *scanner {
	return &scanner{fsys: fsys, request: r, targets: targets, seen: map[string]bool{}, inflate: leastInflate, patience: patience}
}

func (s *scanner) report() Report {
	for _, t := range s.targets {
		s.target(t)
	}
	s.follow()
	s.work()
	return s.judgement()
}

// A scanner first lists what there is to look at, then looks, then puts together
// what was found in the order of the list.
type scanner struct {
	fsys     fs.FS
	request  Request
	targets  []string
	inflate  int64         // what every archive may inflate to, however small it is
	patience time.Duration // with one read

	seen  map[string]bool // by the name without links
	roots []string        // folders that were asked for, without links
	links []string        // within them
	sites []string        // folders of Python packages
	tasks []task
	tools tools

	items    []Item
	claimed  []string // kpack archives that were counted with their libraries
	files    int
	problems []Problem
}

// A task is one thing to look at.
type task struct {
	name   string
	folder bool  // of kernels
	failed error // why it cannot be looked at
}

// found is what a task turned out to hold.
type found struct {
	items    []Item
	problems []Problem
	files    int
	links    string // the file behind a name, where it has several
	archive  bool   // it was not looked into yet

	kernels map[string][]codeobj.KernelFile // by their folder, of archives
	kpacks  map[string][]codeobj.Object     // by their path, of archives
	split   []codeobj.File                  // whose code is in a kpack archive, of archives
	claimed []string                        // kpack archives that were counted with their libraries
}

func (f *found) problem(p, what string) {
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, Problem{Path: p, What: what})
	}
}

// add takes over what a part turned out to hold.
func (f *found) add(part found) {
	f.items = append(f.items, part.items...)
	f.files += part.files
	for _, p := range part.problems {
		f.problem(p.Path, p.What)
	}
	for dir, files := range part.kernels {
		f.kernel(dir, files...)
	}
	for name, objects := range part.kpacks {
		f.kpack(name, objects)
	}
	f.split = append(f.split, part.split...)
	f.claimed = append(f.claimed, part.claimed...)
}

// plainly are the errors that mean nothing to who does not know the format.
var plainly = map[error]string{
	zip.ErrFormat:       "it is no zip, or damaged: get it again",
	zip.ErrAlgorithm:    "it is compressed in a way that scan does not know: unpack it first",
	zip.ErrChecksum:     "it is damaged: its checksum is wrong",
	io.ErrUnexpectedEOF: "it ends too early: get it again",
	gzip.ErrChecksum:    "it is damaged: its checksum is wrong",

	zstd.ErrWindowSizeExceeded: "to unpack it takes too much memory: unpack it first",
}

// why is the innermost cause: the problem names the file.
func why(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if text, ok := plainly[err]; ok {
		return text
	}
	return err.Error()
}

// target lists what a target leads to.
func (s *scanner) target(name string) {
	info, err := fs.Stat(s.fsys, name)
	switch {
	case err != nil:
		s.tasks = append(s.tasks, task{name: name, failed: err})
	case info.IsDir():
		s.roots = append(s.roots, s.unlinked(name))
		s.folder(name, s.unlinked(name))
	default:
		s.list(task{name: name}, s.unlinked(name))
	}
}

// list adds a task, unless the same thing was listed under another name.
func (s *scanner) list(t task, unlinked string) {
	if !s.seen[unlinked] {
		s.seen[unlinked] = true
		s.tasks = append(s.tasks, t)
	}
}

// folder walks a tree. Links wait until all that is really there was listed.
func (s *scanner) folder(root, unlinked string) {
	err := fs.WalkDir(s.fsys, root, func(p string, d fs.DirEntry, err error) error {
		key := path.Join(unlinked, strings.TrimPrefix(p, root))
		switch {
		case err != nil:
			s.tasks = append(s.tasks, task{name: p, failed: err})
		case d.IsDir() && isKernelFolder(p) && path.Base(p) == "library":
			s.list(task{name: p, folder: true}, key)
			return fs.SkipDir
		case d.IsDir() && s.seen[key]:
			return fs.SkipDir
		case d.IsDir():
			s.seen[key] = true
			if base := path.Base(p); base == "site-packages" || base == "dist-packages" {
				s.sites = append(s.sites, p)
			}
		case d.Type()&fs.ModeSymlink != 0 && len(s.links) < maxFiles:
			s.links = append(s.links, p)
		case !d.Type().IsRegular():
		case len(s.tasks) >= maxFiles:
			return errTooMany
		default:
			s.list(task{name: p}, key)
		}
		return nil
	})
	if err != nil {
		s.tasks = append(s.tasks, task{name: root, failed: err})
	}
}

var errTooMany = fmt.Errorf("there are more than %d files; the rest was not looked at", maxFiles)

// unlinked is the name of a target without links, by which it is known that two
// of them are one.
func (s *scanner) unlinked(name string) string {
	links, ok := s.fsys.(fs.ReadLinkFS)
	if !ok {
		return path.Clean(name)
	}
	const most = 40
	done, left := ".", strings.Split(path.Clean(name), "/")
	for followed := 0; len(left) > 0; {
		next := path.Join(done, left[0])
		to, err := links.ReadLink(next)
		if err != nil { // no link
			done, left = next, left[1:]
			continue
		}
		if followed++; followed > most || strings.ContainsAny(to, `\:`) {
			return path.Clean(name)
		}
		if path.IsAbs(to) {
			done = "."
		}
		left = slices.Concat(strings.Split(strings.Trim(to, "/"), "/"), left[1:])
	}
	return done
}

// follow lists what links lead to, where it was not listed by itself: an environment
// may be made of links to a store of packages. A link to where all of this lies, as
// Wine makes one to the root, says nothing of what belongs to it.
func (s *scanner) follow() {
	for n := 0; n < len(s.links); n++ {
		name := s.links[n]
		to := s.unlinked(name)
		info, err := fs.Stat(s.fsys, name)
		switch {
		case err != nil || s.seen[to]: // a link to nothing brings nothing
		case info.Mode().IsRegular():
			s.list(task{name: name}, to)
		case info.IsDir() && !slices.ContainsFunc(s.roots, func(root string) bool { return isBelow(root, to) }):
			s.folder(name, to)
		}
	}
}

func isBelow(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// work looks at all that was listed: first at files, several at a time, and then
// at what can itself keep all processors busy, archives and folders of kernels.
func (s *scanner) work() {
	results := inOrder(len(s.tasks), func(i int) found {
		t := s.tasks[i]
		if t.failed != nil || t.folder {
			return found{}
		}
		return s.watched(t.name, func(w *watch) found { return s.file(t.name, w) })
	})
	links := map[string]bool{}
	for i, t := range s.tasks {
		f := results[i]
		if f.links != "" && links[f.links] {
			continue // counted under another name
		}
		links[f.links] = true
		switch {
		case t.failed != nil:
			f.problem(t.name, why(t.failed))
		case t.folder:
			f = s.watched(t.name, func(w *watch) found { return s.kernels(t.name, w) })
		case f.archive:
			f = s.watched(t.name, func(w *watch) found { return s.archive(t.name, w) })
		}
		s.take(f)
	}
}

// take keeps what was found.
func (s *scanner) take(f found) {
	s.files += f.files
	s.items = append(s.items, f.items...)
	s.claimed = append(s.claimed, f.claimed...)
	s.problems = append(s.problems, f.problems[:min(len(f.problems), maxProblems-len(s.problems))]...)
}
