package launch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rocsmith/rocsmith/internal/programtest"
)

// asWrapper is the variable under which the test binary is a small rocsmith run:
// signals are sent to a process of its own, not to that of the tests.
const asWrapper = "ROCSMITH_TEST_WRAPPER"

func TestMain(m *testing.M) {
	if os.Getenv(asWrapper) == "" {
		heedAgain(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT)
		os.Exit(m.Run())
	}
	if len(os.Args) >= 2 && os.Args[1] == "pass-on" {
		PassOn(os.Args[2:], os.Stdin, os.Stdout)
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "fetch" {
		_ = Engine{Program: os.Args[2], Env: os.Environ()}.fetch(context.Background(), "img", os.Stderr)
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == speakWord {
		os.Exit(speak(os.Args[2]))
	}
	end, err := Run(Command{Argv: os.Args[1:], Env: os.Environ()}, Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, PassOn: []string{"/proc/self/exe", "pass-on"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(ExitBefore)
	}
	if len(os.Args) == 4 && os.Args[2] == speakWord {
		os.Exit(inspect(os.Args[3], end))
	}
	if end.Interrupted {
		fmt.Fprintln(os.Stderr, "interrupted")
	}
	os.Exit(end.Code)
}

// heedAgain gives signals back to the commands that tests start: nohup and a
// shell's & make a process ignore some, which what it starts inherits. A signal
// that is caught here has its default meaning there.
func heedAgain(signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func wrapper(argv ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], argv...)
	cmd.Env = append(os.Environ(), asWrapper+"=1")
	return cmd
}

// piped runs a shell script with pipes, and returns what came out of them.
func piped(t *testing.T, script string) (end End, stdout, stderr string) {
	t.Helper()
	outRead, outWrite := pipeOf(t)
	errRead, errWrite := pipeOf(t)
	out, errs := readAll(outRead), readAll(errRead)
	end, err := Run(sh(script), Streams{Stdin: devNull(t), Stdout: outWrite, Stderr: errWrite})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = outWrite.Close(), errWrite.Close()
	return end, <-out, <-errs
}

func sh(script string) Command {
	return Command{Argv: []string{"sh", "-c", script}, Env: os.Environ()}
}

func pipeOf(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

func readAll(r io.Reader) <-chan string {
	c := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(r)
		c <- string(data)
	}()
	return c
}

func devNull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestStreamsAndCodes(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct {
		code                int
		signal, out, stderr string
	}{
		"echo out; echo err >&2; exit 3":           {3, "", "out\n", "err\n"},
		"true":                                     {0, "", "", ""},
		"kill -SEGV $$":                            {139, "SIGSEGV", "", ""},
		"kill -9 $$":                               {137, "SIGKILL", "", ""},
		"printf 'no line end'":                     {0, "", "no line end", ""},
		"exec >&- 2>&-; test -d /; exit 4":         {4, "", "", ""},
		"test -p /dev/stdout && test -p /dev/fd/2": {0, "", "", ""},
		"test ! -t 0 && cat":                       {0, "", "", ""},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			end, out, stderr := piped(t, script)
			if end.Code != want.code || end.Signal != want.signal || out != want.out || stderr != want.stderr {
				t.Errorf("%d %s %q %q", end.Code, end.Signal, out, stderr)
			}
			if !strings.Contains(string(end.Tail), want.out) || !strings.Contains(string(end.Tail), want.stderr) || end.Lost != 0 {
				t.Errorf("kept %q, lost %d", end.Tail, end.Lost)
			}
		})
	}
}

func TestOneStreamKeepsItsOrder(t *testing.T) {
	t.Parallel()
	r, w := pipeOf(t)
	out := readAll(r)
	end, err := Run(sh("for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done"), Streams{Stdin: devNull(t), Stdout: w, Stderr: w})
	_ = w.Close()
	var want strings.Builder
	for i := 1; i <= 9; i++ {
		fmt.Fprintf(&want, "o%d\ne%d\n", i, i)
	}
	if got := <-out; err != nil || got != want.String() || string(end.Tail) != got {
		t.Errorf("%q, kept %q, %v", got, end.Tail, err)
	}
}

// TestFloodArrivesWhole: every byte comes through, and little is kept.
func TestFloodArrivesWhole(t *testing.T) {
	t.Parallel()
	const lines = 400_000
	r, w := pipeOf(t)
	sum := make(chan string, 1)
	go func() {
		h := sha256.New()
		_, _ = io.Copy(h, r)
		sum <- fmt.Sprintf("%x", h.Sum(nil))
	}()
	end, err := Run(Command{Argv: []string{"seq", "-f", "line %012.0f", strconv.Itoa(lines)}, Env: os.Environ()}, Streams{Stdin: devNull(t), Stdout: w, Stderr: devNull(t)})
	_ = w.Close()
	h := sha256.New()
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(h, "line %012d\n", i)
	}
	if got := <-sum; err != nil || got != fmt.Sprintf("%x", h.Sum(nil)) {
		t.Errorf("other bytes arrived (%v)", err)
	}
	if last := fmt.Sprintf("line %012d\n", lines); !bytes.HasSuffix(end.Tail, []byte(last)) || len(end.Tail) > keepHead+keepTail || end.Lost == 0 {
		t.Errorf("kept %d bytes, lost %d, ending with %q", len(end.Tail), end.Lost, end.Tail[len(end.Tail)-20:])
	}
}

// TestReaderThatGoes: the command gets the SIGPIPE that it would get without us.
func TestReaderThatGoes(t *testing.T) {
	t.Parallel()
	r, w := pipeOf(t)
	go func() {
		_, _ = io.ReadFull(r, make([]byte, 10))
		_ = r.Close()
	}()
	end, err := Run(Command{Argv: []string{"yes"}, Env: os.Environ()}, Streams{Stdin: devNull(t), Stdout: w, Stderr: devNull(t)})
	if err != nil || end.Signal != "SIGPIPE" || end.Code != 141 {
		t.Errorf("%d %s %v", end.Code, end.Signal, err)
	}
}

func TestFilesAreHandedOn(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	end, err := Run(sh("test -f /dev/stdout && echo mine; echo too >&2"), Streams{Stdin: devNull(t), Stdout: f, Stderr: f})
	data, _ := os.ReadFile(name)
	if err != nil || end.Code != 0 || string(data) != "before\nmine\ntoo\n" || string(end.Tail) != "mine\ntoo\n" {
		t.Errorf("the file is %q, kept %q, %v", data, end.Tail, err)
	}
}

func TestBigFileIsReadAtBothEnds(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	end, err := Run(Command{Argv: []string{"seq", "1000000"}, Env: os.Environ()}, Streams{Stdin: devNull(t), Stdout: f, Stderr: devNull(t)})
	if err != nil || !bytes.HasPrefix(end.Tail, []byte("1\n2\n")) || !bytes.HasSuffix(end.Tail, []byte("\n1000000\n")) || end.Lost == 0 {
		t.Errorf("lost %d, %v", end.Lost, err)
	}
}

func TestWhatIsThrownAwayIsNotLookedAt(t *testing.T) {
	t.Parallel()
	null := devNull(t)
	end, err := Run(sh("echo out; echo err >&2"), Streams{Stdin: null, Stdout: null, Stderr: null})
	if err != nil || len(end.Tail) != 0 || len(end.Unseen) == 0 {
		t.Errorf("%+v %v", end, err)
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(dir, "junk")
	if err := os.WriteFile(junk, []byte{0x7f, 'E', 'L', 'F', 0}, 0o700); err != nil {
		t.Fatal(err)
	}
	for program, code := range map[string]int{"": 127, "nonesuch": 127, dir + "/nonesuch": 127, text: 126, junk: 126, dir: 126, "text": 126, text + "/x": 127} {
		after := 0
		c := Command{Argv: []string{program}, Env: []string{"PATH=" + dir + ":/nowhere"}, After: func() { after++ }}
		_, err := Run(c, Streams{Stdin: devNull(t), Stdout: devNull(t), Stderr: devNull(t)})
		var start *StartError
		if !errors.As(err, &start) || start.Code != code || after != 1 {
			t.Errorf("%q: %v, after ran %d times", program, err, after)
		}
	}
	_, err := Run(Command{Argv: []string{"sh"}, Env: os.Environ(), Before: func() error { return errors.New("no") }}, Streams{Stdin: devNull(t), Stdout: devNull(t), Stderr: devNull(t)})
	var start *StartError
	if !errors.As(err, &start) || start.Code != ExitBefore {
		t.Error(err)
	}
}

func TestTheCommandsOwnPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	programtest.Write(t, filepath.Join(dir, "python"), "#!/bin/sh\necho mine\n")
	r, w := pipeOf(t)
	out := readAll(r)
	_, err := Run(Command{Argv: []string{"python"}, Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}, Streams{Stdin: devNull(t), Stdout: w, Stderr: devNull(t)})
	_ = w.Close()
	if got := <-out; err != nil || got != "mine\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestMakeFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := MakeFolders([]Setting{{Name: "A", Folder: dir + "/x/y"}, {Name: "B"}}); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(dir + "/x/y")
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Error(st, err)
	}
	if err := os.Symlink("/tmp", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := MakeFolders([]Setting{{Name: "A", Folder: dir + "/link"}}); err == nil {
		t.Error("a link was taken for a folder of our own")
	}
}

// TestAProgramThatIsThere and cannot be executed is not called missing.
func TestAProgramThatIsThere(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"#!/nosuch/interpreter\n": "the interpreter that its first line names",
		"echo hi\n":               "no script that names its interpreter",
	} {
		file := filepath.Join(t.TempDir(), "train.sh")
		programtest.Write(t, file, text)
		_, err := Run(Command{Argv: []string{file}, Env: os.Environ()}, Streams{Stdin: devNull(t), Stdout: devNull(t), Stderr: devNull(t)})
		var start *StartError
		if !errors.As(err, &start) || start.Code != ExitNotExecutable || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFloods(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		n     int
		since time.Duration
		want  bool
	}{
		"blocks of a flood":          {4096, 8 * time.Microsecond, true},
		"after a moment":             {8192, 250 * time.Microsecond, true},
		"short answers, one by one":  {40, 12 * time.Microsecond, false},
		"a line now and then":        {80, time.Second, false},
		"a block now and then":       {4096, 2 * time.Millisecond, false},
		"a full pipe needs no pause": {pipeSize, 10 * time.Microsecond, false},
	} {
		if got := floods(tt.n, tt.since); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWatchOpens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "kfd")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if opened, known := WatchOpens(file).End(); opened || !known {
		t.Error("nobody opened it", opened, known)
	}
	w := WatchOpens(file)
	piped(t, "cat "+file)
	if opened, known := w.End(); !opened || !known {
		t.Error("it was opened", opened, known)
	}
	other := file + "2"
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w = WatchOpens(file, other)
	piped(t, "cat "+other)
	if opened, known := w.End(); !opened || !known {
		t.Error("one of two was opened", opened, known)
	}
	for _, paths := range [][]string{nil, {file + "x"}, {file, file + "x"}} {
		if _, known := WatchOpens(paths...).End(); known {
			t.Errorf("nothing can be known of %q", paths)
		}
	}
}
