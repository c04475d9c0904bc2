package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// populateRoot makes a tree whose links all try to leave it.
func populateRoot(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	root := filepath.Join(base, "root")
	files := map[string]string{"etc/os-release": "inside\n", "usr/lib/libx.so.1": "lib"}
	links := map[string]string{
		"absolute": "/etc/os-release",
		"climbing": "../../../../etc/os-release",
		"lib":      "usr/lib",
		"loop":     "loop",
		"outside":  "../secret",
		"up":       "usr/lib/..",
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestRootStaysInside(t *testing.T) {
	t.Parallel()
	root := populateRoot(t)
	r := Root(Live(), root+"/")
	tests := map[string]struct {
		want string
		err  error
	}{
		"/etc/os-release":        {want: "inside\n"},
		"/absolute":              {want: "inside\n"},
		"/climbing":              {want: "inside\n"},
		"/../../etc/os-release":  {want: "inside\n"},
		"/lib/libx.so.1":         {want: "lib"},
		"/lib/../lib/libx.so.1":  {want: "lib"},
		"/up/lib/libx.so.1":      {want: "lib"},
		"/outside":               {err: ENOENT},
		"/../secret":             {err: ENOENT},
		"/loop":                  {err: ELOOP},
		"/etc/os-release/deeper": {err: ENOTDIR},
		"/usr/lib":               {err: EISDIR},
		"/nothing/at/all":        {err: ENOENT},
	}
	for path, test := range tests {
		got, err := r.ReadFile(path)
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", path, got, err, test.want, test.err)
		}
		var pe *fs.PathError
		if err != nil && (!errors.As(err, &pe) || pe.Path != path || strings.Contains(err.Error(), root)) {
			t.Errorf("%s: the error %v shows the outside", path, err)
		}
	}
}

func TestRootQuestions(t *testing.T) {
	t.Parallel()
	r := Root(Live(), populateRoot(t))
	if target, err := r.ReadLink("/absolute"); target != "/etc/os-release" || err != nil {
		t.Errorf("readlink: %q, %v", target, err)
	}
	if st, err := r.Lstat("/absolute"); err != nil || st.Mode.Type() != fs.ModeSymlink {
		t.Errorf("lstat: %+v, %v", st, err)
	}
	if entries, err := r.ReadDir("/lib"); err != nil || len(entries) != 1 {
		t.Errorf("list: %v, %v", entries, err)
	}
	if entries, err := r.ReadDir("/"); err != nil || len(entries) != 8 {
		t.Errorf("list the root: %v, %v", entries, err)
	}
	if got, err := r.ReadAt("/lib/libx.so.1", 1, 1); string(got) != "i" || err != nil {
		t.Errorf("read at: %q, %v", got, err)
	}
}

func TestRootRefusesTheRunningSystem(t *testing.T) {
	t.Parallel()
	r := Root(Live(), t.TempDir())
	_, _, getenv := r.Getenv("PATH")
	_, environ := r.Environ("P")
	_, process := r.Process()
	_, log := r.KernelLog()
	_, ask := r.Ask(t.Context(), Getent, "passwd")
	_, registry := r.Registry("HKLM", "x")
	for i, err := range []error{getenv, environ, process, log, ask, registry, r.TryOpen("/dev/kfd"), r.Access("/", 'r')} {
		if !errors.Is(err, ErrAnotherRoot) {
			t.Errorf("question %d: %v", i, err)
		}
	}
}
