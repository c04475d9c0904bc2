package host

import (
	"errors"
	"io"
	"io/fs"
	"testing"
)

func TestFilesOfASnapshot(t *testing.T) {
	t.Parallel()
	snap, err := ParseSnapshot([]byte(`rocsmith snapshot 1
os: linux
unlisted: absent
-- file "/usr/lib/real.txt" --
0123456789
-- link "/usr/lib/name.txt" --
real.txt
-- link "/lib" --
usr/lib
-- link "/loop" --
loop
-- end 4 --
`))
	if err != nil {
		t.Fatal(err)
	}
	fsys := Files(snap)
	data, err := fs.ReadFile(fsys, "lib/name.txt")
	if err != nil || string(data) != "0123456789\n" {
		t.Errorf("through two links: %q, %v", data, err)
	}
	info, err := fs.Stat(fsys, "lib/name.txt")
	if err != nil || !info.Mode().IsRegular() || info.Name() != "name.txt" {
		t.Errorf("stat through two links: %v, %v", info, err)
	}
	if _, err := fs.Stat(fsys, "loop"); !errors.Is(err, ELOOP) {
		t.Errorf("a loop: %v", err)
	}
	if _, err := fs.Stat(fsys, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, name := range []string{"/usr", "../etc", ""} {
		if _, err := fsys.Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("open %q: %v", name, err)
		}
	}
}

func TestFilesByRanges(t *testing.T) {
	t.Parallel()
	door := fake{
		"stat /x":           Stat{Size: 6},
		"range /x 0 4":      []byte("0123"),
		"range /x 4 4":      []byte("45"),
		"range /x 6 4":      []byte(""),
		"range /closed 0 4": EACCES,
		"stat /closed":      Stat{Size: 6},
	}
	f, err := Files(door).Open("x")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 4)
	for _, want := range []string{"0123", "45"} {
		if n, err := f.Read(p); err != nil || string(p[:n]) != want {
			t.Errorf("read %q, %v, want %q", p[:n], err, want)
		}
	}
	if n, err := f.Read(p); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %d, %v", n, err)
	}
	closed, err := Files(door).Open("closed")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := closed.Read(p); !errors.Is(err, EACCES) {
		t.Errorf("a file that may not be read: %v", err)
	}
}

func TestFilesOfWindows(t *testing.T) {
	t.Parallel()
	door := fake{"os": "windows", `file C:\Program Files\x.txt`: []byte("x"), `dir C:\Program Files`: []Entry{{Name: "x.txt"}}, `stat C:\Program Files\x.txt`: Stat{Size: 1}}
	name := FileName("windows", `C:\Program Files\x.txt`)
	if data, err := fs.ReadFile(Files(door), name); err != nil || string(data) != "x" {
		t.Errorf("read %s: %q, %v", name, data, err)
	}
	if got := PathOf("windows", name); got != `C:\Program Files\x.txt` {
		t.Errorf("back again it is %s", got)
	}
	entries, err := fs.ReadDir(Files(door), "C:/Program Files")
	if err != nil || len(entries) != 1 {
		t.Fatalf("list: %v, %v", entries, err)
	}
	if info, err := entries[0].Info(); err != nil || info.Size() != 1 {
		t.Errorf("the entry: %v, %v", info, err)
	}
}
