package scan

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Six targets, compiled into most of the small files of codeobj.
var six = []string{"gfx906:sramecc+:xnack-", "gfx90a:xnack+", "gfx942", "gfx1030", "gfx1100", "gfx1201"}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../codeobj/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func gpu(t *testing.T, name string) rocm.TargetID {
	t.Helper()
	id, err := rocm.ParseTargetID(name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func targetsOf(i Item) []string {
	var out []string
	for _, t := range i.Targets {
		out = append(out, t.Target)
	}
	return out
}

func TestFile(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"plain.so": {Data: fixture(t, "plain.so")}}
	for name, want := range map[string]Result{
		"gfx1100": Exact, "gfx1201": Exact, "gfx1031": Override, "gfx1010": None, "gfx90a:xnack+": Exact, "gfx90a:xnack-": None,
		"gfx906": None, // a Radeon VII runs with sramecc off, and comgr picks nothing either
		"gfx90a": None, // it runs with xnack off
	} {
		r := Files(fsys, []string{"plain.so"}, Request{GPUs: []rocm.TargetID{gpu(t, name)}})
		if len(r.Items) != 1 || !slices.Equal(targetsOf(r.Items[0]), six) {
			t.Fatalf("%+v", r)
		}
		if v := r.Items[0].Verdicts[name]; v.Result != want || v.Why == "" {
			t.Errorf("%s: %+v, want %s", name, v, want)
		}
		if (r.Overall() == Runs) != want.Runs() {
			t.Errorf("%s: overall %s", name, r.Overall())
		}
	}
}

// A wheel is looked into without being unpacked, stored or compressed.
func TestWheel(t *testing.T) {
	t.Parallel()
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	for name, method := range map[string]uint16{"torch/lib/stored.so": zip.Store, "torch/lib/deflated.so": zip.Deflate, "../../etc/passwd": zip.Store} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(fixture(t, "plain.so")); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := Files(fstest.MapFS{"x.whl": {Data: wheel.Bytes()}}, []string{"x.whl"}, Request{})
	var paths []string
	for _, i := range r.Items {
		paths = append(paths, i.Path)
		if !slices.Equal(targetsOf(i), six) {
			t.Errorf("%s: %v", i.Path, targetsOf(i))
		}
	}
	if want := []string{"x.whl!../../etc/passwd", "x.whl!torch/lib/deflated.so", "x.whl!torch/lib/stored.so"}; !slices.Equal(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
}

// A folder of kernels is one answer, and a package is named.
func TestVenv(t *testing.T) {
	t.Parallel()
	const site = "v/lib/python3.12/site-packages/"
	fsys := fstest.MapFS{
		site + "torch-2.9.1+rocm6.4.dist-info/METADATA":                                  {},
		site + "torch/lib/libtorch_hip.so":                                               {Data: fixture(t, "plain.so")},
		site + "torch/lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat":               {Data: []byte("\x82\xa9solutions\x90\xa7library\x80")}, // an index of nothing
		site + "torch/lib/rocblas/library/TensileLibrary_Type_HH_fallback_gfx1100.hsaco": {Data: fixture(t, "a_gfx1100.hsaco")},
		site + "torch/lib/rocblas/library/Kernels.so-000-gfx1100.hsaco":                  {Data: fixture(t, "a_gfx1100.hsaco")},
		site + "torch/lib/text.txt":                                                      {Data: []byte("nothing")},
		site + "torch/changelog.gz":                                                      {Data: []byte("\x1f\x8b\x08\x00 a text")},
		site + "torch/lib/link.so":                                                       {Data: []byte("libtorch_hip.so"), Mode: fs.ModeSymlink},
	}
	r := Files(fsys, []string{"v"}, Request{GPUs: []rocm.TargetID{gpu(t, "gfx1100")}})
	if len(r.Items) != 2 || r.Overall() != Runs {
		t.Fatalf("%+v", r)
	}
	kernels := r.Items[1]
	if kernels.Kind != "kernels" || kernels.Path != site+"torch/lib/rocblas/library" || kernels.Targets[0].Count != 2 {
		t.Errorf("%+v", kernels)
	}
	if v := kernels.Verdicts["gfx1100"]; !strings.Contains(v.Why, "fallback code") {
		t.Errorf("%+v", v)
	}
	delete(fsys, site+"torch/lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat")
	alone := Files(fsys, []string{"v"}, Request{GPUs: []rocm.TargetID{gpu(t, "gfx1100")}})
	if v := alone.Items[1].Verdicts["gfx1100"]; v.Result != None || !strings.Contains(v.Why, "no index") {
		t.Errorf("without an index: %+v", v)
	}
	for _, i := range r.Items {
		if i.Package != "torch 2.9.1+rocm6.4" {
			t.Errorf("%s belongs to %q", i.Path, i.Package)
		}
	}
}

func TestKpacked(t *testing.T) {
	t.Parallel()
	r := Files(os.DirFS("../codeobj/testdata"), []string{"kpack/kpacked.so"}, Request{})
	if len(r.Items) != 1 || !slices.Equal(targetsOf(r.Items[0]), []string{"gfx1100"}) || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
	alone := fstest.MapFS{"kpacked.so": {Data: fixture(t, "kpack/kpacked.so")}}
	if r := Files(alone, []string{"kpacked.so"}, Request{}); r.Overall() != Unknown || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "none of them is there") {
		t.Errorf("without its archives: %+v", r)
	}
}

// What cannot be read never passes.
func TestBadInput(t *testing.T) {
	t.Parallel()
	whole := fixture(t, "plain.so")
	for name, data := range map[string][]byte{
		"cut.so":    whole[:len(whole)/2],
		"x.tar.gz":  []byte("\x1f\x8b\x08\x00 and more"),
		"x.deb":     []byte("!<arch>\ndebian-binary   0           0     0     100644  99999999  `\n"),
		"y.deb":     []byte("!<arch>\ndebian-binary   0           0     0     100644  4         `\n2.0\n"),
		"x.tar.xz":  []byte("\xfd7zXZ\x00 and more"),
		"x.tar.zst": []byte("\x28\xb5\x2f\xfd and more"),
		"x.zip":     []byte("PK\x03\x04 and no more"),
	} {
		r := Files(fstest.MapFS{name: {Data: data}}, []string{name}, Request{GPUs: []rocm.TargetID{gpu(t, "gfx1100")}})
		if r.Overall() == Runs || len(r.Problems) == 0 {
			t.Errorf("%s: %s, %+v", name, r.Overall(), r.Problems)
		}
	}
	if r := Files(fstest.MapFS{}, []string{"none"}, Request{}); r.Overall() != Unknown {
		t.Errorf("a file that is not there: %+v", r)
	}
	if r := Files(fstest.MapFS{"x": {Data: []byte("text")}}, []string{"x"}, Request{}); r.Overall() != NoGPUCode {
		t.Errorf("a text: %+v", r)
	}
}

func FuzzFiles(f *testing.F) {
	for _, name := range []string{"a_bundle_z.hsaco", "a_gfx1100.hsaco", "c21_z.hsaco"} {
		data, err := os.ReadFile("../codeobj/testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Files(fstest.MapFS{"x": {Data: data}}, []string{"x"}, Request{GPUs: []rocm.TargetID{{Processor: "gfx1100"}}})
		if len(r.Items) == 0 && len(r.Problems) == 0 && r.Overall() != NoGPUCode {
			t.Errorf("%s of nothing", r.Overall())
		}
	})
}

func tarball(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, data := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func member(name string, data []byte) []byte {
	out := fmt.Appendf(nil, "%-16s%-12s%-6s%-6s%-8s%-10d`\n", name, "0", "0", "0", "100644", len(data))
	out = append(out, data...)
	if len(data)%2 == 1 {
		out = append(out, '\n')
	}
	return out
}

// Tarballs, plain and compressed, and Debian packages are looked into.
func TestArchives(t *testing.T) {
	t.Parallel()
	plain := tarball(t, map[string][]byte{"usr/lib/x.so": fixture(t, "plain.so")})
	var gz, zst, lzma bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	x, err := xz.NewWriter(&lzma)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z, x} {
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	deb := slices.Concat([]byte("!<arch>\n"), member("debian-binary", []byte("2.0\n")), member("control.tar.gz", []byte("odd")), member("data.tar.xz", lzma.Bytes()))
	for name, data := range map[string][]byte{"a.tar": plain, "a.tar.gz": gz.Bytes(), "a.tar.zst": zst.Bytes(), "a.tar.xz": lzma.Bytes(), "a.deb": deb} {
		r := Files(fstest.MapFS{name: {Data: data}}, []string{name}, Request{})
		if len(r.Items) != 1 || r.Items[0].Path != name+"!usr/lib/x.so" || !slices.Equal(targetsOf(r.Items[0]), six) || len(r.Problems) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A library that asks for CUDA and holds no code of AMD's is the wrong build, and
// is told so; NVIDIA's own libraries are not.
func TestCUDA(t *testing.T) {
	t.Parallel()
	f := codeobj.File{Path: "site-packages/torch/lib/libtorch_cuda.so", Kind: codeobj.KindELF}
	i, ok := cudaOnly(f, asks{cuda: []string{"libcudart.so.12"}})
	if !ok || i.Kind != "cuda" {
		t.Fatalf("%+v, %t", i, ok)
	}
	i.judge([]rocm.TargetID{gpu(t, "gfx1100")})
	if v := i.Verdicts["gfx1100"]; v.Result != None || !strings.Contains(v.Why, "built for CUDA (it asks for libcudart.so.12)") {
		t.Errorf("%+v", v)
	}
	for name, tc := range map[string]struct {
		path      string
		hip, cuda []string
	}{
		"no GPU":  {"x.so", nil, nil},
		"HIP too": {"x.so", []string{"libamdhip64.so.6"}, []string{"libcudart.so.12"}},
		"vendor":  {"site-packages/nvidia/cublas/lib/libcublasLt.so.12", nil, []string{"libcudart.so.12"}},
	} {
		if i, ok := cudaOnly(codeobj.File{Path: tc.path, Kind: codeobj.KindELF}, asks{hip: tc.hip, cuda: tc.cuda}); ok {
			t.Errorf("%s: %+v", name, i)
		}
	}
	if got := beginning([]string{"libc.so.6", "libamdhip64.so.6", "AMDHIP64_7.dll"}, hipLibraries); len(got) != 2 {
		t.Errorf("libraries of HIP: %v", got)
	}
}
