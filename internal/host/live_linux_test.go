package host

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// populate makes a directory with one thing of each kind.
func populate(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "plain"), []byte("0123456789"), 0o640),
		os.WriteFile(filepath.Join(dir, "big"), make([]byte, MaxFile+1), 0o600),
		os.Mkdir(filepath.Join(dir, "sub"), 0o750),
		os.Symlink("plain", filepath.Join(dir, "link")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
		unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir + "/"
}

func TestLiveFiles(t *testing.T) {
	t.Parallel()
	dir, l := populate(t), Live()
	for name, want := range map[string]error{
		"plain": nil, "link": nil, "big": ErrTooBig, "sub": EISDIR, "fifo": ErrNotRegular, "none": ENOENT, "loop": ELOOP, "plain/x": ENOTDIR,
	} {
		data, err := l.ReadFile(dir + name)
		if !errors.Is(err, want) {
			t.Errorf("read %s: %v, want %v", name, err, want)
		}
		var pe *fs.PathError
		if err != nil && (!errors.As(err, &pe) || pe.Path != dir+name) {
			t.Errorf("read %s: the error %v does not name the path", name, err)
		}
		if err == nil && string(data) != "0123456789" {
			t.Errorf("read %s: %q", name, data)
		}
	}
	if _, err := l.ReadFile("/dev/null"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("read a device: %v", err)
	}
	if data, err := l.ReadFile("/proc/self/status"); err != nil || len(data) == 0 {
		t.Errorf("read a file of size 0 in /proc: %d bytes, %v", len(data), err)
	}
}

func TestLiveReadAt(t *testing.T) {
	t.Parallel()
	dir, l := populate(t), Live()
	tests := []struct {
		name string
		off  int64
		n    int
		want string
		err  error
	}{
		{"plain", 2, 3, "234", nil},
		{"plain", 8, 100, "89", nil},
		{"plain", 50, 1, "", nil},
		{"plain", -1, 1, "", EINVAL},
		{"plain", 0, MaxFile + 1, "", ErrTooBig},
		{"big", MaxFile, 10, "\x00", nil},
		{"fifo", 0, 1, "", ErrNotRegular},
	}
	for _, test := range tests {
		got, err := l.ReadAt(dir+test.name, test.off, test.n)
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%+v: got %q, %v", test, got, err)
		}
	}
}

func TestLiveDirectory(t *testing.T) {
	t.Parallel()
	dir, l := populate(t), Live()
	got, err := l.ReadDir(dir)
	slices.SortFunc(got, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	want := []Entry{
		{"big", 0}, {"fifo", fs.ModeNamedPipe}, {"link", fs.ModeSymlink}, {"loop", fs.ModeSymlink}, {"plain", 0}, {"sub", fs.ModeDir},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := l.ReadDir(dir + "fifo"); !errors.Is(err, ENOTDIR) {
		t.Errorf("list a named pipe: %v", err)
	}
	if target, err := l.ReadLink(dir + "link"); target != "plain" || err != nil {
		t.Errorf("readlink: %q, %v", target, err)
	}
	if _, err := l.ReadLink(dir + "plain"); !errors.Is(err, EINVAL) {
		t.Errorf("readlink of a file: %v", err)
	}
}

func TestLiveStat(t *testing.T) {
	t.Parallel()
	dir, l := populate(t), Live()
	st, err := l.Lstat(dir + "plain")
	if err != nil || st.Mode != 0o640 || st.Size != 10 || int(st.UID) != os.Getuid() {
		t.Errorf("got %+v, %v", st, err)
	}
	if st, err := l.Lstat(dir + "link"); err != nil || st.Mode.Type() != fs.ModeSymlink {
		t.Errorf("a link is %+v, %v", st, err)
	}
	if st, err := l.Lstat("/dev/null"); err != nil || st.Major != 1 || st.Minor != 3 {
		t.Errorf("/dev/null is %+v, %v", st, err)
	}
	if f, err := l.Statfs("/proc"); err != nil || f.Type != "proc" {
		t.Errorf("/proc is on %+v, %v", f, err)
	}
	if f, err := l.Statfs(dir); err != nil || f.Size <= 0 || f.Free > f.Size {
		t.Errorf("%s is on %+v, %v", dir, f, err)
	}
	if _, err := l.Getxattr(dir+"plain", "user.none"); ErrnoOf(err) == "" {
		t.Errorf("an attribute that is not there: %v", err)
	}
}

func TestLiveRights(t *testing.T) {
	t.Parallel()
	dir, l := populate(t), Live()
	for name, want := range map[string]error{"plain": nil, "none": ENOENT} {
		for _, how := range []byte("rw") {
			if err := l.Access(dir+name, how); !errors.Is(err, want) {
				t.Errorf("access %s %c: %v, want %v", name, how, err, want)
			}
		}
		if err := l.TryOpen(dir + name); !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", name, err, want)
		}
	}
	if err := l.TryOpen(dir + "sub"); !errors.Is(err, EISDIR) {
		t.Errorf("open a directory for writing: %v", err)
	}
	if err := l.Access(dir+"plain", 'x'); !errors.Is(err, EINVAL) {
		t.Errorf("access x: %v", err)
	}
}

func TestLiveProcess(t *testing.T) {
	t.Parallel()
	p, err := Live().Process()
	if err != nil || int(p.EUID) != os.Geteuid() || int(p.EGID) != os.Getegid() {
		t.Errorf("got %+v, %v", p, err)
	}
	groups, _ := os.Getgroups()
	if len(groups) != len(p.Groups) {
		t.Errorf("got the groups %v, want %v", p.Groups, groups)
	}
}

func TestLiveEnvironment(t *testing.T) {
	t.Parallel()
	l := Live()
	if value, set, err := l.Getenv("PATH"); value != os.Getenv("PATH") || !set || err != nil {
		t.Errorf("PATH is %q, %v, %v", value, set, err)
	}
	if _, set, err := l.Getenv("ROCSMITH_NEVER_SET"); set || err != nil {
		t.Errorf("an unset variable: %v, %v", set, err)
	}
	if found, err := l.Environ("PAT"); err != nil || !slices.Contains(found, Variable{"PATH", os.Getenv("PATH")}) {
		t.Errorf("PAT* is %v, %v", found, err)
	}
}

func TestLiveKernelLogIsFilteredOrRefused(t *testing.T) {
	t.Parallel()
	lines, err := Live().KernelLog()
	if err != nil && ErrnoOf(err) == "" {
		t.Errorf("refused without a reason: %v", err)
	}
	if len(lines) > maxLogLines {
		t.Errorf("%d lines", len(lines))
	}
}

func TestLiveAsk(t *testing.T) {
	t.Parallel()
	l := Live()
	if _, err := l.Ask(t.Context(), "sh", "-c", "true"); err == nil || !strings.Contains(err.Error(), "may be run") {
		t.Errorf("a shell was run: %v", err)
	}
	if _, err := l.Ask(t.Context(), Docker, "info"); err == nil || !strings.Contains(err.Error(), "only its version") {
		t.Errorf("docker was asked for more than its version: %v", err)
	}
	if _, err := findTool(Getent, nil); err != nil {
		t.Skipf("this machine has no getent: %v", err)
	}
	if out, err := l.Ask(t.Context(), Getent, "passwd", "0"); err != nil || !bytes.HasPrefix(out, []byte("root:")) {
		t.Errorf("got %q, %v", out, err)
	}
	var status ExitStatus
	if _, err := l.Ask(t.Context(), Getent, "passwd", "rocsmith-no-such-user"); !errors.As(err, &status) || status != 2 {
		t.Errorf("a user who is not there: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Ask(cancelled, Getent, "passwd", "0"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled question: %v", err)
	}
}

func TestLiveOtherSystem(t *testing.T) {
	t.Parallel()
	if _, err := Live().Registry(`HKLM\SOFTWARE`, ""); !errors.Is(err, ErrOtherSystem) {
		t.Errorf("registry: %v", err)
	}
	if _, err := Live().FileVersion("/x"); !errors.Is(err, ErrOtherSystem) {
		t.Errorf("version: %v", err)
	}
}

func TestFileSystemName(t *testing.T) {
	t.Parallel()
	for magic, want := range map[uint32]string{unix.EXT4_SUPER_MAGIC: "ext", unix.CIFS_SUPER_MAGIC: "cifs", zfsMagic: "zfs", 0x1234: "0x1234"} {
		if got := fileSystemName(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
}

// A machine on which everything hangs is given up soon, not two seconds a file.
func TestManyHangsAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	l := live{patience: 40 * time.Millisecond, hangs: new(atomic.Int32)}
	never := func() (int, error) { select {} }
	for i, want := range []string{"40ms", "40ms", "40ms", "20ms", "20ms"} {
		if _, err := bounded(l, never); !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), "gave up after "+want) {
			t.Fatalf("question %d: %v, want it given up after %s", i+1, err, want)
		}
	}
	// A moment may be over before an answer is given its turn, but not each time.
	for tries := 0; ; tries++ {
		got, err := bounded(l, func() (int, error) { return 7, nil })
		if got == 7 && err == nil {
			return
		}
		if !errors.Is(err, ErrTooLong) || tries == 1000 {
			t.Fatalf("an answer that comes is %v %v", got, err)
		}
	}
}
