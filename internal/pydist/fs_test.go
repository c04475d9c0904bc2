package pydist

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"
)

// A zip is a file system that reads no whole files: the bound is our own.
func TestReadFromZip(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, text := range map[string]string{
		"good-1.0.dist-info/METADATA": "Name: good\nVersion: 1.0\n",
		"bomb-1.0.dist-info/METADATA": "Name: bomb\nVersion: 1.0\n\n" + strings.Repeat("0", 2*maxMetadata),
	} {
		f, err := w.Create(site + "/" + name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	fsys, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	dists, faults := said(read(t, fsys))
	if !slices.Equal(dists, []string{"good 1.0"}) || !slices.Equal(faults, []string{"bomb-1.0.dist-info/METADATA: oversized"}) {
		t.Errorf("got %q and %q", dists, faults)
	}
}

// The first python3 on PATH may be a link out of its folder.
func TestFindThroughLinks(t *testing.T) {
	t.Parallel()
	fsys := planted(map[string]string{
		"home/ada/bin/python":  "-> python3",
		"home/ada/bin/python3": "-> /data/py/bin/python3",
		"data":                 "-> srv/store/",
		"srv/store/py":         "-> ../versions/cpython-3.12.3-linux",
		"srv/versions/cpython-3.12.3-linux/bin/python3":                           "-> python3.12",
		"srv/versions/cpython-3.12.3-linux/bin/python3.12":                        "ELF",
		"srv/versions/cpython-3.12.3-linux/bin/python3.13":                        "ELF",
		"srv/versions/cpython-3.12.3-linux/lib/python3.12/site-packages/x.py":     "",
		"srv/versions/cpython-3.12.3-linux/include/python3.12/patchlevel.h":       "no version",
		"srv/versions/cpython-3.12.3-linux/lib/python3.13/site-packages/readme.x": "",
	})
	// A map cannot follow a link on the way to a file, so the name is asked for.
	f := &finder{fsys: fsys, reach: Reach{OS: "linux"}, seen: map[string][]int{}, resolved: map[string]string{}, links: map[string]string{}}
	f.addInterpreter("home/ada/bin/python")
	want := []string{
		"*srv/versions/cpython-3.12.3-linux system 3.12.3 (PATH) srv/versions/cpython-3.12.3-linux/lib/python3.12/site-packages",
		"srv/versions/cpython-3.12.3-linux system 3.13 (PATH) srv/versions/cpython-3.12.3-linux/lib/python3.13/site-packages",
	}
	if got := described(f.found); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMachineName(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{"linux", "amd64", "x86_64"}, {"linux", "x86_64", "x86_64"}, {"windows", "x86_64", "AMD64"}, {"linux", "arm64", "aarch64"},
		{"darwin", "aarch64", "arm64"}, {"windows", "ARM64", "ARM64"}, {"linux", "riscv64", "riscv64"}, {"linux", "", ""},
	} {
		if got := MarkersFor(Environment{}, tc[0], tc[1]).PlatformMachine; got != tc[2] {
			t.Errorf("%s on %s: %s", tc[1], tc[0], got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"numpy": "numpy", "Foo.__Bar": "foo-bar", "a--b": "a-b", "-a": "-a", "A-": "a-", "": "", "typing_extensions": "typing-extensions",
	} {
		if got := Normalize(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	for stem, want := range map[string][2]string{
		"a-1.0-py3.12": {"a", "1.0"}, "a-py3.12": {"a", ""}, "a": {"a", ""}, "a-1.0-py3.12-linux-x86_64": {"a", "1.0"},
	} {
		if name, version := splitEggInfo(stem); name != want[0] || version != want[1] {
			t.Errorf("%q: got %q, %q", stem, name, version)
		}
	}
}
