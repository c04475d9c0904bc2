package kernelset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// Check holds a set against a folder of rocBLAS's kernels. It must be whole
// together with what is there, for this GPU by its code and not only by its
// names, and laid out as this rocBLAS looks for it. Staged are the files of the
// set, by name; installed is the folder.
func (s Set) Check(staged, installed fs.FS) error {
	there, err := fs.ReadDir(installed, ".")
	if err != nil {
		return fmt.Errorf("list the kernels that are installed: %w", err)
	}
	l, err := layout(there, s.Gfx)
	if err != nil {
		return err
	}
	if err := errors.Join(s.like(l), s.sameCatalogues(installed)); err != nil {
		return err
	}
	both := union{staged: staged, installed: installed, names: map[string]bool{}}
	for _, f := range s.Files {
		both.names[f.Name] = true
	}
	for _, name := range l.shared {
		if !both.names[name] {
			both.names[name] = false // the installed one
		}
	}
	folder, err := codeobj.ReadFolder(both, ".", codeobj.Options{})
	if err != nil {
		return err
	}
	return s.whole(folder, l)
}

// Own are the files to be added; catalogues that serve all GPUs stay as they are.
func (s Set) Own() []File {
	return slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return isShared(f.Name) })
}

func isShared(name string) bool {
	k, _ := codeobj.ParseKernelName(name)
	return k.Kind == codeobj.KernelShared
}

// sameCatalogues compares the catalogues that serve all GPUs: code is found by its
// place in them, so that another build's would name the wrong kernels.
func (s Set) sameCatalogues(installed fs.FS) error {
	for _, f := range s.Files {
		if !isShared(f.Name) {
			continue
		}
		ours, err := installed.Open(f.Name)
		sum := ""
		if err == nil {
			sum, err = sumOf(io.LimitReader(ours, f.Size+1)) // one byte more makes another sum
			_ = ours.Close()
		}
		if err != nil || sum != f.Sum {
			return fmt.Errorf("its %s is not that of this rocBLAS: it was made for another release", f.Name)
		}
	}
	return nil
}

// A look is how the folder of one rocBLAS is laid out.
type look struct {
	lazy, plain int      // indexes of other GPUs that refer to files of their own, and that hold everything
	helpers     bool     // other GPUs have files that all kernels need
	shared      []string // catalogues that serve all GPUs
}

func layout(there []fs.DirEntry, gfx string) (look, error) {
	var l look
	for _, e := range there {
		k, ours := codeobj.ParseKernelName(e.Name())
		switch {
		case !ours || e.IsDir():
		case k.Kind == codeobj.KernelOneIndex:
			return l, errors.New("this rocBLAS has one index for all GPUs; kernels of one GPU cannot be added to it")
		case k.Kind == codeobj.KernelShared && k.Stem != "":
			l.shared = append(l.shared, e.Name())
		case k.Target.Processor == gfx:
		case k.Lazy():
			l.lazy++
		case k.Kind == codeobj.KernelIndex:
			l.plain++
		case k.Kind == codeobj.KernelHelper:
			l.helpers = true
		}
	}
	if l.lazy+l.plain == 0 {
		return l, errors.New("the folder of this rocBLAS has no index of another GPU, so nothing tells how it looks its kernels up")
	}
	return l, nil
}

// like compares the index of the set with those of other GPUs.
func (s Set) like(l look) error {
	lazy, index := false, ""
	for _, f := range s.Files {
		if k, _ := codeobj.ParseKernelName(f.Name); k.Kind == codeobj.KernelIndex {
			lazy, index = lazy || k.Lazy(), f.Name
		}
	}
	switch {
	case index == "":
		return fmt.Errorf("it has no index for %s (TensileLibrary_lazy_%s.dat), without which rocBLAS finds none of its kernels", s.Gfx, s.Gfx)
	case lazy != (l.lazy > 0):
		return fmt.Errorf("its index is %s, and this rocBLAS looks its kernels up otherwise: it was made for another release", index)
	}
	return nil
}

// whole wants every file that the index names, and code for this GPU in each.
func (s Set) whole(folder codeobj.Folder, l look) error {
	if len(folder.Problems) > 0 {
		p := folder.Problems[0]
		return fmt.Errorf("%s: %s (%s)", path.Base(p.Path), p.What, more(len(folder.Problems)-1, "file more", "files more"))
	}
	i := slices.IndexFunc(folder.Targets, func(t codeobj.FolderTarget) bool { return t.Processor == s.Gfx })
	if i < 0 || len(folder.Targets) != 1 {
		return fmt.Errorf("its code is not for %s, or not for it alone", s.Gfx)
	}
	t := folder.Targets[i]
	switch {
	case len(t.Missing) > 0:
		return fmt.Errorf("the index names %s, which is not there (%s): part of it is missing, or it was made for another release", t.Missing[0], more(len(t.Missing)-1, "file more", "files more"))
	case t.Tuned+t.Fallback == 0:
		return fmt.Errorf("it holds no kernels for %s", s.Gfx)
	case l.helpers && t.Helpers == 0:
		return fmt.Errorf("it lacks Kernels.so-000-%s.hsaco, which all kernels need", s.Gfx)
	}
	return s.types(l)
}

// types wants code for every kind of operation that this rocBLAS has a catalogue
// for: what is not there stops the program that asks for it.
func (s Set) types(l look) error {
	has := map[string]bool{}
	for _, f := range s.Files {
		if k, _ := codeobj.ParseKernelName(f.Name); k.Kind == codeobj.KernelFallback {
			has[k.Stem] = true
		}
	}
	var missing []string
	for _, name := range l.shared {
		if k, _ := codeobj.ParseKernelName(name); !has[k.Stem] {
			missing = append(missing, k.Stem)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it has no code for %d of the %d kinds of operations of this rocBLAS, %s among them: it was made for another release", len(missing), len(l.shared), missing[0])
	}
	return nil
}

func more(n int, one, many string) string {
	switch n {
	case 0:
		return "that alone"
	case 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// union is the files of a set with the catalogues that are installed: the rest of
// the folder is other GPUs'.
type union struct {
	staged, installed fs.FS
	names             map[string]bool // true: of the set
}

// Open opens a file of the set, or of the installation.
func (u union) Open(name string) (fs.File, error) {
	if u.names[name] {
		return u.staged.Open(name)
	}
	return u.installed.Open(name)
}

// ReadDir lists both.
func (u union) ReadDir(string) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for name := range u.names {
		out = append(out, entry(name))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Stat is that of the file.
func (u union) Stat(name string) (fs.FileInfo, error) {
	if u.names[name] {
		return fs.Stat(u.staged, name)
	}
	return fs.Stat(u.installed, name)
}

// An entry is a plain file.
type entry string

func (e entry) Name() string             { return string(e) }
func (entry) IsDir() bool                { return false }
func (entry) Type() fs.FileMode          { return 0 }
func (entry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
