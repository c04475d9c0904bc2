package scan

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// isKernelFolder reports a folder in which rocBLAS or hipBLASLt keep a file for
// each kernel: one answer for all of them says more than a thousand.
func isKernelFolder(dir string) bool {
	parts := strings.Split(dir, "/")
	return slices.Contains(parts, "library") && (slices.Contains(parts, "rocblas") || slices.Contains(parts, "hipblaslt"))
}

// kernelRoot is the folder up to "library": some keep a folder for each GPU in it.
func kernelRoot(name string) string {
	before, _, _ := strings.Cut(name, "/library/")
	return before + "/library"
}

// kernels reads a folder of kernels: code by bytes, and what is for what by names.
func (s *scanner) kernels(dir string, w *watch) found {
	var out found
	folder, err := codeobj.ReadFolder(watchedFiles{s, w}, dir, codeobj.Options{Deep: s.request.Deep})
	if err != nil {
		out.problem(dir, why(err))
		return out
	}
	out.files = len(folder.Files)
	out.folder(folder)
	return out
}

// folder keeps what a folder of kernels holds.
func (f *found) folder(folder codeobj.Folder) {
	i := Item{Path: folder.Path, Kind: "kernels", merged: folder.Merged, kernels: map[string]codeobj.FolderTarget{}}
	for _, p := range folder.Problems {
		f.problem(p.Path, p.What)
		i.unread = cmp.Or(i.unread, path.Base(p.Path)+": "+p.What)
	}
	for _, file := range folder.Files {
		i.add(file.Objects)
	}
	for _, t := range folder.Targets {
		i.kernels[t.Processor] = t
	}
	if len(i.Targets) > 0 {
		f.items = append(f.items, i)
	}
}

func (f *found) kernel(dir string, files ...codeobj.KernelFile) {
	if f.kernels == nil {
		f.kernels = map[string][]codeobj.KernelFile{}
	}
	f.kernels[dir] = append(f.kernels[dir], files...)
}

// folders puts together the folders of kernels of an archive.
func (f *found) folders(o codeobj.Options) {
	for _, dir := range slices.Sorted(maps.Keys(f.kernels)) {
		f.folder(codeobj.MakeFolder(dir, f.kernels[dir], nil, o))
	}
	f.kernels = nil
}

// watchedFiles are the files of a folder, opened to be read in parts.
type watchedFiles struct {
	scanner *scanner
	watch   *watch
}

// Open opens a file to be read in parts.
func (w watchedFiles) Open(name string) (fs.File, error) {
	f, _, err := w.scanner.open(name, w.watch)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ReadDir lists a folder.
func (w watchedFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(w.scanner.fsys, name)
}

// Stat says what a name stands for.
func (w watchedFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(w.scanner.fsys, name) }
