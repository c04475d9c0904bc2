package host

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestManyFiles lists a folder that needs many calls, beside the standard library.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 3000 {
		if err := os.Symlink("nowhere", filepath.Join(dir, fmt.Sprintf("%0*d", 1+i%200, i))); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readDir(dir)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d names, %v; want %d", len(got), err, len(want))
	}
	slices.SortFunc(got, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	for i, e := range want {
		if got[i] != (Entry{Name: e.Name(), Type: e.Type()}) {
			t.Fatalf("entry %d is %+v, want %v", i, got[i], e)
		}
	}
}

// dirent is one entry as the kernel writes it.
func dirent(kind byte, name string) []byte {
	length := (direntName + len(name) + 1 + 7) / 8 * 8
	b := make([]byte, length)
	binary.NativeEndian.PutUint16(b[direntLength:], uint16(length))
	b[direntType] = kind
	copy(b[direntName:], name)
	return b
}

// TestTypeNotListed asks for the types that a file system does not list.
func TestTypeNotListed(t *testing.T) {
	t.Parallel()
	dir := populate(t)
	var records []byte
	for _, name := range []string{".", "..", "plain", "sub", "link", "gone"} {
		records = append(records, dirent(unix.DT_UNKNOWN, name)...)
	}
	got := typed(dir, appendEntries(nil, records))
	want := []Entry{{"plain", 0}, {"sub", fs.ModeDir}, {"link", fs.ModeSymlink}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzDirents(f *testing.F) {
	f.Add(slices.Concat(dirent(unix.DT_REG, "gfx1100_1.ukdb"), dirent(unix.DT_DIR, "3.5.1")))
	f.Add(dirent(unix.DT_CHR, strings.Repeat("x", 255))[:40])
	f.Fuzz(func(t *testing.T, records []byte) {
		most := len(records) / direntName
		entries := appendEntries(nil, records)
		if len(entries) > most {
			t.Errorf("%d entries in %d bytes", len(entries), len(records))
		}
		for _, e := range entries {
			if e.Name == "" || e.Name == "." || e.Name == ".." || strings.Contains(e.Name, "\x00") {
				t.Errorf("a file is called %q", e.Name)
			}
		}
	})
}
