package linkage

import (
	"reflect"
	"testing"
	"testing/fstest"
)

func TestParseConf(t *testing.T) {
	t.Parallel()
	got := parseConf([]byte("# comment\n/opt/rocm/lib # here\n\ninclude ld.so.conf.d/*.conf /more/*.conf\nhwcap 0 nosegneg\n/usr/lib/libc5=libc5\n/a:/b, /c/\nrelative\n"))
	want := []confLine{
		{folder: "/opt/rocm/lib"}, {include: "ld.so.conf.d/*.conf"}, {include: "/more/*.conf"},
		{folder: "/usr/lib/libc5"}, {folder: "/a"}, {folder: "/b"}, {folder: "/c"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestConfIncludes(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"etc/ld.so.conf":              file("include ld.so.conf.d/*.conf\n/last\n"),
		"etc/ld.so.conf.d/20-b.conf":  file("/b\ninclude /etc/ld.so.conf\n"), // round and round
		"etc/ld.so.conf.d/10-a.conf":  file("/a\n"),
		"etc/ld.so.conf.d/README.txt": file("/never\n"),
	}
	got := confFolders(files)
	if len(got) < 3 || got[0] != "/a" || got[1] != "/b" || got[len(got)-1] != "/last" {
		t.Errorf("got %v", got)
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }

func FuzzParseConf(f *testing.F) {
	f.Add([]byte("include *.conf\n/opt/rocm/lib=libc6\n# x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, l := range parseConf(data) {
			if (l.folder == "") == (l.include == "") {
				t.Errorf("neither or both: %+v", l)
			}
		}
	})
}
