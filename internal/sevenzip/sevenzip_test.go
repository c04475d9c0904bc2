package sevenzip

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz/lzma"

	"github.com/rocsmith/rocsmith/internal/sevenzip/sevenziptest"
)

var plenty = Limits{Window: 1 << 20, Files: 100}

// all reads an archive: the content of files, and what else there is by its kind.
func all(data []byte, limits Limits) (map[string]string, error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for {
		e, ok := r.Next()
		switch {
		case !ok:
			return out, nil
		case !e.Mode.IsRegular():
			out[e.Name] = e.Mode.String()
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		if int64(len(content)) != e.Size {
			return nil, fmt.Errorf("%s: %d bytes and not %d", e.Name, len(content), e.Size)
		}
		out[e.Name] = string(content)
	}
}

func real7z(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// packed is what testdata/make.sh packs.
func packed(t testing.TB) map[string]string {
	t.Helper()
	text := ""
	for i := range 6 {
		text += fmt.Sprintf("line %d of a text that packs well\n", i+1)
	}
	return map[string]string{
		"empty": "", "folder": fs.ModeDir.String(), "library": fs.ModeDir.String(), "süß 日本 😀.txt": "umlauts\n",
		"library/text.dat": text, "library/calls.bin": string(real7z(t, "calls.bin")),
	}
}

var readable = []string{"lzma2.7z", "lzma.7z", "bcj.7z", "bcj2.7z", "bcj2-copy.7z", "copy.7z", "deflate.7z", "bzip2.7z", "separate.7z"}

// TestRealArchives: what 7-Zip packs is read to the last byte.
func TestRealArchives(t *testing.T) {
	t.Parallel()
	for _, name := range readable {
		if got, err := all(real7z(t, name), plenty); err != nil || !maps.Equal(got, packed(t)) {
			t.Errorf("%s: %v, %v", name, slices.Sorted(maps.Keys(got)), err)
		}
	}
	if got, err := all(real7z(t, "nothing.7z"), plenty); err != nil || len(got) != 0 {
		t.Errorf("nothing.7z: %v, %v", got, err)
	}
	if got, err := all(real7z(t, "link.7z"), plenty); err != nil || got["link"] != fs.ModeSymlink.String() || got["hello.txt"] != "hello\n" {
		t.Errorf("link.7z: %v, %v", got, err)
	}
}

// TestMethodsThatAreNotRead are called by their names.
func TestMethodsThatAreNotRead(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"ppmd": "PPMd", "deflate64": "Deflate64", "delta": "Delta", "arm64": "another processor", "aes": "AES", "sealed": "AES",
	} {
		_, err := all(real7z(t, name+".7z"), plenty)
		var method *MethodError
		if !errors.As(err, &method) || !strings.Contains(method.Method, says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	for says, id := range map[string][]byte{
		"Brotli": {4, 0xf7, 0x11, 2}, "LZ4": {4, 0xf7, 0x11, 4}, "number 3f0102": {0x3f, 1, 2},
	} {
		data := sevenziptest.Packed(bytes.Clone, []sevenziptest.Coder{{ID: id}}, sevenziptest.File{Name: "a", Data: []byte("x")})
		if _, err := all(data, plenty); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestOnlyWhatIsAskedForIsUnpacked: a way of packing that is not read matters where a
// file is wanted that was packed so.
func TestOnlyWhatIsAskedForIsUnpacked(t *testing.T) {
	t.Parallel()
	data := real7z(t, "ppmd.7z")
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), plenty)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := r.Next()
	if !ok || e.Name != "hello.txt" || e.Size != 6 || r.Unpacked() != 6 {
		t.Errorf("%+v, %v, %d", e, ok, r.Unpacked())
	}
	if _, ok := r.Next(); ok {
		t.Error("there is one file")
	}
	for name := range packed(t) {
		got, err := only(real7z(t, "lzma2.7z"), name)
		if want := packed(t)[name]; err != nil || !strings.HasPrefix(want, "d") && got != want {
			t.Errorf("%s alone: %q, %v", name, got, err)
		}
	}
}

// only reads one file, and of the others the first byte.
func only(data []byte, name string) (string, error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), plenty)
	if err != nil {
		return "", err
	}
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		if e.Name == name {
			content, err := io.ReadAll(iotest.OneByteReader(r))
			return string(content), err
		}
		if _, err := r.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
	}
	return "", fs.ErrNotExist
}

func through(t testing.TB, open func(io.Writer) (io.WriteCloser, error)) func([]byte) []byte {
	t.Helper()
	return func(data []byte) []byte {
		var b bytes.Buffer
		w, err := open(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
}

// bare is LZMA as archives have it: without the header of a .lzma file.
func bare(t testing.TB, data []byte) []byte {
	t.Helper()
	return through(t, func(w io.Writer) (io.WriteCloser, error) { return lzma.NewWriter(w) })(data)[lzma.HeaderLen:]
}

var (
	lzmaCoder    = sevenziptest.Coder{ID: []byte{3, 1, 1}, Properties: []byte{0x5d, 0, 0, 0x80, 0}}
	deflateCoder = sevenziptest.Coder{ID: []byte{4, 1, 8}}
	copyCoder    = sevenziptest.Coder{ID: []byte{0}}
)

// TestWrittenMethods: what other archivers pack, and coders one behind the other.
func TestWrittenMethods(t *testing.T) {
	t.Parallel()
	deflate := through(t, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 9) })
	content := bytes.Repeat([]byte("kernels "), 500)
	between := len(deflate(content))
	for name, tc := range map[string]struct {
		pack   func([]byte) []byte
		coders []sevenziptest.Coder
	}{
		"copy":    {bytes.Clone, []sevenziptest.Coder{copyCoder}},
		"deflate": {deflate, []sevenziptest.Coder{deflateCoder}},
		"lzma":    {func(d []byte) []byte { return bare(t, d) }, []sevenziptest.Coder{lzmaCoder}},
		"lzma2":   {through(t, func(w io.Writer) (io.WriteCloser, error) { return lzma.NewWriter2(w) }), []sevenziptest.Coder{{ID: []byte{0x21}, Properties: []byte{16}}}},
		"zstd":    {through(t, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }), []sevenziptest.Coder{{ID: []byte{4, 0xf7, 0x11, 1}, Properties: []byte{1, 5, 3, 0, 0}}}},
		"two":     {func(d []byte) []byte { return bare(t, deflate(d)) }, []sevenziptest.Coder{deflateCoder, {ID: lzmaCoder.ID, Properties: lzmaCoder.Properties, Size: between}}},
	} {
		got, err := all(sevenziptest.Packed(tc.pack, tc.coders, sevenziptest.File{Name: "a", Data: content}, sevenziptest.File{Name: "b"}, sevenziptest.File{Name: "c", Data: []byte("x")}), plenty)
		if err != nil || !maps.Equal(got, map[string]string{"a": string(content), "b": "", "c": "x"}) {
			t.Errorf("%s: %d files, %v", name, len(got), err)
		}
	}
}

// TestNoDamageGoesUnseen: whatever byte is another, or missing, there is an error, or
// all is as it was.
func TestNoDamageGoesUnseen(t *testing.T) {
	t.Parallel()
	for _, name := range readable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, want := real7z(t, name), packed(t)
			seen := 0
			for i := range data {
				odd := bytes.Clone(data)
				odd[i] ^= 1 << (i % 8)
				got, err := all(odd, plenty)
				if err == nil && !maps.Equal(got, want) {
					t.Errorf("byte %d: the content is another, and nothing is said", i)
				}
				if err != nil {
					seen++
				}
				if _, err := all(data[:i], plenty); err == nil {
					t.Errorf("cut off at %d: nothing is said", i)
				}
			}
			if seen < len(data)*9/10 {
				t.Errorf("%d of %d damages were seen", seen, len(data))
			}
		})
	}
}

// A disk cannot be read from some byte on.
type disk struct {
	*bytes.Reader
	until int64
}

func (d disk) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > d.until {
		return 0, fs.ErrPermission
	}
	return d.Reader.ReadAt(p, off)
}

// TestWhatCannotBeReadIsNotCalledDamaged, whatever decoder comes upon it.
func TestWhatCannotBeReadIsNotCalledDamaged(t *testing.T) {
	t.Parallel()
	for _, name := range readable {
		data := real7z(t, name)
		at := disk{bytes.NewReader(data), math.MaxInt64}
		r, err := NewReader(&at, int64(len(data)), plenty)
		if err != nil {
			t.Fatal(err)
		}
		at.until = startHeader
		for err == nil {
			if _, ok := r.Next(); !ok {
				break
			}
			_, err = io.Copy(io.Discard, r)
		}
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
		at.until = startHeader - 1
		if _, err := NewReader(&at, int64(len(data)), plenty); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSmallReads: however few bytes come and go at a time, the filter does the same.
func TestSmallReads(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 100_000)
	for i := range data {
		data[i] = []byte{0xe8, 0xe9, 0, 0xff, 0, 0xff, 1, 0x7f}[random.IntN(8)]
	}
	at := &x86{}
	want := bytes.Clone(data)
	at.undo(want)
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(data), "halves": iotest.HalfReader(bytes.NewReader(data)), "bytes": iotest.OneByteReader(bytes.NewReader(data)), "with the end": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		got, err := io.ReadAll(&x86{from: r})
		if err != nil || !bytes.Equal(got, want) || bytes.Equal(got, data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := io.ReadAll(&x86{from: iotest.ErrReader(fs.ErrPermission)}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("an error below: %v", err)
	}
}
