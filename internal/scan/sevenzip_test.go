package scan

import (
	"archive/zip"
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/sevenzip/sevenziptest"
)

// A .7z gives the answer that the same files give in a wheel.
func TestSevenZip(t *testing.T) {
	t.Parallel()
	const dir = "bin/rocblas/library/"
	files := []sevenziptest.File{
		{Name: "bin", Folder: true},
		{Name: "bin/x.so", Data: fixture(t, "plain.so")},
		{Name: "bin/link.so", Data: []byte("x.so"), Attributes: sevenziptest.SymbolicLink},
		{Name: dir + "TensileLibrary_lazy_gfx1100.dat", Data: []byte("\x82\xa9solutions\x90\xa7library\x80")},
		{Name: dir + "TensileLibrary_Type_HH_fallback_gfx1100.hsaco", Data: fixture(t, "a_gfx1100.hsaco")},
	}
	gpus := Request{GPUs: []rocm.TargetID{gpu(t, "gfx1100")}}
	stored := sevenziptest.Stored(files...)
	for name, data := range map[string][]byte{
		"x.7z": stored, "unnamed": stored, "x.tar": tarball(t, map[string][]byte{"x.7z": stored}),
		"x.zip": wheel(t, zip.Store, map[string][]byte{"x.7z": stored}), "y.zip": wheel(t, zip.Deflate, map[string][]byte{"x.7z": stored}),
		"z.7z": sevenziptest.Stored(sevenziptest.File{Name: "x.7z", Data: stored}),
	} {
		r := Files(fstest.MapFS{name: {Data: data}}, []string{name}, gpus)
		if len(r.Items) != 2 || len(r.Problems) > 0 || r.Overall() != Runs {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		at := slices.IndexFunc(r.Items, func(i Item) bool { return strings.HasSuffix(i.Path, "!bin/x.so") })
		if at < 0 || !slices.Equal(targetsOf(r.Items[at]), six) {
			t.Errorf("%s: %+v", name, r.Items)
		}
	}
}

// What of a .7z cannot be read is said once, and is not taken for a file without code.
func TestSevenZipThatIsNotRead(t *testing.T) {
	t.Parallel()
	two := []sevenziptest.File{{Name: "a.so", Data: fixture(t, "plain.so")}, {Name: "b.so", Data: fixture(t, "plain.so")}}
	sound := sevenziptest.Stored(two...)
	first := bytes.Clone(sound)
	first[len(first)/4]++
	apart, err := os.ReadFile("../sevenzip/testdata/apart.7z")
	if err != nil {
		t.Fatal(err)
	}
	coder := func(c sevenziptest.Coder) []byte {
		return sevenziptest.Packed(bytes.Clone, []sevenziptest.Coder{c}, two...)
	}
	for name, tc := range map[string]struct {
		data []byte
		says string
	}{
		"ppmd.7z":    {coder(sevenziptest.Coder{ID: []byte{3, 4, 1}}), "2 of its files were not looked at: the archive uses PPMd, which rocsmith does not read: unpack it first"},
		"apart.7z":   {apart, "the archive uses PPMd"},
		"cut.7z":     {sound[:len(sound)-50], "cut off"},
		"damaged.7z": {first, "the checksum of a file"},
		"names.7z":   {sevenziptest.Stored(sevenziptest.File{Name: "../a.so", Data: two[0].Data}), "leads out"},
	} {
		r := Files(fstest.MapFS{name: {Data: tc.data}}, []string{name}, Request{})
		if r.Overall() != Unknown || !said(r, tc.says) {
			t.Errorf("%s: %s, %+v", name, r.Overall(), r.Problems)
		}
	}
	memory := coder(sevenziptest.Coder{ID: []byte{0x21}, Properties: []byte{36}, Size: 1 << 30})
	s := newScanner(fstest.MapFS{"x.7z": {Data: memory}}, []string{"x.7z"}, Request{})
	s.inflate = 64 << 30
	if r := s.report(); !said(r, "more than 256 MiB of memory: unpack it first") {
		t.Errorf("%+v", r.Problems)
	}
}
