package scan

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/sevenzip/sevenziptest"
)

// wheel packs files with a method.
func wheel(t testing.TB, method uint16, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The usual bombs: very many zeros that pack to little, in entries that look like a
// library, or like nothing.
func TestBomb(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 8<<20)
	library := slices.Concat(fixture(t, "plain.so")[:64], zeros)
	inner := wheel(t, zip.Deflate, map[string][]byte{"a.so": library})
	const gzipHeader = 10 // deflate is behind it
	seven := sevenziptest.Packed(func(d []byte) []byte { return gzipped(t, d)[gzipHeader:] }, []sevenziptest.Coder{{ID: []byte{4, 1, 8}}}, sevenziptest.File{Name: "a", Data: zeros})
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"zip.whl":    {wheel(t, zip.Deflate, map[string][]byte{"a.so": library, "b.so": library}), "is said to unpack to 16 MiB"},
		"zeros.zip":  {wheel(t, zip.Deflate, map[string][]byte{"a": zeros, "b": zeros}), "is said to unpack to 16 MiB"},
		"nested.zip": {wheel(t, zip.Store, map[string][]byte{"a.zip": inner, "b.zip": inner}), "unpacks to more than"},
		"x.tar.gz":   {gzipped(t, tarball(t, map[string][]byte{"a.so": library, "b": zeros})), "unpacks to more than"},
		"y.tar.gz":   {gzipped(t, make([]byte, 16<<20)), "unpacks to more than"},
		"x.tar.xz":   {xzed(t, make([]byte, 1<<20)), "unpacks to more than 0 MiB"}, // xz is slow, and may write less
		"sparse.tar": {sparse(t, 1<<40), "unpacks to more than"},
		"x.7z":       {seven, "is said to unpack to 8 MiB"}, // slow as well
	} {
		s := newScanner(fstest.MapFS{name: {Data: c.data}}, []string{name}, Request{})
		s.inflate = 9 << 20
		r := s.report()
		if r.Overall() != Unknown || len(r.Problems) == 0 {
			t.Errorf("%s: %s, %+v", name, r.Overall(), r.Problems)
			continue
		}
		if last := r.Problems[len(r.Problems)-1]; last.Path != name || !strings.Contains(last.What, c.says) {
			t.Errorf("%s: %+v", name, r.Problems)
		}
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func xzed(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := xz.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The memory that an xz file asks for is read from its header, and not given.
func TestWindow(t *testing.T) {
	t.Parallel()
	packed := xzed(t, tarball(t, map[string][]byte{"plain.so": fixture(t, "plain.so")}))
	if got := codeobj.XZWindow(packed); got != 8<<20 { // the writer's own default
		t.Errorf("a window of %d", got)
	}
	at := bytes.Index(packed, []byte{0x21, 1})
	packed[at+2] = 40 // 4 GiB
	r := Files(fstest.MapFS{"x.tar.xz": {Data: packed}}, []string{"x.tar.xz"}, Request{})
	if r.Overall() != Unknown || !said(r, "of memory") {
		t.Errorf("%+v", r)
	}
}

// sparse is a tarball of one library that is followed by a hole. The format is GNU's of
// before POSIX: the list of parts stands in the header.
func sparse(t *testing.T, size int64) []byte {
	t.Helper()
	library := fixture(t, "plain.so")
	header := make([]byte, tarBlock)
	put := func(at int, format string, args ...any) { copy(header[at:], fmt.Sprintf(format, args...)) }
	put(0, "sparse.so")
	put(124, "%011o", len(library))
	put(156, "S")
	put(257, "ustar  \x00")
	put(386, "%011o\x00%011o", 0, len(library))
	binary := func(at int, n int64) {
		for i := range 8 {
			header[at+11-i] = byte(n >> (8 * i))
		}
		header[at] = 0x80
	}
	binary(410, size)
	put(422, "%011o", 0)
	binary(483, size)
	put(sumAt, "%8s", "")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	put(sumAt, "%06o\x00 ", sum)
	body := make([]byte, (len(library)+tarBlock-1)/tarBlock*tarBlock)
	copy(body, library)
	return slices.Concat(header, body, make([]byte, 2*tarBlock))
}

// A file that was written without its holes is a file.
func TestSparse(t *testing.T) {
	t.Parallel()
	r := Files(fstest.MapFS{"x.tar": {Data: sparse(t, 1<<20)}}, []string{"x.tar"}, Request{})
	if len(r.Items) != 1 || r.Items[0].Path != "x.tar!sparse.so" || !slices.Equal(targetsOf(r.Items[0]), six) || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
}

// A list of files is not taken into memory when it is too long for one.
func TestVeryManyEntries(t *testing.T) {
	t.Parallel()
	entry := slices.Concat([]byte(directoryEntry), make([]byte, 46-4))
	data := slices.Concat([]byte(zipMagic), bytes.Repeat(entry, maxEntries+1000))
	end := binary.LittleEndian.AppendUint32([]byte("PK\x05\x06\x00\x00\x00\x00\xff\x00\xff\x00"), uint32(len(data)-4))
	data = append(binary.LittleEndian.AppendUint32(append(data, end...), 4), 0, 0)
	r := Files(fstest.MapFS{"x.zip": {Data: data}}, []string{"x.zip"}, Request{})
	if r.Overall() != Unknown || len(r.Problems) != 1 || r.Problems[0].What != errTooManyEntries.Error() {
		t.Errorf("%+v", r)
	}
}

// A library that is larger than what is kept gives the same answer packed as it
// gives unpacked. What is between its parts does not compress.
func TestLargePackedLibrary(t *testing.T) {
	t.Parallel()
	library := fixture(t, "plain.so")
	noise := rand.NewChaCha8([32]byte{1})
	const size = 10 << 20
	tail := make([]byte, size)
	_, _ = noise.Read(tail)
	big := slices.Concat(library, tail) // section headers at the front are rare, and harder
	fsys := fstest.MapFS{
		"big.so":  {Data: big},
		"big.whl": {Data: wheel(t, zip.Deflate, map[string][]byte{"big.so": big})},
	}
	plain, packed := Files(fsys, []string{"big.so"}, Request{}), Files(fsys, []string{"big.whl"}, Request{})
	if len(packed.Items) != 1 || len(packed.Problems) > 0 || !reflect.DeepEqual(packed.Items[0].Targets, plain.Items[0].Targets) {
		t.Errorf("got %+v\nwant %+v", packed, plain)
	}
}

// A folder of kernels in a wheel gives the answer that it gives on a disk: without
// an index nothing is found.
func TestKernelsInWheel(t *testing.T) {
	t.Parallel()
	const dir = "torch/lib/rocblas/library/"
	files := map[string][]byte{
		dir + "TensileLibrary_lazy_gfx1100.dat":               []byte("\x82\xa9solutions\x90\xa7library\x80"),
		dir + "TensileLibrary_Type_HH_fallback_gfx1100.hsaco": fixture(t, "a_gfx1100.hsaco"),
	}
	gpus := Request{GPUs: []rocm.TargetID{gpu(t, "gfx1100")}}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		r := Files(fstest.MapFS{"x.whl": {Data: wheel(t, method, files)}}, []string{"x.whl"}, gpus)
		if len(r.Items) != 1 || r.Items[0].Path != "x.whl!"+strings.TrimSuffix(dir, "/") || r.Overall() != Runs {
			t.Fatalf("%+v", r)
		}
		if v := r.Items[0].Verdicts["gfx1100"]; !strings.Contains(v.Why, "fallback code") {
			t.Errorf("%+v", v)
		}
	}
	delete(files, dir+"TensileLibrary_lazy_gfx1100.dat")
	r := Files(fstest.MapFS{"x.whl": {Data: wheel(t, zip.Deflate, files)}}, []string{"x.whl"}, gpus)
	if v := r.Items[0].Verdicts["gfx1100"]; v.Result != None || !strings.Contains(v.Why, "no index") {
		t.Errorf("without an index: %+v", v)
	}
}

// The archives of a library whose code was split off stand in the same wheel.
func TestKpackInWheel(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("../codeobj/testdata/kpack"), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path.Join("torch/lib", p)] = fixture(t, "kpack/"+p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := Files(fstest.MapFS{"x.whl": {Data: wheel(t, zip.Deflate, files)}}, []string{"x.whl"}, Request{})
	at := slices.IndexFunc(r.Items, func(i Item) bool { return i.Path == "x.whl!torch/lib/kpacked.so" })
	if at < 0 || !slices.Equal(targetsOf(r.Items[at]), []string{"gfx1100"}) || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
}

// A wheel in a wheel is looked into, and what is damaged is said.
func TestNested(t *testing.T) {
	t.Parallel()
	inner := wheel(t, zip.Deflate, map[string][]byte{"x.so": fixture(t, "plain.so")})
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		r := Files(fstest.MapFS{"o.zip": {Data: wheel(t, method, map[string][]byte{"i.whl": inner})}}, []string{"o.zip"}, Request{})
		if len(r.Items) != 1 || r.Items[0].Path != "o.zip!i.whl!x.so" {
			t.Errorf("%+v", r)
		}
	}
	cut := bytes.Clone(inner)
	at := bytes.Index(cut, []byte("x.so")) + 100
	clear(cut[at : at+50])
	if r := Files(fstest.MapFS{"c.whl": {Data: cut}}, []string{"c.whl"}, Request{}); len(r.Problems) == 0 {
		t.Errorf("damaged: %+v", r)
	}
}

// What is reached by two names counts once.
func TestReachedTwice(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"real/lib/x.so": {Data: fixture(t, "plain.so")},
		"real/lib/rocblas/library/Kernels.so-000-gfx1100.hsaco": {Data: fixture(t, "a_gfx1100.hsaco")},
		"link": {Data: []byte("real/lib"), Mode: fs.ModeSymlink},
	}
	for _, targets := range [][]string{{"real", "real"}, {"real", "real/lib"}, {"real", "link"}, {"link", "real"}, {"real/lib/x.so", "real"}} {
		if r := Files(fsys, targets, Request{}); len(r.Items) != 2 || r.Files != 2 {
			t.Errorf("%v: %d items, %d files", targets, len(r.Items), r.Files)
		}
	}
}

func TestHardLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells names of one file from others")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.so"), fixture(t, "plain.so"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "a.so"), filepath.Join(dir, "b.so")); err != nil {
		t.Skip(err)
	}
	live := host.Live()
	r := Files(host.Files(live), []string{host.FileName(live.OS(), dir)}, Request{})
	if len(r.Items) != 1 || r.Files != 1 || !strings.HasSuffix(r.Items[0].Path, "/a.so") {
		t.Errorf("%+v", r)
	}
}

// oddFiles is a file system whose files shrink after they were opened, or hang.
type oddFiles struct {
	fstest.MapFS
	hang  chan struct{}
	stats map[string]int
}

func (o oddFiles) Open(name string) (fs.File, error) {
	f, err := o.MapFS.Open(name)
	if err != nil || o.hang == nil {
		return f, err
	}
	return hanging{f, o.hang}, nil
}

func (o oddFiles) Stat(name string) (fs.FileInfo, error) {
	info, err := o.MapFS.Stat(name)
	if o.stats[name]++; err == nil && o.stats[name] > 1 {
		return shorter{info}, nil
	}
	return info, err
}

type shorter struct{ fs.FileInfo }

func (shorter) Size() int64 { return 1 }

type hanging struct {
	fs.File
	until chan struct{}
}

func (h hanging) ReadAt([]byte, int64) (int, error) {
	<-h.until
	return 0, fs.ErrClosed
}

func TestFileThatShrinks(t *testing.T) {
	t.Parallel()
	data := fixture(t, "plain.so")
	for name, content := range map[string][]byte{"x.so": data, "x.whl": wheel(t, zip.Deflate, map[string][]byte{"x.so": data})} {
		fsys := oddFiles{MapFS: fstest.MapFS{name: {Data: content}}, stats: map[string]int{}}
		r := Files(fsys, []string{name}, Request{})
		if len(r.Problems) != 1 || r.Overall() != Unknown || !strings.Contains(r.Problems[0].What, "shorter") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestFileThatHangs(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang)
	s := newScanner(oddFiles{MapFS: fstest.MapFS{"x.so": {Data: fixture(t, "plain.so")}}, hang: hang, stats: map[string]int{}}, []string{"x.so"}, Request{})
	s.patience = time.Millisecond
	if r := s.report(); len(r.Problems) != 1 || r.Overall() != Unknown || !strings.Contains(r.Problems[0].What, "did not end") {
		t.Errorf("%+v", r)
	}
}

// FuzzArchive changes a few bytes of archives.
func FuzzArchive(f *testing.F) {
	data, err := os.ReadFile("../codeobj/testdata/c21_z.hsaco")
	if err != nil {
		f.Fatal(err)
	}
	archives := [][]byte{
		wheel(f, zip.Deflate, map[string][]byte{"a/x.hsaco": data}), wheel(f, zip.Store, map[string][]byte{"a/x.hsaco": data}),
		wheel(f, zip.Store, map[string][]byte{"i.whl": wheel(f, zip.Deflate, map[string][]byte{"rocblas/library/x.co": data})}),
		slices.Concat([]byte("!<arch>\n"), member("debian-binary", []byte("2.0\n")), member("data.tar", data)),
		sevenziptest.Stored(sevenziptest.File{Name: "rocblas/library/x.co", Data: data}, sevenziptest.File{Name: "x.hsaco", Data: data}),
	}
	for i := range archives {
		f.Add(i, 30, []byte{0xff})
		f.Add(i, 100, []byte("PK\x01\x02"))
	}
	f.Fuzz(func(t *testing.T, which, at int, patch []byte) {
		data := bytes.Clone(archives[uint(which)%uint(len(archives))])
		copy(data[uint(at)%uint(len(data)):], patch)
		s := newScanner(fstest.MapFS{"x.tar": {Data: data}}, []string{"x.tar"}, Request{GPUs: []rocm.TargetID{{Processor: "gfx1100"}}})
		s.inflate = 1 << 20
		if r := s.report(); len(r.Items) == 0 && len(r.Problems) == 0 && r.Overall() != NoGPUCode {
			t.Errorf("%s of nothing", r.Overall())
		}
	})
}
