package scan

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// thinArchive names files as GNU's ar does.
func thinArchive(members ...string) []byte {
	var names, rows []byte
	for _, m := range members {
		rows = append(rows, member(fmt.Sprintf("/%d", len(names)), make([]byte, 1234))[:arHeader]...)
		names = append(append(names, m...), "/\n"...)
	}
	return slices.Concat([]byte("!<thin>\n"), member("//", names), rows)
}

func paths(r Report) []string {
	var out []string
	for _, i := range r.Items {
		out = append(out, i.Path)
	}
	return out
}

func TestThinArchive(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"build/lib/libx.a": {Data: thinArchive("a.o", "../obj/b.o", "/build/obj/c.o")},
		"build/lib/a.o":    {Data: fixture(t, "a_v6.o")},
		"build/obj/b.o":    {Data: fixture(t, "a_v5.o")},
		"build/obj/c.o":    {Data: fixture(t, "a_v4.o")},
	}
	r := Files(fsys, []string{"build/lib/libx.a"}, Request{})
	want := []string{"build/lib/libx.a!../obj/b.o", "build/lib/libx.a!/build/obj/c.o", "build/lib/libx.a!a.o"}
	if !slices.Equal(paths(r), want) || len(r.Problems) > 0 || r.Files != 4 {
		t.Errorf("%q, %+v, %d files", paths(r), r.Problems, r.Files)
	}
	// A folder that holds the members as well holds each of them once.
	if r := Files(fsys, []string{"build"}, Request{}); len(r.Items) != 3 || r.Files != 4 || len(r.Problems) > 0 {
		t.Errorf("%q, %+v, %d files", paths(r), r.Problems, r.Files)
	}
}

func TestThinArchiveThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"libx.a":  {Data: thinArchive("missing.o", "../../../../etc/shadow", "pipe.o", "folder", "inner.a", "libx.a")},
		"pipe.o":  {Mode: fs.ModeNamedPipe},
		"folder":  {Mode: fs.ModeDir},
		"inner.a": {Data: thinArchive("good.o")},
		"good.o":  {Data: fixture(t, "a_v6.o")},
	}
	r := Files(fsys, []string{"libx.a"}, Request{})
	var said []string
	for _, p := range r.Problems {
		said = append(said, p.Path+": "+p.What)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{
		"libx.a!missing.o: it is a member of a thin archive, and cannot be read: file does not exist", "libx.a!../../../../etc/shadow: ",
		"libx.a!pipe.o: it is a member of a thin archive, and cannot be read: it is no plain file", "libx.a!folder: ",
		"libx.a!inner.a: it is a thin archive, which holds names of files only", "libx.a!libx.a: it is a thin archive",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not said:\n%s", want, all)
		}
	}
	if len(r.Problems) != 6 || len(r.Items) != 0 || r.Overall() != Unknown {
		t.Errorf("%+v", r)
	}
}
