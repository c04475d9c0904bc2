package kernelset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/vmihailenco/msgpack/v5"
)

// memory keeps files in memory.
func memory(into fstest.MapFS) Put {
	return func(name string, r io.Reader) (File, error) {
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			return File{}, err
		}
		into[name] = &fstest.MapFile{Data: b.Bytes()}
		sum := sha256.Sum256(b.Bytes())
		return File{Name: name, Path: "/" + name, Size: int64(b.Len()), Sum: hex.EncodeToString(sum[:])}, nil
	}
}

// The flags of code objects, as LLVM's AMDGPUUsage lists them.
const (
	flags1010 = 0x33
	flags1030 = 0x36
)

// code is the header of a code object and nothing else.
func code(flags uint32) []byte {
	h := make([]byte, 64)
	copy(h, "\x7fELF\x02\x01\x01\x40\x02")
	binary.LittleEndian.PutUint16(h[16:], 3)
	binary.LittleEndian.PutUint16(h[18:], 224)
	binary.LittleEndian.PutUint32(h[48:], flags)
	return h
}

// index makes the index of one GPU.
func index(t testing.TB, stems ...string) []byte {
	t.Helper()
	var rows []any
	for _, stem := range stems {
		rows = append(rows, map[string]any{"library": map[string]any{"type": "Placeholder", "value": stem}})
	}
	library, err := msgpack.Marshal(map[string]any{"type": "Hardware", "rows": rows})
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("\x82\xa9solutions\x90\xa7library"), library...)
}

const (
	fallback  = "TensileLibrary_Type_HH_fallback"
	catalogue = "\x82\xa9solutions"
)

// community is a set for gfx1010 beside one for gfx1030, as people pack them.
func community(t testing.TB) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"library/TensileLibrary_lazy_gfx1010.dat": index(t, fallback),
		"library/" + fallback + ".dat":            []byte(catalogue),
		"library/" + fallback + "_gfx1010.hsaco":  code(flags1010),
		"library/Kernels.so-000-gfx1010.hsaco":    code(flags1010),
		"library/TensileLibrary_lazy_gfx1030.dat": index(t, fallback),
		"library/" + fallback + "_gfx1030.hsaco":  code(flags1030),
		"rocblas.dll":                             []byte("MZ"),
		"README.txt":                              []byte("hello"),
	}
}

// installed is a rocBLAS without gfx1010.
func installed(t testing.TB) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for name, data := range map[string][]byte{
		"TensileLibrary_lazy_gfx1030.dat": index(t, fallback), fallback + ".dat": []byte(catalogue),
		fallback + "_gfx1030.hsaco": code(flags1030), "Kernels.so-000-gfx1030.hsaco": code(flags1030),
	} {
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB, files map[string][]byte, odd ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		odd = append(odd, tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(files[name])), Mode: 0o644})
	}
	for _, h := range odd {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[h.Name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packed(t testing.TB, data []byte, how func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := how(&b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func anybody(string, string) error { return nil }

// read reads one source for gfx1010.
func read(source fs.FS, name string) (Set, fstest.MapFS, error) {
	staged := fstest.MapFS{}
	set, err := Read(source, name, "gfx1010", anybody, memory(staged))
	return set, staged, err
}

func TestEverySourceGivesTheSameSet(t *testing.T) {
	t.Parallel()
	files := community(t)
	folder := fstest.MapFS{}
	for name, data := range files {
		folder["set/"+name] = &fstest.MapFile{Data: data}
	}
	plain := tarred(t, files)
	for name, data := range map[string][]byte{
		"a.zip": zipped(t, files), "a.7z": sevened(t, files), "a.tar": plain,
		"a.tar.gz":  packed(t, plain, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }),
		"a.tar.xz":  packed(t, plain, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
		"a.tar.zst": packed(t, plain, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
	} {
		folder[name] = &fstest.MapFile{Data: data}
	}
	for _, name := range []string{"set", "set/library", "a.zip", "a.7z", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.zst"} {
		set, staged, err := read(folder, name)
		if err != nil || len(set.Files) != 4 || len(set.Own()) != 3 || len(staged) != 4 {
			t.Errorf("%s: %+v, %v", name, set, err)
			continue
		}
		if err := set.Check(staged, installed(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if data := folder[name]; data != nil {
			if sum := sha256.Sum256(data.Data); set.Sum != hex.EncodeToString(sum[:]) {
				t.Errorf("%s: the sum is %s", name, set.Sum)
			}
		}
		if (name == "a.zip" || name == "a.7z") && !slices.Equal(set.Libraries, []string{"rocblas.dll"}) {
			t.Errorf("%s: libraries %v", name, set.Libraries)
		}
	}
}

// TestOddSourcesAreRefused: nothing of them is used.
func TestOddSourcesAreRefused(t *testing.T) {
	t.Parallel()
	with := func(name string, data string) map[string][]byte {
		files := community(t)
		files[name] = []byte(data)
		return files
	}
	link := tar.Header{Name: "library/x.dat", Typeflag: tar.TypeSymlink, Linkname: "/etc/shadow"}
	hard := tar.Header{Name: "library/x.dat", Typeflag: tar.TypeLink, Linkname: "/etc/shadow"}
	for name, tc := range map[string]struct {
		data []byte
		says string
	}{
		"text":         {[]byte("hello"), "neither a zip, a .7z nor a tarball"},
		"empty":        {nil, "EOF"},
		"up in a zip":  {zipped(t, with("../Kernels.so-000-gfx1010.hsaco", "x")), "leads out"},
		"up inside":    {zipped(t, with("library/../../x.dat", "x")), "leads out"},
		"root":         {zipped(t, with("/etc/x.dat", "x")), "none that a file"},
		"drive":        {zipped(t, with(`C:\x.dat`, "x")), "none that a file"},
		"up in a tar":  {tarred(t, with("../x.hsaco", "x")), "leads out"},
		"a link":       {tarred(t, community(t), link), "is a link or a device"},
		"a hard link":  {tarred(t, community(t), hard), "is a link or a device"},
		"two folders":  {zipped(t, with("other/Kernels.so-000-gfx1010.hsaco", "x")), "in two folders"},
		"one name":     {tarred(t, with("library/TensileLibrary_Type_hh_fallback.dat", "x")), "are one name"},
		"other GPU":    {zipped(t, map[string][]byte{"TensileLibrary_lazy_gfx1030.dat": nil}), "holds no file"},
		"a broken zip": {zipped(t, community(t))[:300], "zip"},
	} {
		_, _, err := read(fstest.MapFS{"a": {Data: tc.data}}, "a")
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
	if _, _, err := read(fstest.MapFS{}, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	_, _, err := read(fstest.MapFS{"set/x_gfx1010.hsaco": {Mode: fs.ModeSymlink}}, "set")
	if err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link in a folder: %v", err)
	}
}

// TestNothingIsUnpackedBeforeItIsVouchedFor: neither onto the disk nor into memory.
func TestNothingIsUnpackedBeforeItIsVouchedFor(t *testing.T) {
	t.Parallel()
	stranger := errors.New("nobody knows it")
	for name, data := range map[string][]byte{"7z": sevened(t, community(t)), "zip": zipped(t, community(t)), "tar": tarred(t, community(t)), "damaged": []byte("PK\x03\x04")} {
		staged := fstest.MapFS{}
		asked := ""
		_, err := Read(fstest.MapFS{"a": {Data: data}}, "a", "gfx1010", func(_, sum string) error { asked = sum; return stranger }, memory(staged))
		if sum := sha256.Sum256(data); !errors.Is(err, stranger) || len(staged) > 0 || asked != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %v, %d files were unpacked, asked for %q", name, err, len(staged), asked)
		}
	}
	folder := fstest.MapFS{}
	for name, data := range community(t) {
		folder["set/"+name] = &fstest.MapFile{Data: data}
	}
	if _, err := Read(folder, "set", "gfx1010", func(string, string) error { return stranger }, memory(fstest.MapFS{})); !errors.Is(err, stranger) {
		t.Errorf("a folder: %v", err)
	}
	const dictionary, most = 16, 40 // the byte of the first block that says how large it is, and the largest
	huge := packed(t, tarred(t, community(t)), func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
	huge[dictionary] = most
	if _, _, err := read(fstest.MapFS{"a": {Data: huge}}, "a"); err == nil || !strings.Contains(err.Error(), "more than 128 MiB of memory") {
		t.Errorf("a dictionary of 4 GiB: %v", err)
	}
}

// A shelf hands out no file as a whole.
type shelf struct{ fstest.MapFS }

func (shelf) ReadFile(name string) ([]byte, error) { return nil, errors.New(name + " was read whole") }

// TestCataloguesAreComparedBySum: that of a stranger may be gigabytes.
func TestCataloguesAreComparedBySum(t *testing.T) {
	t.Parallel()
	set, staged, err := read(fstest.MapFS{"a": {Data: zipped(t, community(t))}}, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Check(shelf{staged}, shelf{installed(t)}); err != nil {
		t.Error(err)
	}
	longer := installed(t)
	longer[fallback+".dat"].Data = []byte(catalogue + "x")
	if err := set.Check(staged, longer); err == nil || !strings.Contains(err.Error(), "made for another release") {
		t.Errorf("one that begins alike: %v", err)
	}
}

// TestSetsThatDoNotFit: what would not work, or would compute with the wrong
// kernels, is refused with the reason.
func TestSetsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(set map[string][]byte, there fstest.MapFS)
		says   string
	}{
		"no index":          {func(s map[string][]byte, _ fstest.MapFS) { delete(s, "library/TensileLibrary_lazy_gfx1010.dat") }, "no index"},
		"another GPU's":     {func(s map[string][]byte, _ fstest.MapFS) { s["library/"+fallback+"_gfx1010.hsaco"] = code(flags1030) }, "its code is for gfx1030"},
		"no code":           {func(s map[string][]byte, _ fstest.MapFS) { s["library/"+fallback+"_gfx1010.hsaco"] = []byte("x") }, "it holds none"},
		"half":              {func(s map[string][]byte, _ fstest.MapFS) { delete(s, "library/"+fallback+"_gfx1010.hsaco") }, "which is not there"},
		"no helpers":        {func(s map[string][]byte, _ fstest.MapFS) { delete(s, "library/Kernels.so-000-gfx1010.hsaco") }, "it lacks Kernels.so"},
		"another catalogue": {func(s map[string][]byte, _ fstest.MapFS) { s["library/"+fallback+".dat"] = []byte("y") }, "made for another release"},
		"another type": {func(_ map[string][]byte, there fstest.MapFS) {
			there["TensileLibrary_Type_SS_fallback.dat"] = &fstest.MapFile{Data: []byte(catalogue)}
		}, "no code for 1 of the 2 kinds"},
		"one index": {func(_ map[string][]byte, there fstest.MapFS) { there["TensileLibrary.dat"] = &fstest.MapFile{} }, "one index for all"},
		"not lazy": {func(_ map[string][]byte, there fstest.MapFS) {
			there["TensileLibrary_gfx1030.dat"] = there["TensileLibrary_lazy_gfx1030.dat"]
			delete(there, "TensileLibrary_lazy_gfx1030.dat")
		}, "looks its kernels up otherwise"},
		"nothing there": {func(_ map[string][]byte, there fstest.MapFS) { clear(there) }, "no index of another GPU"},
	} {
		files, there := community(t), installed(t)
		tc.change(files, there)
		set, staged, err := read(fstest.MapFS{"a": {Data: zipped(t, files)}}, "a")
		if err == nil {
			err = set.Check(staged, there)
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

// FuzzSet reads anything as an archive: names that are kept are plain ones, and
// what is said of a set does not panic.
func FuzzSet(f *testing.F) {
	f.Add(zipped(f, community(f)))
	f.Add(tarred(f, community(f)))
	f.Add(sevened(f, community(f)))
	there := installed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		staged := fstest.MapFS{}
		keep := memory(staged)
		set, err := Read(fstest.MapFS{"a": {Data: data}}, "a", "gfx1010", anybody, func(name string, r io.Reader) (File, error) {
			if path.Base(name) != name || name == ".." || strings.ContainsAny(name, "/\\\x00") {
				t.Errorf("the name %q was kept", name)
			}
			return keep(name, io.LimitReader(r, 1<<20))
		})
		if err == nil {
			_ = set.Check(staged, there) // only that it ends
		}
	})
}
