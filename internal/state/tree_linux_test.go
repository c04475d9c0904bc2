package state

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A plot is a small home with a machine's files, and the acts of a plan for it.
type plot struct {
	root  string // of the files that are changed
	state string // of the journal
	part  int    // of the acts, from 1; 0 is all
}

// parts of the acts are tried apart where every call fails once: the number of
// calls counts twice there.
const parts = 3

var old = time.Date(2024, 2, 29, 12, 30, 15, 123456789, time.UTC)

// newPlot writes the files of a home, with times, modes and attributes that a
// careless restore would lose.
func newPlot(t testing.TB) plot {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := plot{root: filepath.Join(dir, "root"), state: filepath.Join(dir, "state")}
	p.plant(t)
	return p
}

func (p plot) plant(t testing.TB) {
	t.Helper()
	p.packages(t)
	for name, mode := range map[string]fs.FileMode{".bashrc": 0o644, ".zshrc": 0o600, "cache.ukdb": 0o640, "kernels.co": 0o644, "fresh.co": 0o600, "owned/a": 0o644, "owned/deep/b": 0o755, "etc/group": 0o644, "etc/gshadow": 0o400} {
		file := filepath.Join(p.root, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(strings.Repeat("content of "+name+"\n", 3)), 0o600))
		if err := unix.Setxattr(file, "user.note", []byte(name), 0); err != nil && !errors.Is(err, unix.ENOTSUP) {
			t.Fatal(err)
		}
		must(t, os.Chmod(file, mode))
		must(t, os.Chtimes(file, old, old.Add(time.Duration(len(name))*time.Hour)))
	}
}

// packages are the folders of metadata in the environment of Python.
func (p plot) packages(t testing.TB) {
	t.Helper()
	for _, name := range []string{"torch-1.dist-info", "numpy-1.dist-info"} {
		must(t, os.MkdirAll(p.file(filepath.Join("venv/lib/python3.12/site-packages", name)), 0o755))
	}
}

// stranger is another user where this process may give files away, and else
// itself: then nothing changes hands.
func stranger() uint32 {
	if os.Geteuid() == 0 {
		return 1234
	}
	return uint32(os.Geteuid())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p plot) file(name string) string { return filepath.Join(p.root, name) }

// acts is a plan with every kind of act in it.
func (p plot) acts(t testing.TB) []Act {
	t.Helper()
	look := func(name string, content bool) Image {
		_, i, err := Look(p.file(name), content)
		must(t, err)
		return i
	}
	bash, zsh := look(".bashrc", true), look(".zshrc", true)
	kernels := look("kernels.co", false)
	source, err := os.ReadFile(p.file("fresh.co"))
	must(t, err)
	all := []Act{
		{Kind: Write, Path: p.file(".bashrc"), Before: bash, New: append([]byte("# changed\n"), bash.Data...)},
		{Kind: Write, Path: p.file(".zshrc"), Before: zsh, New: []byte("short\n")},
		{Kind: Move, Path: p.file("cache.ukdb"), To: p.file("cache.ukdb.aside"), Before: look("cache.ukdb", false)},
		{Kind: MakeDir, Path: p.file("new"), Before: Image{Absent: true}, Mode: 0o700},
		{Kind: Write, Path: p.file("new/file"), Before: Image{Absent: true}, New: []byte("made\n"), Mode: 0o600},
		{Kind: Move, Path: p.file("kernels.co"), To: p.file("kernels.co.aside"), Before: kernels},
		{Kind: Copy, Path: p.file("kernels.co"), From: p.file("fresh.co"), Before: Image{Absent: true}, Mode: 0o644, Size: int64(len(source)), Sum: sumOf(source)},
		{Kind: Own, Path: p.file("owned"), UID: stranger(), GID: stranger()},
		{
			Kind: Run, Argv: []string{"/bin/join", p.file("etc")}, Back: []string{"/bin/leave", p.file("etc")},
			Touches: []string{p.file("etc/group"), p.file("etc/gshadow"), p.file("etc/group-")},
		},
		{
			Kind: Install, Path: p.file("venv"), Argv: []string{p.file("venv/bin/python"), "-m", "pip", "uninstall", "-y", "torch"},
			First: []string{p.file("venv/bin/python"), "-m", "pip", "install", "--dry-run", "torch==2"},
		},
		{Kind: Install, Path: p.file("venv"), Argv: []string{p.file("venv/bin/python"), "-m", "pip", "install", "torch==2", "triton==3"}},
		{Kind: Run, Argv: []string{"/bin/rebuild", p.file(".bashrc"), p.file("image")}, Refresh: true},
	}
	if p.part == 0 {
		return all
	}
	cuts := [parts + 1]int{0, 3, 7, len(all)} // what belongs together stays together
	return all[cuts[p.part-1]:cuts[p.part]]
}

// pretend runs the commands of the plan: one that changes the group file and
// leaves a copy, its opposite, and one that makes an image of a file.
func pretend(argv []string) (string, error) {
	if slices.Contains(argv, "pip") {
		return pretendPip(argv)
	}
	dir := argv[1]
	group := filepath.Join(dir, "group")
	switch argv[0] {
	case "/bin/join":
		data, err := os.ReadFile(group)
		if err != nil {
			return "", err
		}
		return "joined", errors.Join(replaceFile(filepath.Join(dir, "group-"), data), replaceFile(group, append(data, "ada\n"...)))
	case "/bin/leave":
		data, err := os.ReadFile(group)
		if err != nil {
			return "", err
		}
		less, was := strings.CutSuffix(string(data), "ada\n")
		if !was {
			return "", errors.New("ada is not a member")
		}
		return "left", errors.Join(replaceFile(filepath.Join(dir, "group-"), data), replaceFile(group, []byte(less)))
	case "/bin/rebuild":
		data, err := os.ReadFile(argv[1])
		if err != nil {
			return "", err
		}
		return "rebuilt", replaceFile(argv[2], []byte(sumOf(data)))
	}
	return "", fmt.Errorf("no command %s", argv[0])
}

// pretendPip makes and removes the folders of metadata that a package has.
func pretendPip(argv []string) (string, error) {
	site := filepath.Join(filepath.Dir(filepath.Dir(argv[0])), "lib/python3.12/site-packages")
	for _, w := range argv[4:] {
		name, version, pinned := strings.Cut(w, "==")
		name, _, _ = strings.Cut(name, "[")
		if strings.HasPrefix(name, "-") || slices.Contains(argv, "--dry-run") {
			continue
		}
		old, err := filepath.Glob(filepath.Join(site, name+"-*.dist-info"))
		if err != nil {
			return "", err
		}
		for _, o := range old {
			if err := os.Remove(o); err != nil {
				return "", err
			}
		}
		if pinned {
			if err := os.Mkdir(filepath.Join(site, name+"-"+version+".dist-info"), 0o755); err != nil {
				return "", err
			}
		}
	}
	return "installed", nil
}

// replaceFile is how the system's own tools write: a new file, then its name.
func replaceFile(name string, data []byte) error {
	return errors.Join(os.WriteFile(name+"+", data, 0o644), os.Rename(name+"+", name))
}

// tree describes everything below the root but the image, which is made from the
// rest and compared apart.
func (p plot) tree(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	root, err := filepath.EvalSymlinks(p.root)
	must(t, err)
	must(t, filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || file == p.file("image") || strings.HasSuffix(file, "+") {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.New("no stat")
		}
		line := fmt.Sprintf("%v %d:%d", info.Mode(), st.Uid, st.Gid)
		if !e.IsDir() {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			note := make([]byte, 64)
			n, _ := unix.Getxattr(file, "user.note", note)
			line += fmt.Sprintf(" %s %s %s", info.ModTime().UTC().Format(time.RFC3339Nano), sumOf(data), note[:max(n, 0)])
		}
		out[strings.TrimPrefix(file, root)] = line
		return nil
	}))
	return out
}

func sameTree(t testing.TB, when string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] != got[name] {
			t.Errorf("%s: %s is %q, want %q", when, name, got[name], want[name])
		}
	}
	for name := range want {
		if got[name] == "" {
			t.Errorf("%s: %s is gone", when, name)
		}
	}
}

// image is what the last command made, or nothing.
func (p plot) image() string {
	data, _ := os.ReadFile(p.file("image"))
	return string(data)
}

func clock() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
