package codeobj

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realPackages returns the folder into which packages of Debian were unpacked. It is filled by scripts/real.
func realPackages(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ROCSMITH_REAL_CODE")
	if dir == "" {
		t.Skip("run by scripts/real codeobj, which fetches packages of Debian")
	}
	return dir
}

// A realPackage is where a package of Debian was unpacked. Some are always fetched; others are looked at where
// scripts/bench-scan has fetched them.
type realPackage struct {
	dir     string
	version string
}

func findPackage(t *testing.T, name string, required bool) (realPackage, bool) {
	t.Helper()
	dir := realPackages(t)
	if !required {
		dir = os.Getenv("ROCSMITH_REAL_MORE")
	}
	version, err := os.ReadFile(filepath.Join(dir, name+".version"))
	switch {
	case err == nil:
		return realPackage{filepath.Join(dir, name), strings.TrimSpace(string(version))}, true
	case required:
		t.Fatal(err)
	}
	return realPackage{}, false
}

func (p realPackage) file(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

// metered counts what is read of a file.
type metered struct {
	*os.File
	size, bytes int64
}

func (m *metered) Size() int64 { return m.size }

func (m *metered) ReadAt(p []byte, off int64) (int, error) {
	m.bytes += int64(len(p))
	return m.File.ReadAt(p, off)
}

func openMetered(t *testing.T, name string) *metered {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return &metered{File: file, size: info.Size()}
}

const ten = "gfx803 gfx900 gfx906 gfx908 gfx90a gfx1010 gfx1030 gfx1100 gfx1101 gfx1102"

// The numbers were found three ways: by tables, by searching whole files for headers, and by roc-obj-ls. They hold for
// one version of a package; of another one it is known that wrappers and bundles agree.
func TestRealLibraries(t *testing.T) {
	t.Parallel()
	const required, more = true, false
	objects, libraries := 0, 0
	for _, c := range []struct {
		need                bool
		name, version, file string
		bundles, format     int
		targets             string
	}{
		{required, "librocrand1", "5.7.1-6", "usr/lib/*/librocrand.so.*.*", 1, 4, ten},
		{required, "librocblas0", "5.5.1+dfsg-7", "usr/lib/*/librocblas.so.*.*", 65, 4, ten},
		{required, "libhipblaslt1", "7.1.1+dfsg-4", "usr/lib/*/libhipblaslt.so.*.*", 0, 0, ""},
		{more, "librocblas4", "6.4.4-4", "usr/lib/*/librocblas.so.*.*", 66, 6, ten},
		{more, "libggml0-backend-hip", "0.27.0-1", "usr/lib/*/ggml/*/libggml-hip.so", 140, 6, ten},
		{more, "librocrand1", "6.4.3-1", "usr/lib/*/librocrand.so.*.*", 15, 6, ten},
		{more, "librocfft0", "6.4.3-1+b1", "usr/lib/*/librocfft.so.*.*", 1, 6, ten},
		{more, "librocsparse1", "6.4.3-3", "usr/lib/*/librocsparse.so.*.*", 142, 6, ten},
		{more, "librccl1", "5.4.3-3+b1", "usr/lib/*/librccl.so.*.*", 1, 4, ten},
		{more, "libmagma2-rocm", "2.9.0+ds-3", "usr/lib/*/libmagma.so.*.*", 436, 6, ten},
		{more, "libmagma-sparse2-rocm", "2.9.0+ds-3", "usr/lib/*/libmagma_sparse.so.*.*", 205, 6, ten},
		{more, "libspfft1", "1.1.1-5+b2", "usr/lib/*/libspfft.so.*.*.*", 5, 6, ten},
		{more, "libgloo-rocm-0", "0.0~git20250912.d97133a-2+rocm1", "usr/lib/libgloo_hip.so.*.*", 2, 6, ten},
		{more, "migraphx-tools", "7.1.1-8", "usr/lib/*/migraphx/lib/libmigraphx_device.so.*.*", 12, 6, "gfx908 gfx90a gfx942 gfx1030 gfx1031 gfx1032 gfx1100 gfx1101 gfx1102"},
		{more, "libhipblas2", "6.4.4-1", "usr/lib/*/libhipblas.so.*.*", 0, 0, ""},
		{more, "libmiopen1", "6.4.3+dfsg-1+b1", "usr/lib/*/libMIOpen.so.*.*", 0, 0, ""},
	} {
		p, ok := findPackage(t, c.name, c.need)
		if !ok {
			continue
		}
		libraries++
		source := openMetered(t, p.file(t, c.file))
		f, err := Read(source.Name(), source, Options{})
		if err != nil || len(f.Problems) > 0 || f.Bundles != f.Wrappers {
			t.Errorf("%s: %d bundles, %d wrappers, %v, %v", c.name, f.Bundles, f.Wrappers, f.Problems, err)
		}
		objects += len(f.Objects)
		if limit := int64(64<<10 + f.Bundles*32<<10); source.bytes > limit {
			t.Errorf("%s: %d bytes of %d were read", c.name, source.bytes, source.size)
		}
		if p.version != c.version {
			continue
		}
		want := slices.Sorted(slices.Values(slices.Repeat(strings.Fields(c.targets), c.bundles)))
		if got := texts(f); f.Bundles != c.bundles || !slices.Equal(got, want) {
			t.Errorf("%s: %d bundles, %v", c.name, f.Bundles, got)
		}
		for _, o := range f.Objects {
			if o.CodeObject != c.format {
				t.Fatalf("%s: %+v", c.name, o)
			}
		}
	}
	t.Logf("%d objects in %d libraries", objects, libraries)
}

// The HSA runtime carries kernels for every GPU it knows, in no bundle.
func TestRealRuntime(t *testing.T) {
	t.Parallel()
	p, ok := findPackage(t, "libhsa-runtime64-1", false)
	if !ok {
		t.Skip("scripts/bench-scan has not fetched the package")
	}
	source := openMetered(t, p.file(t, "usr/lib/*/libhsa-runtime64.so.*.*"))
	f, err := Read(source.Name(), source, Options{Deep: true})
	if err != nil || len(f.Problems) > 0 || f.Bundles != 0 || !f.Infrastructure {
		t.Fatalf("%+v, %v", f, err)
	}
	got := texts(f)
	if len(got) != len(slices.Compact(got)) || p.version == "6.4.3+dfsg-5" && len(got) != 39 {
		t.Errorf("%d objects: %v", len(got), got)
	}
	t.Logf("%d objects in no bundle", len(got))
}

func TestRealFolders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		need                        bool
		name, version, folder, want string
	}{
		{
			true, "librocblas0", "5.5.1+dfsg-7", "usr/lib/*/rocblas/*/library",
			"gfx1010 1, gfx1030 2, gfx1100 2, gfx1101 2, gfx1102 2, gfx803 2, gfx900 2, gfx906 2, gfx908 2, gfx90a 1, gfx90a:xnack+ 1, gfx90a:xnack- 1",
		},
		{
			true, "libhipblaslt1", "7.1.1+dfsg-4", "usr/lib/*/hipblaslt/library",
			"gfx1100 48, gfx1101 56, gfx1102 48, gfx1103 48, gfx1150 48, gfx1151 48, gfx1200 144, gfx1201 149, gfx908 54, gfx90a 95",
		},
		{
			false, "librocblas4", "6.4.4-4", "usr/lib/*/rocblas/*/library",
			"gfx1010 51, gfx1030 67, gfx1100 71, gfx1101 71, gfx1102 71, gfx803 59, gfx900 95, gfx906 101, gfx908 108, gfx90a 122, gfx90a:xnack+ 77, gfx90a:xnack- 77",
		},
	} {
		p, ok := findPackage(t, c.name, c.need)
		if !ok {
			continue
		}
		folder := p.file(t, c.folder)
		f, err := ReadFolder(os.DirFS(folder), ".", Options{})
		if err != nil || len(f.Problems) > 0 || len(f.Files) == 0 {
			t.Errorf("%s: %v, %v", folder, f.Problems, err)
		}
		for _, target := range f.Targets {
			if len(target.Missing) > 0 {
				t.Errorf("%s: %+v", folder, target)
			}
		}
		if got := tally(f); p.version == c.version && got != c.want {
			t.Errorf("%s:\n%s", folder, got)
		}
		if c.name == "librocblas4" && p.version == c.version {
			holdRocBLAS(t, f)
		}
		t.Logf("%d files with code", len(f.Files))
	}
}

// holdRocBLAS compares what the indexes of rocBLAS 6.4.4 refer to: tables with code written for a GPU, and fallbacks.
func holdRocBLAS(t *testing.T, f Folder) {
	t.Helper()
	want := map[string]int{"gfx803": 58, "gfx900": 78, "gfx906": 88, "gfx908": 97, "gfx90a": 172, "gfx1010": 50, "gfx1030": 66, "gfx1100": 70, "gfx1101": 70, "gfx1102": 70}
	for _, target := range f.Targets {
		if target.Placeholders != want[target.Processor] || target.Fallback != 50 || !target.Index {
			t.Errorf("%+v, want %d placeholders", target, want[target.Processor])
		}
		if tuned := want[target.Processor] - 50; target.Tuned != tuned {
			t.Errorf("%s: %d tuned, want %d", target.Processor, target.Tuned, tuned)
		}
	}
}

func tally(f Folder) string {
	count := map[string]int{}
	for _, file := range f.Files {
		for _, o := range file.Objects {
			count[o.Text]++
		}
	}
	var out []string
	for _, target := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprint(target, " ", count[target]))
	}
	return strings.Join(out, ", ")
}
