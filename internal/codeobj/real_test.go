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

func oneMatch(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
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

// The numbers were found three ways: by tables, by searching whole files for headers, and by roc-obj-ls.
func TestRealLibraries(t *testing.T) {
	t.Parallel()
	dir := realPackages(t)
	ten := []string{"gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1030", "gfx1100", "gfx1101", "gfx1102"}
	for _, c := range []struct {
		pattern string
		bundles int
	}{
		{"librocrand1/usr/lib/*/librocrand.so.*.*", 1},
		{"librocblas0/usr/lib/*/librocblas.so.*.*", 65},
		{"libhipblaslt1/usr/lib/*/libhipblaslt.so.*.*", 0},
	} {
		file, err := os.Open(oneMatch(t, filepath.Join(dir, c.pattern)))
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		source := &metered{File: file, size: info.Size()}
		f, err := Read(file.Name(), source, Options{})
		if err != nil || len(f.Problems) > 0 || f.Bundles != c.bundles || f.Wrappers != c.bundles {
			t.Errorf("%s: %d bundles, %d wrappers, %v, %v", c.pattern, f.Bundles, f.Wrappers, f.Problems, err)
		}
		want := slices.Sorted(slices.Values(slices.Repeat(ten, c.bundles)))
		if got := texts(f); !slices.Equal(got, want) {
			t.Errorf("%s: %v", c.pattern, got)
		}
		if source.bytes > 1<<20 {
			t.Errorf("%s: %d bytes of %d were read", c.pattern, source.bytes, source.size)
		}
		t.Logf("%d objects, %d of %d bytes read", len(f.Objects), source.bytes, source.size)
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRealFolders(t *testing.T) {
	t.Parallel()
	dir := realPackages(t)
	for _, c := range []struct {
		pattern, version, want string
	}{
		{
			"librocblas0/usr/lib/*/rocblas/*/library", "5.5.1+dfsg-7",
			"gfx1010 1, gfx1030 2, gfx1100 2, gfx1101 2, gfx1102 2, gfx803 2, gfx900 2, gfx906 2, gfx908 2, gfx90a 1, gfx90a:xnack+ 1, gfx90a:xnack- 1",
		},
		{
			"libhipblaslt1/usr/lib/*/hipblaslt/library", "7.1.1+dfsg-4",
			"gfx1100 48, gfx1101 56, gfx1102 48, gfx1103 48, gfx1150 48, gfx1151 48, gfx1200 144, gfx1201 149, gfx908 54, gfx90a 95",
		},
	} {
		folder := oneMatch(t, filepath.Join(dir, c.pattern))
		f, err := ReadFolder(os.DirFS(folder), ".", Options{})
		if err != nil || len(f.Problems) > 0 || len(f.Files) == 0 {
			t.Errorf("%s: %v, %v", folder, f.Problems, err)
		}
		for _, target := range f.Targets {
			if len(target.Missing) > 0 {
				t.Errorf("%s: %+v", folder, target)
			}
		}
		name, _, _ := strings.Cut(c.pattern, "/")
		version, err := os.ReadFile(filepath.Join(dir, name+".version"))
		if err != nil {
			t.Fatal(err)
		}
		if got := tally(f); strings.TrimSpace(string(version)) == c.version && got != c.want {
			t.Errorf("%s:\n%s", folder, got)
		}
		t.Logf("%d files with code", len(f.Files))
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
