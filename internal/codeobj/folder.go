package codeobj

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Folder is a folder of kernels, as rocBLAS and hipBLASLt have one.
type Folder struct {
	Path     string
	Files    []File         // those that hold code
	Targets  []FolderTarget // by processor
	Merged   bool           // one table for all GPUs: rocBLAS of before ROCm 5.6, or one that is not lazy
	Problems []Problem      // those of the files, too
}

// A FolderTarget is what a folder of kernels has for one processor.
type FolderTarget struct {
	Processor    string
	Index        bool     // an index of its own, without which the library finds nothing for this GPU
	Placeholders int      // files that the index refers to
	Tuned        int      // kinds of operations with code written for this GPU
	Fallback     int      // kinds of operations with code made from source that fits every GPU
	Helpers      int      // files of code for small tasks
	Missing      []string // files that the index refers to and that are not there
}

const (
	maxFolder         = 20_000 // files: ten times what hipBLASLt ships
	maxFolderProblems = 1000
)

// ReadFolder says what a folder of kernels holds. Roles are told by names, code by bytes; where a name and the code
// behind it contradict each other, a Problem says so.
func ReadFolder(fsys fs.FS, dir string, o Options) (Folder, error) {
	r := folderReader{fsys: fsys, options: o, folder: Folder{Path: dir}, names: map[string]bool{}, seen: map[string]bool{}, targets: map[string]*FolderTarget{}}
	if err := r.list(dir); err != nil {
		return Folder{}, fmt.Errorf("read the folder of kernels %s: %w", dir, err)
	}
	for i, name := range r.files {
		if r.objects > o.limits().Objects || len(r.folder.Problems) > maxFolderProblems {
			r.problem(dir, "too much is in it, or wrong with it, and %d files were not read", len(r.files)-i)
			break
		}
		r.read(name)
	}
	for _, name := range r.files {
		if k := parseKernelName(path.Base(name)); k.role == roleIndex {
			r.index(name, k)
		}
	}
	for _, t := range r.targets {
		r.folder.Targets = append(r.folder.Targets, *t)
	}
	slices.SortFunc(r.folder.Targets, func(a, b FolderTarget) int { return strings.Compare(a.Processor, b.Processor) })
	return r.folder, nil
}

type folderReader struct {
	fsys    fs.FS
	options Options
	zstd    zstdDecoder
	folder  Folder
	files   []string
	objects int
	names   map[string]bool // last elements
	seen    map[string]bool // what was counted
	targets map[string]*FolderTarget
}

// list finds the files, also in folders for single GPUs.
func (r *folderReader) list(dir string) error {
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if strings.HasPrefix(e.Name(), "gfx") && dir == r.folder.Path {
				r.subfolder(name)
			}
			continue
		}
		if len(r.files) >= maxFolder {
			r.problem(dir, "more than %d files, and the rest was not read", maxFolder)
			return nil
		}
		r.files = append(r.files, name)
		r.names[e.Name()] = true
	}
	return nil
}

func (r *folderReader) subfolder(name string) {
	if err := r.list(name); err != nil {
		r.problem(name, "the folder cannot be read: %v", err)
	}
}

func (r *folderReader) problem(where, format string, args ...any) {
	r.folder.Problems = append(r.folder.Problems, Problem{where, fmt.Sprintf(format, args...)})
}

// target returns the row of a processor.
func (r *folderReader) target(gfx string) *FolderTarget {
	processor, _, _ := strings.Cut(gfx, ":")
	t, ok := r.targets[processor]
	if !ok {
		t = &FolderTarget{Processor: processor}
		r.targets[processor] = t
	}
	return t
}

// read lists one file of kernels.
func (r *folderReader) read(name string) {
	k := parseKernelName(path.Base(name))
	if k.role == roleTable && k.stem == "TensileLibrary" {
		r.folder.Merged = true
	}
	if k.role == roleTable && k.index {
		r.target(k.gfx).Index = true // it holds everything, and refers to no other table
	}
	if k.role == roleOther || k.role == roleTable || k.role == roleIndex {
		return
	}
	f, err := r.open(name)
	if err != nil {
		r.problem(name, "it cannot be read: %v", err)
		return
	}
	r.folder.Problems = append(r.folder.Problems, f.Problems...)
	if len(f.Objects) == 0 && len(f.Problems) == 0 {
		r.problem(name, "by its name it holds code, and it holds none")
	}
	if len(f.Objects) > 0 {
		r.folder.Files = append(r.folder.Files, f)
	}
	r.objects += len(f.Objects)
	for _, o := range f.Objects {
		r.count(o, k, name)
	}
}

func (r *folderReader) count(o Object, k kernelFile, name string) {
	if k.gfx != "" && o.Text != k.gfx {
		r.problem(name, "by its name it is for %s, and its code is for %s", printable(k.gfx), o.Text)
	}
	t := r.target(o.Text)
	// Assembly and source, xnack on and off are parts of one thing.
	key := t.Processor + "/" + k.task
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	switch k.role {
	case roleTuned:
		t.Tuned++
	case roleFallback:
		t.Fallback++
	default:
		t.Helpers++
	}
}

// index holds the index of one GPU against the files that are there.
func (r *folderReader) index(name string, k kernelFile) {
	data, err := r.whole(name)
	if err != nil {
		r.problem(name, "the index cannot be read: %v", err)
		return
	}
	stems, err := placeholders(data)
	if err != nil {
		r.problem(name, "%v", err)
		return
	}
	t := r.target(k.gfx)
	t.Index, t.Placeholders = true, len(stems)
	for _, stem := range stems {
		if !r.names[stem+".dat"] && !r.names[stem+".dat.zlib"] {
			t.Missing = append(t.Missing, printable(stem)+".dat")
		}
		if !r.hasCode(stem, k.gfx) {
			t.Missing = append(t.Missing, printable(stem)+".co")
		}
	}
}

// hasCode knows where the code of a table stands: assembly under the table's own name, code from source under that of
// the GPU, and where it matters of its features.
func (r *folderReader) hasCode(stem, gfx string) bool {
	for _, base := range []string{stem, stem + "_" + gfx} {
		for _, ending := range []string{".co", ".hsaco", "-xnack+.hsaco", "-xnack-.hsaco"} {
			if r.names[base+ending] {
				return true
			}
		}
	}
	return false
}

// open reads a file of the folder.
func (r *folderReader) open(name string) (File, error) {
	f, size, err := r.openFile(name)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }()
	at, ok := f.(io.ReaderAt)
	if !ok {
		return File{}, errors.New("it cannot be read in parts")
	}
	return readWith(name, sized{at, size}, r.options, &r.zstd)
}

// whole reads an index, which is small.
func (r *folderReader) whole(name string) ([]byte, error) {
	const most = 16 << 20
	f, size, err := r.openFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if size > most {
		return nil, fmt.Errorf("%w: %d bytes", errTooMuch, size)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// openFile opens plain files only: a pipe would make us wait.
func (r *folderReader) openFile(name string) (fs.File, int64, error) {
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it is no plain file")
	}
	f, err := r.fsys.Open(name)
	return f, info.Size(), err
}

// sized is a file whose size is known.
type sized struct {
	io.ReaderAt
	size int64
}

func (s sized) Size() int64 { return s.size }
