package codeobj

import (
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vmihailenco/msgpack/v5"
)

// index makes the index of one GPU.
func index(t testing.TB, stems ...string) *fstest.MapFile {
	t.Helper()
	var rows []any
	for _, stem := range stems {
		rows = append(rows, map[string]any{"library": map[string]any{"type": "Placeholder", "value": stem}})
	}
	library, err := msgpack.Marshal(map[string]any{"type": "Hardware", "rows": rows})
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: append([]byte("\x82\xa9solutions\x90\xa7library"), library...)}
}

func code(data []byte) *fstest.MapFile { return &fstest.MapFile{Data: data} }

func readFolder(t *testing.T, files fstest.MapFS) Folder {
	t.Helper()
	f, err := ReadFolder(files, "library", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rocBLAS(t *testing.T) fstest.MapFS {
	t.Helper()
	return fstest.MapFS{
		"library/TensileLibrary_lazy_gfx1100.dat":                     index(t, "TensileLibrary_Type_HH_gfx1100", "TensileLibrary_Type_HH_fallback"),
		"library/TensileLibrary_lazy_gfx90a.dat":                      index(t, "TensileLibrary_Type_HH_fallback"),
		"library/TensileLibrary_Type_HH_gfx1100.dat":                  code([]byte("\x82\xa9solutions")),
		"library/TensileLibrary_Type_HH_gfx1100.co":                   code(gpuCode(4, flags1100)),
		"library/TensileLibrary_Type_HH_fallback.dat":                 code([]byte("\x82\xa9solutions")),
		"library/TensileLibrary_Type_HH_fallback_gfx1100.hsaco":       code(gpuCode(6, flags1100)),
		"library/TensileLibrary_Type_HH_fallback_gfx90a-xnack+.hsaco": code(gpuCode(6, flags90aX)),
		"library/Kernels.so-000-gfx90a-xnack+.hsaco":                  code(gpuCode(6, flags90aX)),
		"library/README": code([]byte("hello")),
	}
}

func TestReadFolder(t *testing.T) {
	t.Parallel()
	f := readFolder(t, rocBLAS(t))
	want := []FolderTarget{
		{Processor: "gfx1100", Index: true, Placeholders: 2, Tuned: 1, Fallback: 1},
		{Processor: "gfx90a", Index: true, Placeholders: 1, Fallback: 1, Helpers: 1},
	}
	if !reflect.DeepEqual(f.Targets, want) || len(f.Problems) > 0 || len(f.Files) != 4 || f.Merged {
		t.Errorf("%+v", f)
	}
}

func TestIncompleteFolder(t *testing.T) {
	t.Parallel()
	files := rocBLAS(t)
	delete(files, "library/TensileLibrary_Type_HH_gfx1100.co")
	delete(files, "library/TensileLibrary_Type_HH_fallback.dat")
	f := readFolder(t, files)
	if got := f.Targets[0].Missing; !slices.Equal(got, []string{"TensileLibrary_Type_HH_fallback.dat", "TensileLibrary_Type_HH_gfx1100.co"}) {
		t.Error(got)
	}
}

func TestFolderThatLies(t *testing.T) {
	t.Parallel()
	files := rocBLAS(t)
	files["library/Kernels.so-000-gfx1030.hsaco"] = code(gpuCode(6, flags1100))
	files["library/extop_gfx1100.co"] = code([]byte("version https://git-lfs.github.com/spec/v1"))
	files["library/TensileLibrary_lazy_gfx1030.dat"] = code([]byte("nothing"))
	files["library/Kernels.so-000-gfx1100.hsaco"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	var said []string
	for _, p := range readFolder(t, files).Problems {
		said = append(said, p.What)
	}
	for _, want := range []string{"by its name it is for gfx1030, and its code is for gfx1100", "holds code, and it holds none", "no table of Tensile", "no plain file"} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%q is not said: %q", want, said)
		}
	}
}

func TestFolderWithTooMuch(t *testing.T) {
	t.Parallel()
	f, err := ReadFolder(rocBLAS(t), "library", Options{Limits: Limits{Objects: 1}})
	if err != nil || len(f.Files) != 2 || len(f.Problems) != 1 || !strings.Contains(f.Problems[0].What, "files were not read") {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestOtherFolders(t *testing.T) {
	t.Parallel()
	packed := makeCCOB(2, 1, len(pair()), hashOf(pair()), zstded(t, pair()))
	f := readFolder(t, fstest.MapFS{
		"library/TensileLibrary.dat":                code([]byte("\x82\xa9solutions")),
		"library/TensileLibrary_gfx1100.co":         code(gpuCode(4, flags1100)),
		"library/hipblasltTransform.hsaco":          code(packed),
		"library/gfx1100/extop_gfx1100.co":          code(gpuCode(4, flags1100)),
		"library/other/Kernels.so-000-gfx900.hsaco": code(nil),
	})
	want := []FolderTarget{{Processor: "gfx1100", Tuned: 1, Helpers: 2}, {Processor: "gfx90a", Helpers: 1}}
	if !f.Merged || len(f.Problems) > 0 || !reflect.DeepEqual(f.Targets, want) {
		t.Errorf("%+v", f)
	}
	if _, err := ReadFolder(fstest.MapFS{}, "missing", Options{}); err == nil {
		t.Error("a folder that is not there was read")
	}
}

// Newer releases ship their tables compressed, and releases before lazy loading one table for each GPU.
func TestIndexesOfOtherReleases(t *testing.T) {
	t.Parallel()
	files := rocBLAS(t)
	const lazy, table = "library/TensileLibrary_lazy_gfx1100.dat", "library/TensileLibrary_Type_HH_gfx1100.dat"
	files[lazy+".zlib"] = code(zlibbed(t, files[lazy].Data))
	files[table+".zlib"] = files[table]
	delete(files, lazy)
	delete(files, table)
	files["library/TensileLibrary_gfx1030.dat"] = code([]byte("\x82\xa9solutions"))
	f := readFolder(t, files)
	want := FolderTarget{Processor: "gfx1100", Index: true, Placeholders: 2, Tuned: 1, Fallback: 1}
	if !reflect.DeepEqual(f.Targets[1], want) || !reflect.DeepEqual(f.Targets[0], FolderTarget{Processor: "gfx1030", Index: true}) || len(f.Problems) > 0 {
		t.Errorf("%+v", f)
	}
	files[lazy+".zlib"] = code([]byte("\x78\x9cthis is no stream"))
	if f = readFolder(t, files); len(f.Problems) != 1 || !strings.Contains(f.Problems[0].What, "decompress the index") {
		t.Errorf("%+v", f.Problems)
	}
}
