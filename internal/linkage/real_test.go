package linkage

import (
	"bytes"
	"debug/pe"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The tests of this file hold the loader to the real one of this machine. They
// are run by scripts/real, because a bare checkout has no compiler.
func onRealMachine(t *testing.T) {
	t.Helper()
	if os.Getenv("ROCSMITH_REAL") == "" || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("run by scripts/real linkage, on Linux with gcc")
	}
}

// realLevel asks ld.so which folders of glibc-hwcaps it looks into.
func realLevel(t *testing.T) Level {
	t.Helper()
	out, err := exec.Command(ld, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	for i, name := range allLevels {
		if bytes.Contains(out, []byte(name+" (supported, searched)")) {
			return Level(4 - i)
		}
	}
	return 1
}

// A realCase is a binary and the variables that it is loaded with.
type realCase struct{ file, libraryPath, preload string }

func (c realCase) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LD_LIBRARY_PATH=" + c.libraryPath, "LD_PRELOAD=" + c.preload}
	return cmd
}

var (
	lddLine    = regexp.MustCompile(`^\t(\S+) => (.+?)(?: \(0x[0-9a-f]+\))?$`)
	lddPlain   = regexp.MustCompile(`^\t(/\S+) \(0x[0-9a-f]+\)$`)
	lddVersion = regexp.MustCompile("^(?:\\S+: )?(/.*: version `.*' not found \\(required by .*\\))$")
)

// ldd returns what is loaded, in order, what is missing, and words on versions.
func (c realCase) ldd() (loaded, missing, versions []string, ok bool) {
	// ldd does not start what a link leads to as the kernel would: it hands the
	// link to ld.so.
	cmd := c.command("ldd", resolved(c.file))
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if m := lddLine.FindStringSubmatch(line); m != nil {
			if m[2] == "not found" {
				missing = append(missing, m[1])
			} else {
				loaded = append(loaded, m[2])
			}
		} else if m := lddPlain.FindStringSubmatch(line); m != nil {
			loaded = append(loaded, m[1])
		} else if m := lddVersion.FindStringSubmatch(line); m != nil {
			versions = append(versions, m[1])
		}
	}
	// ldd has nothing to say of what is no ELF file, linked statically, or for
	// another machine.
	return loaded, missing, versions, err == nil && len(loaded) > 0
}

func (c realCase) ours(t *testing.T, level Level) (Tree, error) {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return NewLoader(os.DirFS("/"), Settings{LibraryPath: c.libraryPath, Preload: c.preload, WorkDir: wd, Level: level}).Load(c.file)
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

// compareLdd returns whether ldd had something to say.
func compareLdd(t *testing.T, c realCase, level Level) bool {
	t.Helper()
	loaded, missing, versions, ok := c.ldd()
	if !ok {
		return false
	}
	got, err := c.ours(t, level)
	if err != nil {
		t.Errorf("%+v: %v", c, err)
		return true
	}
	var paths, absent, words []string
	for _, l := range got.Libraries[1:] {
		paths = append(paths, l.Path)
	}
	for _, m := range got.Missing {
		absent = append(absent, m.Name)
	}
	for _, v := range got.Versions {
		words = append(words, v.String())
	}
	same := reflect.DeepEqual(plain(paths), plain(loaded))
	if !same || !reflect.DeepEqual(absent, unique(missing)) || !reflect.DeepEqual(unique(words), unique(versions)) || len(got.Faults) > 0 {
		t.Errorf("%+v\nours %q missing %q versions %q faults %v\nldd  %q missing %q versions %q", c, paths, absent, words, got.Faults, loaded, missing, versions)
	}
	return true
}

// plain makes paths comparable, and leaves ld.so out, which ldd prints where it
// sees fit.
func plain(list []string) []string {
	var out []string
	for _, p := range list {
		if p != ld {
			out = append(out, resolved(p))
		}
	}
	return out
}

var (
	debugFind  = regexp.MustCompile(`find library=(\S+) \[0\]; searching`)
	debugPlace = regexp.MustCompile(`search (?:path=\S*\s+\((RPATH|RUNPATH|LD_LIBRARY_PATH|system search path)|(cache)=)`)
	debugTry   = regexp.MustCompile(`trying file=(\S+)`)
)

// compareTrace holds each library, and how it was found, to LD_DEBUG=libs.
func compareTrace(t *testing.T, c realCase, level Level) {
	t.Helper()
	cmd := c.command(c.file)
	cmd.Env = append(cmd.Env, "LD_DEBUG=libs", "LD_TRACE_LOADED_OBJECTS=1")
	out, _ := cmd.CombinedOutput()
	got, err := c.ours(t, level)
	if err != nil {
		t.Errorf("%+v: %v", c, err)
		return
	}
	var name, how, tried string
	compared := 0
	check := func() {
		l, found := got.Find(name)
		if name == "" || !found {
			return // missing ones are compared with ldd
		}
		compared++
		if resolved(l.Path) != resolved(tried) || roughly(l.How) != how {
			t.Errorf("%+v: %s is %s (%s), and ld.so takes %s (%s)", c, name, l.Path, l.How, tried, how)
		}
	}
	for line := range strings.Lines(string(out)) {
		if m := debugFind.FindStringSubmatch(line); m != nil {
			check()
			name = m[1]
		} else if m := debugPlace.FindStringSubmatch(line); m != nil {
			how = debugHow(m)
		} else if m := debugTry.FindStringSubmatch(line); m != nil {
			tried = m[1]
		}
	}
	check()
	if want := len(got.Libraries) - 1; compared < want/2 {
		t.Errorf("%+v: %d of %d libraries were compared:\n%s", c, compared, want, out)
	}
}

// aPath is how ld.so finds what any search path leads to: it names a folder after
// the list in which it saw it first, so lists are not told apart.
const aPath = "path"

func debugHow(m []string) string {
	switch {
	case m[2] != "":
		return ByCache
	case m[1] == "system search path":
		return ByDefault
	}
	return aPath
}

func roughly(how string) string {
	if how == ByCache || how == ByDefault {
		return how
	}
	return aPath
}

func resolved(p string) string {
	if to, err := filepath.EvalSymlinks(p); err == nil {
		return to
	}
	return p
}

func TestRealBinaries(t *testing.T) {
	t.Parallel()
	onRealMachine(t)
	level := realLevel(t)
	var files []string
	for _, pattern := range []string{
		"/usr/bin/*", "/usr/sbin/*", "/usr/lib/gcc/x86_64-linux-gnu/*/cc1", "/usr/lib/git-core/git-remote-https", "/usr/lib/x86_64-linux-gnu/*.so*",
		"/usr/lib/python3*/lib-dynload/*.so", "/usr/lib/x86_64-linux-gnu/perl/*/auto/*/*.so", "/usr/local/lib/*.so*",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	compared, traced := 0, 0
	for _, file := range files {
		if info, err := os.Lstat(file); err != nil || !isELF(file) || strings.Contains(file, ".so") && !info.Mode().IsRegular() {
			continue // a library has several names
		}
		c := realCase{file: file}
		if compareLdd(t, c, level) {
			compared++
			if strings.HasPrefix(file, "/usr/bin/") && !privileged(file) && traced < 100 {
				compareTrace(t, c, level)
				traced++
			}
		}
	}
	t.Logf("%d binaries like ldd, %d of them traced", compared, traced)
	if compared < 10 || traced < 10 {
		t.Error("that is too few to mean anything")
	}
}

// privileged programs are not traced: ld.so refuses.
func privileged(file string) bool {
	info, err := os.Stat(file)
	return err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0
}

func isELF(file string) bool {
	head := make([]byte, 4)
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.ReadAt(head, 0)
	return err == nil && string(head) == "\x7fELF"
}

// A workshop builds programs and libraries with gcc.
type workshop struct {
	t   *testing.T
	dir string
}

// library makes DIR/libNAME.so with a function NAME, and flags for the linker.
func (w workshop) library(dir, name string, flags ...string) {
	w.t.Helper()
	source := "int " + name + "(void){return 1;}\n"
	for _, f := range flags {
		if needed, ok := strings.CutPrefix(f, "-l"); ok {
			source += "int " + needed + "(void); int use_" + needed + "(void){return " + needed + "();}\n"
		}
	}
	w.gcc(source, filepath.Join(dir, "lib"+name+".so"), append([]string{"-shared", "-fPIC", "-Wl,-soname,lib" + name + ".so"}, flags...)...)
}

func (w workshop) program(name string, needs []string, flags ...string) {
	w.t.Helper()
	source := ""
	for _, n := range needs {
		source += "int " + n + "(void);\n"
	}
	source += "int main(void){return 0"
	for _, n := range needs {
		source += "+" + n + "()"
		flags = append(flags, "-l"+n)
	}
	w.gcc(source+";}\n", name, flags...)
}

func (w workshop) gcc(source, out string, flags ...string) {
	w.t.Helper()
	out = filepath.Join(w.dir, out)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		w.t.Fatal(err)
	}
	args := append([]string{"-x", "c", "-", "-o", out, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"}, flags...)
	cmd := exec.Command("gcc", args...)
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(source)
	if text, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("gcc %v: %v\n%s", args, err, text)
	}
}

func (w workshop) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestRealSearch builds what ordinary binaries do not have.
func TestRealSearch(t *testing.T) {
	t.Parallel()
	onRealMachine(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := workshop{t, dir}
	const rpath, runpath = "-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags"
	w.library("lib", "inner")
	w.library("lib", "outer", "-Llib", "-linner")
	w.library("lib", "own", "-Llib", "-linner", runpath, "-Wl,-rpath,$ORIGIN")
	w.library("other", "inner")
	w.library("other", "own")
	w.library("odd/${LIB}", "token")
	w.do(os.MkdirAll(filepath.Join(dir, "odd/lib/x86_64-linux-gnu"), 0o755))
	w.do(os.Rename(filepath.Join(dir, "odd/${LIB}/libtoken.so"), filepath.Join(dir, "odd/lib/x86_64-linux-gnu/libtoken.so")))
	w.do(os.MkdirAll(filepath.Join(dir, "hw/glibc-hwcaps/x86-64-v2"), 0o755))
	w.library("hw", "inner")
	w.library("hw/glibc-hwcaps/x86-64-v2", "inner")
	w.do(os.MkdirAll(filepath.Join(dir, "wrong"), 0o755))
	w.do(os.WriteFile(filepath.Join(dir, "wrong/libinner.so"), elfRecipe{machine: 183, soname: "libinner.so"}.bytes(), 0o755))
	w.do(os.Symlink("lib", filepath.Join(dir, "link")))

	in := "-Wl,-rpath," + dir + "/lib"
	w.program("bin/rpath", []string{"outer"}, "-Llib", rpath, in)
	w.program("bin/runpath", []string{"outer"}, "-Llib", runpath, in)
	w.program("bin/origin", []string{"own"}, "-Llib", runpath, "-Wl,-rpath,$ORIGIN/../lib")
	w.program("bin/through-link", []string{"own"}, "-Llib", runpath, "-Wl,-rpath,$ORIGIN/../link/../link")
	w.program("bin/token", []string{"token"}, "-Lodd/lib/x86_64-linux-gnu", runpath, "-Wl,-rpath,$ORIGIN/../odd/$LIB")
	w.program("bin/plain", []string{"own"}, "-Llib")
	w.program("bin/nodefault", []string{"own"}, "-Llib", runpath, in, "-Wl,-z,nodefaultlib")
	w.do(os.Symlink("bin/origin", filepath.Join(dir, "started-here")))
	w.versions()

	cases := []realCase{
		{"bin/rpath", "", ""},
		{"bin/rpath", dir + "/other", ""},
		{"bin/runpath", "", ""},
		{"bin/runpath", dir + "/other", ""},
		{"bin/runpath", dir + "/wrong:" + dir + "/other", ""},
		{"bin/origin", "", ""},
		{"bin/origin", dir + "/none;" + dir + "/other", ""},
		{"bin/through-link", "", ""},
		{"bin/token", "", ""},
		{"bin/plain", "", ""},
		{"bin/plain", dir + "/lib", ""},
		{"bin/plain", dir + "/link/", ""},
		{"bin/plain", dir + "/hw:" + dir + "/lib", ""},
		{"bin/plain", dir + "/lib", dir + "/other/libinner.so"},
		{"bin/runpath", dir + "/lib", "libinner.so libown.so"},
		{"bin/nodefault", "", ""},
		{"started-here", "", ""},
		{"bin/version", dir + "/v2", ""},
		{"bin/version", dir + "/v1", ""},
		{"lib/libown.so", "", ""},
		{"lib/libouter.so", "", ""},
	}
	for _, c := range cases {
		c.file = filepath.Join(dir, c.file)
		if !compareLdd(t, c, realLevel(t)) {
			t.Errorf("%+v: ldd says nothing", c)
		}
		if filepath.Ext(c.file) == "" {
			compareTrace(t, c, realLevel(t))
		}
	}
	t.Logf("%d cases", len(cases))
}

// versions builds a program for the second version of a library.
func (w workshop) versions() {
	w.t.Helper()
	for name, script := range map[string]string{"v1": "HIP_1 { global: *; };", "v2": "HIP_1 { };\nHIP_2 { global: *; } HIP_1;"} {
		w.do(os.WriteFile(filepath.Join(w.dir, name+".map"), []byte(script), 0o644))
		w.library(name, "versioned", "-Wl,--version-script,"+name+".map")
	}
	w.program("bin/version", []string{"versioned"}, "-Lv2")
}

// TestRealModules compares extension modules with what a running Python loads.
func TestRealModules(t *testing.T) {
	t.Parallel()
	onRealMachine(t)
	const program = `import importlib.util, sys
for name in ("_ssl", "_sqlite3", "_ctypes", "_lzma", "_bz2", "_hashlib", "readline"):
    try:
        __import__(name)
        print("module", sys.modules[name].__file__)
    except (ImportError, AttributeError):
        pass
`
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		cmd := exec.Command(python, "-c", program)
		cmd.Env = append(os.Environ(), "LD_DEBUG=libs")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%s is left out: %v", python, err)
			continue
		}
		started := map[string]bool{}
		for _, m := range regexp.MustCompile(`calling init: (\S+)`).FindAllSubmatch(out, -1) {
			started[filepath.Clean(string(m[1]))] = true
		}
		modules := 0
		for _, m := range regexp.MustCompile(`(?m)^module (\S+)$`).FindAllSubmatch(out, -1) {
			modules++
			got, err := realCase{file: string(m[1])}.ours(t, realLevel(t))
			if err != nil {
				t.Error(err)
				continue
			}
			for _, l := range got.Libraries {
				if !started[l.Path] && l.How != ByInterpreter {
					t.Errorf("%s: we find %s (%s), which %s did not load", m[1], l.Path, l.How, python)
				}
			}
			absent, err := NewLoader(os.DirFS("/"), Settings{}).AbsentSymbols(got)
			if len(absent) > 0 {
				t.Errorf("%s works, and we miss symbols: %v (%v)", m[1], absent, err)
			}
		}
		t.Logf("%s: %d modules", python, modules)
	}
}

// TestRealWindows compares imports with the reader of the standard library, on
// programs that Python's installer brings along and on rocsmith itself.
func TestRealWindows(t *testing.T) {
	t.Parallel()
	onRealMachine(t)
	own := filepath.Join(t.TempDir(), "rocsmith.exe")
	cmd := exec.Command("go", "build", "-o", own, "github.com/rocsmith/rocsmith/cmd/rocsmith")
	cmd.Env = append(os.Environ(), "GOOS=windows", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	prefix, err := exec.Command("python3", "-c", "import sys; print(sys.prefix)").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(strings.TrimSpace(string(prefix)) + "/lib/python3*/*-packages/*/_vendor/distlib/*.exe")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, own)
	for _, file := range files {
		compareImports(t, file)
	}
	t.Logf("%d binaries", len(files))
}

func compareImports(t *testing.T, file string) {
	t.Helper()
	theirs, err := pe.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	symbols, err := theirs.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range symbols {
		_, library, _ := strings.Cut(s, ":")
		want = append(want, library)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := ReadPE(f, file)
	if want = unique(want); err != nil || !reflect.DeepEqual(got.Needs, want) {
		t.Errorf("%s: %q, %v; the standard library reads %q", file, got.Needs, err, want)
	}
}
