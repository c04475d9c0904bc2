package kernelset

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/sevenzip/sevenziptest"
)

func sevened(t testing.TB, files map[string][]byte, odd ...sevenziptest.File) []byte {
	t.Helper()
	return sevenziptest.Stored(listed(files, odd...)...)
}

func listed(files map[string][]byte, odd ...sevenziptest.File) []sevenziptest.File {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		odd = append(odd, sevenziptest.File{Name: name, Data: files[name]})
	}
	return odd
}

// TestOddSevenZipsAreRefused: nothing of them is used.
func TestOddSevenZipsAreRefused(t *testing.T) {
	t.Parallel()
	with := func(name string, attributes uint32) []byte {
		return sevened(t, community(t), sevenziptest.File{Name: name, Data: []byte("x"), Attributes: attributes})
	}
	sound := sevened(t, community(t))
	damaged := bytes.Clone(sound)
	damaged[bytes.Index(damaged, []byte(catalogue))]++
	list := bytes.Clone(sound)
	list[len(list)-1]++
	by := func(coder sevenziptest.Coder) []byte {
		return sevenziptest.Packed(bytes.Clone, []sevenziptest.Coder{coder}, listed(community(t))...)
	}
	const kernel = "library/TensileLibrary_lazy_gfx1010.dat"
	for name, tc := range map[string]struct {
		data []byte
		says string
	}{
		"no list":      {[]byte("7z\xbc\xaf\x27\x1c\x00\x04"), "unexpected EOF"},
		"cut off":      {sound[:len(sound)-40], "it is cut off, or the first of several parts"},
		"a wrong list": {list, "checksum of its list"},
		"a wrong file": {damaged, fallback + ".dat: it is no .7z archive, or damaged: the checksum"},
		"up":           {with("../Kernels.so-000-gfx1010.hsaco", 0), "leads out"},
		"up inside":    {with("library/../../x.dat", 0), "leads out"},
		"root":         {with("/etc/x.dat", 0), "none that a file"},
		"drive":        {with(`C:\x.dat`, 0), "none that a file"},
		"backslashes":  {with(`..\x.dat`, 0), "none that a file"},
		"a link":       {with("library/x.dat", sevenziptest.SymbolicLink), "is a link or a device"},
		"a junction":   {with("library/x.dat", 0x400), "is a link or a device"},
		"a deletion":   {sevened(t, community(t), sevenziptest.File{Name: "library", Anti: true}), "is a link or a device"},
		"two folders":  {with("other/Kernels.so-000-gfx1010.hsaco", 0), "in two folders"},
		"one name":     {with("library/TensileLibrary_Type_hh_fallback.dat", 0), "are one name"},
		"twice":        {with(kernel, 0), "are one name"},
		"a bomb":       {by(sevenziptest.Coder{ID: []byte{0}, Size: maxBytes + 1}), "unpacks to more than 8 GiB"},
		"much memory":  {by(sevenziptest.Coder{ID: []byte{0x21}, Properties: []byte{36}, Size: 1 << 30}), "more than 256 MiB of memory: unpack it with 7z x"},
		"PPMd":         {by(sevenziptest.Coder{ID: []byte{3, 4, 1}}), "the archive uses PPMd, which rocsmith does not read: unpack it with 7z x"},
		"AES":          {by(sevenziptest.Coder{ID: []byte{6, 0xf1, 7, 1}}), "the archive uses AES (it is encrypted)"},
		"other GPU":    {sevened(t, map[string][]byte{"TensileLibrary_lazy_gfx1030.dat": nil}), "holds no file"},
	} {
		_, _, err := read(fstest.MapFS{"a": {Data: tc.data}}, "a")
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

// TestWhatIsPackedApartDoesNotMatter: the rocblas.dll of this archive was packed in a way
// that is not read, and the kernels were not.
func TestWhatIsPackedApartDoesNotMatter(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../sevenzip/testdata/apart.7z")
	if err != nil {
		t.Fatal(err)
	}
	set, staged, err := read(fstest.MapFS{"a": {Data: data}}, "a")
	if err != nil || len(set.Files) != 1 || string(staged["TensileLibrary_lazy_gfx1010.dat"].Data) != "x\n" || !slices.Equal(set.Libraries, []string{"rocblas.dll"}) {
		t.Errorf("%+v, %v", set, err)
	}
}
