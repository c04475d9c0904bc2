// Package kernelset reads kernels for rocBLAS that somebody built, from a folder or an archive, and says whether they fit one GPU and one rocBLAS.
package kernelset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// A File is one file of a set, where it was put to be looked at.
type File struct {
	Name string // without a folder
	Path string
	Size int64
	Sum  string // SHA-256
}

// A Set is the files of a source that are for one GPU, or for none in particular.
type Set struct {
	Name string // of the source
	// Sum is the SHA-256 of an archive, and of a folder that of its list: a line
	// "SUM  NAME" for each file that is used, in the order of their names.
	Sum   string
	Gfx   string
	Files []File
	// Others counts what it holds besides; Libraries are those of them that
	// belong together with the kernels.
	Others    int
	Libraries []string
}

// Put keeps a file of a set somewhere; it reads to the end.
type Put func(name string, r io.Reader) (File, error)

// Vouch tells by its SHA-256 whether a source may be used; it is asked before an
// archive is unpacked.
type Vouch func(name, sum string) error

// The bounds of a source: ten times what the largest known ones hold.
const (
	maxEntries = 50_000
	maxBytes   = 8 << 30 // inflated, of what is used
	maxName    = 200
)

// Read takes the files for a GPU out of a folder or an archive. Whatever is odd
// about the source is a reason to refuse all of it.
func Read(fsys fs.FS, name, gfx string, vouch Vouch, put Put) (Set, error) {
	s := &reader{set: Set{Name: path.Base(name), Gfx: gfx}, vouch: vouch, put: put, taken: map[string]string{}}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return s.set, fmt.Errorf("read the kernels: %w", err)
	}
	switch {
	case info.IsDir():
		err = s.folder(fsys, name)
	case info.Mode().IsRegular():
		err = s.archive(fsys, name)
	default:
		err = errors.New("it is neither a folder nor an archive")
	}
	if s.refused != nil {
		return s.set, s.refused
	}
	if err != nil {
		return s.set, fmt.Errorf("%s: %w", s.set.Name, err)
	}
	if len(s.set.Files) == 0 {
		return s.set, fmt.Errorf("%s holds no file of rocBLAS's kernels for %s", s.set.Name, gfx)
	}
	slices.SortFunc(s.set.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if s.set.Sum == "" {
		s.set.Sum = s.set.listed()
		return s.set, vouch(s.set.Name, s.set.Sum)
	}
	return s.set, nil
}

// listed is the sum of the list of files.
func (s Set) listed() string {
	h := sha256.New()
	for _, f := range s.Files {
		_, _ = fmt.Fprintf(h, "%s  %s\n", f.Sum, f.Name) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

type reader struct {
	set     Set
	vouch   Vouch
	refused error // what it said
	put     Put
	entries int
	bytes   int64
	dir     string            // of the kernels within the source
	taken   map[string]string // names, in small letters
}

// folder reads a folder, or the one below it that holds the kernels.
func (s *reader) folder(fsys fs.FS, dir string) error {
	return fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inner := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if inner == "" || e.IsDir() {
			return nil
		}
		return s.entry(inner, e.Type().IsRegular(), func() (io.ReadCloser, error) { return fsys.Open(name) })
	})
}

// entry takes one file of a source, if it is wanted.
func (s *reader) entry(name string, plain bool, open func() (io.ReadCloser, error)) error {
	if s.entries++; s.entries > maxEntries {
		return fmt.Errorf("it holds more than %d files", maxEntries)
	}
	if err := safe(name); err != nil {
		return err
	}
	if !plain {
		return fmt.Errorf("%q is a link or a device; files of kernels are neither", name)
	}
	base := path.Base(name)
	k, ours := codeobj.ParseKernelName(base)
	switch {
	case !ours:
		s.other(base)
		return nil
	case k.Kind == codeobj.KernelOneIndex, k.Target.Processor != "" && k.Target.Processor != s.set.Gfx, k.Kind == codeobj.KernelShared && k.Stem == "":
		s.set.Others++
		return nil
	}
	if err := s.unique(name); err != nil {
		return err
	}
	r, err := open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = r.Close() }()
	f, err := s.put(base, &bounded{r, &s.bytes})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.set.Files = append(s.set.Files, f)
	return nil
}

// unique wants all kernels in one folder, and no two names that are one on
// systems which do not tell letters apart.
func (s *reader) unique(name string) error {
	if s.dir == "" {
		s.dir = path.Dir(name)
	}
	if path.Dir(name) != s.dir {
		return fmt.Errorf("it holds kernels for %s in two folders, %s and %s: name one of them", s.set.Gfx, s.dir, path.Dir(name))
	}
	small := strings.ToLower(path.Base(name))
	if other, taken := s.taken[small]; taken {
		return fmt.Errorf("%q and %q are one name", other, name)
	}
	s.taken[small] = name
	return nil
}

func (s *reader) other(base string) {
	s.set.Others++
	lower := strings.ToLower(base)
	if lower == "rocblas.dll" || strings.HasPrefix(lower, "librocblas.so") {
		s.set.Libraries = append(s.set.Libraries, base)
	}
}

// safe refuses names that lead elsewhere.
func safe(name string) error {
	clean := path.Clean(name)
	switch {
	case name == "" || strings.ContainsAny(name, "\\:\x00\n\r") || strings.HasPrefix(name, "/"):
		return fmt.Errorf("the name %q is none that a file of kernels has", name)
	case clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains("/"+name+"/", "/../"):
		return fmt.Errorf("the name %q leads out of it", name)
	case len(path.Base(name)) > maxName:
		return fmt.Errorf("the name %.40q… is too long", name)
	}
	return nil
}

var errTooLarge = fmt.Errorf("it unpacks to more than %d GiB", maxBytes>>30)

// bounded counts what is read of all files.
type bounded struct {
	from io.Reader
	sum  *int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if *b.sum += int64(n); *b.sum > maxBytes {
		return 0, errTooLarge
	}
	return n, err
}
