package codeobj

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// everyFixture returns the small binaries by their paths.
func everyFixture(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(p, "fuzz/") {
			return err
		}
		data, err := os.ReadFile("testdata/" + p)
		out[p] = data
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("%d fixtures, %v", len(out), err)
	}
	return out
}

// sameThroughStream holds what is found in a stream to what is found in the file: the same, or somebody is told.
func sameThroughStream(t *testing.T, name string, data []byte, b Budget) *Gathered {
	t.Helper()
	g := &Gatherer{Budget: b}
	src, err := g.Gather(name, int64(len(data)), bytes.NewReader(data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, name, data, Options{})
	got, err := Read(name, src, Options{})
	if err != nil && src.Missed() {
		return src
	}
	if err != nil {
		t.Fatal(err)
	}
	if !src.Missed() && !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %+v:\n got %+v\nwant %+v", name, b, got, want)
	}
	return src
}

func TestStreams(t *testing.T) {
	t.Parallel()
	for name, data := range everyFixture(t) {
		if sameThroughStream(t, name, data, Budget{}).Missed() {
			t.Errorf("%s is small, and was not kept whole", name)
		}
		for _, b := range []Budget{{Whole: 1, Recent: 1 << 20}, {Whole: 1, Recent: 1}, {Whole: 1, Recent: 1, Chosen: 1}, {Whole: 1, Recent: 1, Chosen: 9000}, {Whole: 1, Recent: 70_000, Chosen: 9000}} {
			sameThroughStream(t, name, data, b)
		}
	}
}

// bigLibrary is a library whose host code and GPU code do not fit into the budget: code, bundles, data, and section
// headers at its end, as linkers write it.
func bigLibrary(t *testing.T, bundle []byte, count int) []byte {
	t.Helper()
	var fat []byte
	for range count {
		fat = append(fat, bundle...)
		fat = append(fat, make([]byte, (page-len(fat)%page)%page)...)
	}
	text := bytes.Repeat([]byte("machine code "), 40<<10)[elfHeader:] // so that the bundles begin at a page
	wrappers := bytes.Repeat(wrapper(magicWrapper), count)
	return makeELF(item{".text", text}, item{".hip_fatbin", fat}, item{".more", text}, item{".hipFatBinSegment", wrappers})
}

func TestBigStreams(t *testing.T) {
	t.Parallel()
	payload := append(gpuCode(6, 0x41), bytes.Repeat([]byte("kernel "), 20<<10)...)
	bundle := makeBundle(host(), item{hip("gfx1100"), payload}, item{hip("gfx1030"), append(gpuCode(6, 0x36), payload...)})
	small := Budget{Whole: 1, Recent: 128 << 10, Chosen: 9 << 20}
	for name, data := range map[string][]byte{
		"plain.so":      bigLibrary(t, bundle, 12),
		"zstd.so":       bigLibrary(t, makeCCOB(3, 1, len(bundle), hashOf(bundle), zstded(t, bundle)), 12),
		"zlib.so":       bigLibrary(t, makeCCOB(2, 0, len(bundle), hashOf(bundle), zlibbed(t, bundle)), 12),
		"bundles.hsaco": bytes.Repeat(append(bundle, make([]byte, page-len(bundle)%page)...), 12),
		"lib.a":         makeArchive(magicArchive, item{"a.o/", bigLibrary(t, bundle, 3)}, item{"b.o/", bigLibrary(t, bundle, 3)}),
		"x.dll":         makePE(item{".text", bytes.Repeat([]byte("code"), 100<<10)}, item{".hip_fat", bytes.Repeat(append(bundle, make([]byte, page-len(bundle)%page)...), 3)}),
	} {
		src := sameThroughStream(t, name, data, small)
		if src.Missed() && name != "lib.a" { // symbols stand at the end of each member
			t.Errorf("%s: what was needed was not kept", name)
		}
		if f := read(t, name, data, Options{}); len(f.Objects) == 0 {
			t.Errorf("%s holds no objects", name)
		}
		if held := kept(src); held > 2<<20 {
			t.Errorf("%s: %d of %d bytes were kept", name, held, len(data))
		}
	}
}

func kept(g *Gathered) int {
	total := 0
	for _, e := range g.extents {
		total += len(e.data)
	}
	return total
}

// Zeros take no place: the code of a library was split off, and its place is empty.
func TestZerosInStreams(t *testing.T) {
	t.Parallel()
	data := makeELF(item{".hip_fatbin", make([]byte, 40<<20)}, item{".more", []byte("x")})
	g := &Gatherer{}
	src, err := g.Gather("x.so", int64(len(data)), bytes.NewReader(data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if held := kept(src); held > 1<<20 {
		t.Errorf("%d bytes were kept", held)
	}
	back, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	if err != nil || !bytes.Equal(back, data) {
		t.Errorf("what was kept differs, %v", err)
	}
}

// What is no GPU code is read no further, and what fails is said.
func TestStreamsThatEnd(t *testing.T) {
	t.Parallel()
	g := &Gatherer{}
	text := strings.NewReader(strings.Repeat("text ", 1<<20))
	if _, err := g.Gather("x.py", 5<<20, text, Options{}); err != nil || text.Len() < 4<<20 {
		t.Errorf("%d bytes of a text are left, %v", text.Len(), err)
	}
	boom := errors.New("boom")
	data := fixture(t, "plain.so")
	if _, err := g.Gather("x.so", int64(len(data)), io.MultiReader(bytes.NewReader(data[:9000]), iotest.ErrReader(boom)), Options{}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	src, err := g.Gather("x.so", int64(len(data)), iotest.OneByteReader(bytes.NewReader(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := Read("x.so", src, Options{}); err != nil || len(f.Objects) != 12 {
		t.Errorf("%d objects, %v", len(f.Objects), err)
	}
}

// FuzzStream changes a few bytes of real files, as FuzzRead does, and the budget.
func FuzzStream(f *testing.F) {
	var files [][]byte
	for i, c := range fixtures {
		files = append(files, fixture(f, c.name))
		f.Add(i, 0, []byte{0x7f}, 1, 1<<20)
		f.Add(i, 4096, []byte(magicCCOB), 1, 4096)
		f.Add(i, 40, []byte{0xff, 0xff}, 1<<16, 9000)
	}
	f.Fuzz(func(t *testing.T, which, at int, patch []byte, recent, chosen int) {
		data := bytes.Clone(files[within(which, len(files))])
		copy(data[within(at, len(data)):], patch)
		limit := func(n int) int64 { return int64(1 + within(n, 1<<20)) }
		b := Budget{Whole: 1, Recent: limit(recent), Chosen: limit(chosen)}
		src := sameThroughStream(t, "x", data, b)
		if int64(kept(src)) > b.Recent+b.Chosen+headSize {
			t.Errorf("%d bytes were kept, and %+v may be", kept(src), b)
		}
	})
}
