package linkage

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes a file system from recipes, links ("-> target") and plain texts.
func tree(files map[string]any) fstest.MapFS {
	out := fstest.MapFS{}
	for name, content := range files {
		name = strings.TrimPrefix(name, "/")
		switch c := content.(type) {
		case elfRecipe:
			out[name] = &fstest.MapFile{Data: c.bytes(), Mode: 0o755}
		case peRecipe:
			out[name] = &fstest.MapFile{Data: c.bytes(), Mode: 0o755}
		case []byte:
			out[name] = &fstest.MapFile{Data: c, Mode: 0o644}
		case string:
			if to, link := strings.CutPrefix(c, "-> "); link {
				out[name] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
			} else {
				out[name] = file(c)
			}
		}
	}
	return out
}

const ld = "/lib64/ld-linux-x86-64.so.2"

// summary writes a tree as "path (how)" lines and what is wrong with it.
func summary(t Tree) []string {
	var out []string
	for _, l := range t.Libraries[1:] {
		out = append(out, l.Path+" ("+l.How+")")
	}
	for _, m := range t.Missing {
		out = append(out, "missing "+m.Name+" for "+strings.Join(m.Chain, " "))
	}
	for _, v := range t.Versions {
		out = append(out, v.String())
	}
	for _, f := range t.Faults {
		verb := "unseen "
		if f.Refused {
			verb = "refused "
		}
		out = append(out, verb+f.Path)
	}
	return out
}

func needs(names ...string) elfRecipe { return elfRecipe{needs: names} }
func lib(soname string) elfRecipe     { return elfRecipe{soname: soname} }

func TestSearchOrder(t *testing.T) {
	t.Parallel()
	program := elfRecipe{interp: ld, needs: []string{"liba.so"}}
	with := func(e elfRecipe, change func(*elfRecipe)) elfRecipe {
		change(&e)
		return e
	}
	a := lib("liba.so")
	cacheOf := func(path string) []byte {
		return makeCache(binary.LittleEndian, []cacheEntry{{"liba.so", path, 0x303, ""}})
	}
	for _, c := range []struct {
		name  string
		files map[string]any
		set   Settings
		want  []string
	}{
		{
			"RPATH before LD_LIBRARY_PATH",
			map[string]any{"/bin/p": with(program, func(e *elfRecipe) { e.rpath = "/r" }), "/r/liba.so": a, "/l/liba.so": a},
			Settings{LibraryPath: "/l"},
			[]string{"/r/liba.so (RPATH of /bin/p)"},
		},
		{
			"LD_LIBRARY_PATH before RUNPATH",
			map[string]any{"/bin/p": with(program, func(e *elfRecipe) { e.runpath = "/r" }), "/r/liba.so": a, "/l/liba.so": a},
			Settings{LibraryPath: "/none;/l"},
			[]string{"/l/liba.so (LD_LIBRARY_PATH)"},
		},
		{
			"RUNPATH before the cache",
			map[string]any{"/bin/p": with(program, func(e *elfRecipe) { e.runpath = "/none:/r" }), "/r/liba.so": a, "/c/liba.so": a, "/etc/ld.so.cache": cacheOf("/c/liba.so")},
			Settings{},
			[]string{"/r/liba.so (RUNPATH of /bin/p)"},
		},
		{
			"the cache before default folders",
			map[string]any{"/bin/p": program, "/usr/lib/liba.so": a, "/c/liba.so": a, "/etc/ld.so.cache": cacheOf("/c/liba.so")},
			Settings{},
			[]string{"/c/liba.so (ld.so.cache)"},
		},
		{
			"a stale cache",
			map[string]any{"/bin/p": program, "/usr/lib/liba.so": a, "/etc/ld.so.cache": cacheOf("/gone/liba.so")},
			Settings{},
			[]string{"/usr/lib/liba.so (default folder)"},
		},
		{
			"no default folders",
			map[string]any{"/bin/p": with(program, func(e *elfRecipe) { e.flags1 = flagNoDefaultLibs }), "/usr/lib/liba.so": a, "/etc/ld.so.cache": cacheOf("/usr/lib/liba.so")},
			Settings{},
			[]string{"missing liba.so for /bin/p"},
		},
		{
			"RPATH is inherited, unless there is a RUNPATH",
			map[string]any{
				"/bin/p":     elfRecipe{interp: ld, rpath: "/r", needs: []string{"libx.so", "liby.so"}},
				"/r/libx.so": elfRecipe{soname: "libx.so", needs: []string{"liba.so"}}, "/r/liba.so": a,
				"/r/liby.so": elfRecipe{soname: "liby.so", runpath: "/s", needs: []string{"libb.so"}}, "/r/libb.so": lib("libb.so"),
			},
			Settings{},
			[]string{"/r/libx.so (RPATH of /bin/p)", "/r/liby.so (RPATH of /bin/p)", "/r/liba.so (RPATH of /bin/p)", "missing libb.so for /bin/p /r/liby.so"},
		},
		{
			"RUNPATH is not inherited",
			map[string]any{"/bin/p": elfRecipe{interp: ld, runpath: "/r", needs: []string{"libx.so"}}, "/r/libx.so": elfRecipe{soname: "libx.so", needs: []string{"liba.so"}}, "/r/liba.so": a},
			Settings{},
			[]string{"/r/libx.so (RUNPATH of /bin/p)", "missing liba.so for /bin/p /r/libx.so"},
		},
		{
			"Debian's folders, Fedora's",
			map[string]any{"/bin/p": program, "/usr/lib/x86_64-linux-gnu/liba.so": a, "/usr/lib64/liba.so": a},
			Settings{},
			[]string{"/usr/lib/x86_64-linux-gnu/liba.so (default folder)"},
		},
		{
			"Fedora's folders",
			map[string]any{"/bin/p": program, "/usr/lib/liba.so": a, "/usr/lib64/liba.so": a},
			Settings{},
			[]string{"/usr/lib64/liba.so (default folder)"},
		},
		{
			"Arch's folders",
			map[string]any{"/bin/p": program, "/usr/lib/liba.so": a, "/usr/lib64": "-> lib"},
			Settings{},
			[]string{"/usr/lib/liba.so (default folder)"},
		},
		{
			"other machines are passed over",
			map[string]any{"/bin/p": program, "/l/liba.so": elfRecipe{soname: "liba.so", bits: 32}, "/m/liba.so": elfRecipe{machine: 183}, "/usr/lib/liba.so": a},
			Settings{LibraryPath: "/l:/m"},
			[]string{"/usr/lib/liba.so (default folder)"},
		},
		{
			"a file that is no library stops the search",
			map[string]any{"/bin/p": program, "/l/liba.so": "version https://git-lfs.github.com/spec/v1\n", "/usr/lib/liba.so": a},
			Settings{LibraryPath: "/l"},
			[]string{"refused /l/liba.so"},
		},
		{
			"an empty element is the working directory",
			map[string]any{"/bin/p": program, "/srv/liba.so": a},
			Settings{LibraryPath: "/l:", WorkDir: "/srv"},
			[]string{"/srv/liba.so (LD_LIBRARY_PATH)"},
		},
		{
			"better processors",
			map[string]any{"/bin/p": program, "/l/liba.so": a, "/l/glibc-hwcaps/x86-64-v2/liba.so": a, "/l/glibc-hwcaps/x86-64-v4/liba.so": a},
			Settings{LibraryPath: "/l", Level: 3},
			[]string{"/l/glibc-hwcaps/x86-64-v2/liba.so (LD_LIBRARY_PATH)"},
		},
		{
			"an unknown processor",
			map[string]any{"/bin/p": program, "/l/liba.so": a, "/l/glibc-hwcaps/x86-64-v2/liba.so": a},
			Settings{LibraryPath: "/l"},
			[]string{"/l/liba.so (LD_LIBRARY_PATH)"},
		},
		{
			"better processors in the cache",
			map[string]any{
				"/bin/p": program, "/c/liba.so": a, "/c/v3/liba.so": a,
				"/etc/ld.so.cache": makeCache(binary.LittleEndian, []cacheEntry{{"liba.so", "/c/liba.so", 0x303, ""}, {"liba.so", "/c/v3/liba.so", 0x303, "x86-64-v3"}}),
			},
			Settings{Level: 3},
			[]string{"/c/v3/liba.so (ld.so.cache)"},
		},
		{
			"preloading",
			map[string]any{"/bin/p": program, "/usr/lib/liba.so": a, "/usr/lib/libj.so": needs("libk.so"), "/x/libm.so": lib("libm.so"), "/usr/lib/libk.so": lib("libk.so")},
			Settings{Preload: "libj.so:/x/libm.so"},
			[]string{"/usr/lib/libj.so (LD_PRELOAD)", "/x/libm.so (LD_PRELOAD)", "/usr/lib/liba.so (default folder)", "/usr/lib/libk.so (default folder)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := NewLoader(tree(c.files), c.set).Load("/bin/p")
			if err != nil {
				t.Fatal(err)
			}
			if s := summary(got); !reflect.DeepEqual(s, c.want) {
				t.Errorf("got  %q\nwant %q", s, c.want)
			}
		})
	}
}

// A program's folder is that of the file itself; a library's is that of the link
// under which it was found.
func TestOrigin(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/opt/rocm":                         "-> rocm-6.4.0",
		"/opt/rocm-6.4.0/bin/p":             elfRecipe{interp: ld, runpath: "${ORIGIN}/../lib", needs: []string{"libhip.so.6"}},
		"/opt/rocm-6.4.0/lib/libhip.so.6":   "-> libhip.so.6.4",
		"/opt/rocm-6.4.0/lib/libhip.so.6.4": elfRecipe{soname: "libhip.so.6", runpath: "$ORIGIN", needs: []string{"libhsa.so.1"}},
		"/opt/rocm-6.4.0/lib/libhsa.so.1":   lib("libhsa.so.1"),
		"/usr/bin/p":                        "-> ../../opt/rocm/bin/p",
		"/somewhere/libhip.so.6":            "-> ../opt/rocm/lib/libhip.so.6",
		"/somewhere/libhsa.so.1":            lib("libhsa.so.1"),
	})
	got, err := NewLoader(files, Settings{}).Load("/usr/bin/p")
	want := []string{"/opt/rocm-6.4.0/lib/libhip.so.6 (RUNPATH of /usr/bin/p)", "/opt/rocm-6.4.0/lib/libhsa.so.1 (RUNPATH of /opt/rocm-6.4.0/lib/libhip.so.6)"}
	if err != nil || !reflect.DeepEqual(summary(got), want) {
		t.Errorf("a program behind a link: %q, %v", summary(got), err)
	}
	got, err = NewLoader(files, Settings{}).Load("/somewhere/libhip.so.6")
	want = []string{"/somewhere/libhsa.so.1 (RUNPATH of /somewhere/libhip.so.6)"}
	if err != nil || !reflect.DeepEqual(summary(got), want) {
		t.Errorf("a library behind a link: %q, %v", summary(got), err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	values := map[string]string{"ORIGIN": "/o", "LIB": "lib64", "PLATFORM": "x86_64"}
	for in, want := range map[string]string{
		"$ORIGIN/../lib": "/o/../lib", "${ORIGIN}x": "/ox", "$ORIGINAL": "$ORIGINAL", "/usr/$LIB/$PLATFORM": "/usr/lib64/x86_64",
		"$": "$", "${ORIGIN": "${ORIGIN", "$OTHER/$LIB": "$OTHER/lib64", "plain": "plain", "$LIB": "lib64",
	} {
		if got := expand(in, values); got != want {
			t.Errorf("%s: %s, not %s", in, got, want)
		}
	}
}

// A library is loaded once: by the name it goes by, and by what file it is.
func TestLoadedOnce(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/bin/p":                      elfRecipe{interp: ld, runpath: "/r", needs: []string{"libx.so.1", "liby.so", "libz.so", "libq.so"}},
		"/r/libx.so.1":                elfRecipe{soname: "libx.so.2", needs: []string{"libx.so.2"}},
		"/r/liby.so":                  elfRecipe{soname: "liby.so", needs: []string{"libx.so.2", "ld-linux-x86-64.so.2"}},
		"/r/libz.so":                  "-> ../t/real.so",
		"/r/libq.so":                  "-> ../u/real.so",
		"/u":                          "-> t",
		"/t/real.so":                  elfRecipe{},
		"/lib64/ld-linux-x86-64.so.2": lib("ld-linux-x86-64.so.2"),
	})
	got, err := NewLoader(files, Settings{}).Load("/bin/p")
	want := []string{"/r/libx.so.1 (RUNPATH of /bin/p)", "/r/liby.so (RUNPATH of /bin/p)", "/r/libz.so (RUNPATH of /bin/p)", ld + " (interpreter)"}
	if err != nil || !reflect.DeepEqual(summary(got), want) {
		t.Errorf("got %q, %v", summary(got), err)
	}
	if _, ok := got.Find("libq.so"); !ok {
		t.Error("the other name of a file is not known")
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/bin/p": elfRecipe{
			interp: ld, runpath: "/r", needs: []string{"libhip.so.6", "libplain.so", "libgone.so"},
			wants: map[string][]string{"libhip.so.6": {"hip_4.2", "hip_6.2", "?hip_9.9"}, "libplain.so": {"V1"}, "libgone.so": {"V1"}},
		},
		"/r/libhip.so.6": elfRecipe{soname: "libhip.so.6", offers: []string{"libhip.so.6", "hip_4.2"}},
		"/r/libplain.so": lib("libplain.so"),
	})
	got, err := NewLoader(files, Settings{}).Load("/bin/p")
	want := []string{
		"/r/libhip.so.6 (RUNPATH of /bin/p)", "/r/libplain.so (RUNPATH of /bin/p)", "missing libgone.so for /bin/p",
		"/r/libhip.so.6: version `hip_6.2' not found (required by /bin/p)",
	}
	if err != nil || !reflect.DeepEqual(summary(got), want) {
		t.Errorf("got %q, %v", summary(got), err)
	}
}

func TestDlopen(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/bin/p":             elfRecipe{interp: ld, runpath: "/r", needs: []string{"libhip.so.6"}},
		"/r/libhip.so.6":     elfRecipe{soname: "libhip.so.6", runpath: "$ORIGIN/deep"},
		"/r/deep/comgr.so.2": elfRecipe{soname: "comgr.so.2", needs: []string{"libgone.so"}},
	})
	l := NewLoader(files, Settings{})
	before, err := l.Load("/bin/p")
	if err != nil {
		t.Fatal(err)
	}
	after, err := l.Dlopen(before, 1, "comgr.so.2")
	want := []string{"/r/libhip.so.6 (RUNPATH of /bin/p)", "/r/deep/comgr.so.2 (RUNPATH of /r/libhip.so.6)", "missing libgone.so for /bin/p /r/libhip.so.6 /r/deep/comgr.so.2"}
	if err != nil || !reflect.DeepEqual(summary(after), want) {
		t.Errorf("got %q, %v", summary(after), err)
	}
	if len(before.Libraries) != 2 {
		t.Error("the tree that was handed in has changed")
	}
	if after, err = l.Dlopen(before, 0, "comgr.so.2"); err != nil || len(after.Missing) != 1 {
		t.Errorf("the program itself does not look there: %q, %v", summary(after), err)
	}
	if _, err := l.Dlopen(before, 7, "x"); err == nil {
		t.Error("nobody asks, and gets an answer")
	}
}

// What ldconfig would find counts only after it was run; where its cache cannot
// be read, its folders stand for it.
func TestCacheStates(t *testing.T) {
	t.Parallel()
	files := map[string]any{"/bin/p": needs("liba.so"), "/opt/rocm/lib/liba.so": lib("liba.so"), "/etc/ld.so.conf": "/opt/rocm/lib\n"}
	got, err := NewLoader(tree(files), Settings{}).Load("/bin/p")
	if err != nil || len(got.Missing) != 1 || !slices.Equal(got.Missing[0].Lies, []string{"/opt/rocm/lib/liba.so"}) || len(got.Notes) != 1 {
		t.Errorf("without a cache: %+v, %v", got, err)
	}
	closed := closedFS{tree(files), "etc/ld.so.cache"}
	got, err = NewLoader(closed, Settings{}).Load("/bin/p")
	if err != nil || len(got.Missing) != 0 || got.Libraries[1].How != ByConf || len(got.Notes) != 1 {
		t.Errorf("with a cache that cannot be read: %+v, %v", got, err)
	}
}

var errNotRecorded = errors.New("not recorded")

// closedFS does not know what is at one name.
type closedFS struct {
	fstest.MapFS
	name string
}

func (c closedFS) Open(name string) (fs.File, error) {
	if name == c.name {
		return nil, errNotRecorded
	}
	return c.MapFS.Open(name)
}

func (c closedFS) ReadFile(name string) ([]byte, error) {
	if name == c.name {
		return nil, errNotRecorded
	}
	return c.MapFS.ReadFile(name)
}

// Not seen is not missing.
func TestUnseen(t *testing.T) {
	t.Parallel()
	files := closedFS{tree(map[string]any{"/bin/p": needs("liba.so"), "/usr/lib/liba.so": lib("liba.so")}), "usr/lib/liba.so"}
	got, err := NewLoader(files, Settings{}).Load("/bin/p")
	if err != nil || !reflect.DeepEqual(summary(got), []string{"unseen /usr/lib/liba.so"}) || !errors.Is(got.Faults[0].Err, errNotRecorded) {
		t.Errorf("got %q, %v", summary(got), err)
	}
}

func TestNotJudged(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/bin/musl": elfRecipe{interp: "/lib/ld-musl-x86_64.so.1"}, "/lib/musl.so": needs("libc.musl-x86_64.so.1"),
		"/bin/riscv": elfRecipe{machine: 243}, "/bin/x32": elfRecipe{bits: 32}, "/bin/script": "#!/bin/sh\n",
	})
	l := NewLoader(files, Settings{})
	for _, name := range []string{"/bin/musl", "/lib/musl.so", "/bin/riscv", "/bin/x32"} {
		if _, err := l.Load(name); !errors.Is(err, ErrNotJudged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.Load("/bin/script"); !errors.Is(err, ErrOtherFormat) {
		t.Error(err)
	}
	if _, err := l.Load("/bin/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestLinksInCircles(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{"/bin/p": elfRecipe{runpath: "/a/../lib:/b/x/..", needs: []string{"liba.so"}}, "/a": "-> b/..", "/b": "-> a/.."})
	if got, err := NewLoader(files, Settings{}).Load("/bin/p"); err != nil || len(got.Missing) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/opt/rocm": "-> rocm-6.4.0", "/opt/rocm-6.4.0/lib/libhip.so.6": "-> libhip.so.6.4", "/opt/rocm-6.4.0/lib/libhip.so.6.4": lib("libhip.so.6"),
	})
	like := Binary{Machine: "x86-64", Bits: 64}
	l := NewLoader(files, Settings{})
	if got, err := l.Lookup(like, "libhip.so.6"); err != nil || got.Path != "" {
		t.Errorf("found %+v, %v", got, err)
	}
	l = l.With(Settings{LibraryPath: "/opt/rocm/lib"})
	got, err := l.Lookup(like, "libhip.so.6")
	if err != nil || got.Path != "/opt/rocm/lib/libhip.so.6" || got.How != ByLibraryPath {
		t.Errorf("got %+v, %v", got, err)
	}
	if to := l.Real(got.Path); to != "/opt/rocm-6.4.0/lib/libhip.so.6.4" {
		t.Errorf("it is really %s", to)
	}
	if _, err := l.Lookup(Binary{Machine: "machine 243", Bits: 64}, "libhip.so.6"); !errors.Is(err, ErrNotJudged) {
		t.Error(err)
	}
}
