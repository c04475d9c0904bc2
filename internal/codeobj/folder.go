package codeobj

import (
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
	l := folderList{fsys: fsys, dir: dir}
	if err := l.list(dir); err != nil {
		return Folder{}, fmt.Errorf("read the folder of kernels %s: %w", dir, err)
	}
	return MakeFolder(dir, l.read(o), l.problems, o), nil
}

// A KernelFile is one file of a folder of kernels.
type KernelFile struct {
	name  string
	named kernelFile
	file  File     // of code
	stems []string // of an index: what it refers to
	err   error
}

// A KernelReader reads the files of folders of kernels one by one. It uses its memory again.
type KernelReader struct {
	Options Options
	zstd    zstdDecoder
}

// Read reads one file. Open is asked for those that are needed: what a table says is told by its name.
func (r *KernelReader) Read(name string, open func() (Source, error)) KernelFile {
	k := KernelFile{name: name, named: parseKernelName(path.Base(name))}
	if k.named.role == roleOther || k.named.role == roleTable {
		return k
	}
	src, err := open()
	switch {
	case err != nil:
		k.err = err
	case k.named.role == roleIndex:
		k.stems, k.err = readIndex(src)
	default:
		k.file, k.err = readWith(name, src, r.Options, &r.zstd)
	}
	return k
}

// readIndex reads an index, which is small.
func readIndex(src Source) ([]string, error) {
	const most = 16 << 20
	if src.Size() > most {
		return nil, fmt.Errorf("%w: %d bytes", errTooMuch, src.Size())
	}
	data, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return nil, err
	}
	return placeholders(data)
}

// MakeFolder puts together what was read of a folder, or of one within an archive. Problems are those that were met
// before.
func MakeFolder(dir string, files []KernelFile, problems []Problem, o Options) Folder {
	r := folderReader{folder: Folder{Path: dir, Problems: problems}, names: map[string]bool{}, seen: map[string]bool{}, targets: map[string]*FolderTarget{}}
	for _, f := range files {
		r.names[path.Base(f.name)] = true
	}
	for i, f := range files {
		if r.objects > o.limits().Objects || len(r.folder.Problems) > maxFolderProblems {
			r.problem(dir, "too much is in it, or wrong with it, and %d files were not read", len(files)-i)
			break
		}
		r.add(f)
	}
	for _, f := range files {
		if f.named.role == roleIndex {
			r.index(f)
		}
	}
	for _, t := range r.targets {
		r.folder.Targets = append(r.folder.Targets, *t)
	}
	slices.SortFunc(r.folder.Targets, func(a, b FolderTarget) int { return strings.Compare(a.Processor, b.Processor) })
	return r.folder
}

type folderReader struct {
	folder  Folder
	objects int
	names   map[string]bool // last elements
	seen    map[string]bool // what was counted
	targets map[string]*FolderTarget
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

// add counts one file of kernels.
func (r *folderReader) add(k KernelFile) {
	f, name := k.file, k.name
	if k.named.role == roleTable && k.named.stem == "TensileLibrary" {
		r.folder.Merged = true
	}
	if k.named.role == roleTable && k.named.index {
		r.target(k.named.gfx).Index = true // it holds everything, and refers to no other table
	}
	if k.named.role == roleOther || k.named.role == roleTable || k.named.role == roleIndex {
		return
	}
	if k.err != nil {
		r.problem(name, "it cannot be read: %v", k.err)
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
		r.count(o, k.named, name)
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
func (r *folderReader) index(k KernelFile) {
	if k.err != nil {
		r.problem(k.name, "the index cannot be read: %v", k.err)
		return
	}
	t := r.target(k.named.gfx)
	t.Index, t.Placeholders = true, len(k.stems)
	for _, stem := range k.stems {
		if !r.names[stem+".dat"] && !r.names[stem+".dat.zlib"] {
			t.Missing = append(t.Missing, printable(stem)+".dat")
		}
		if !r.hasCode(stem, k.named.gfx) {
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
