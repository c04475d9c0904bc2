package launch

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rocsmith/rocsmith/internal/programtest"
)

// talking starts a command under the wrapper, in a session of its own, and reads
// its lines.
func talking(t *testing.T, script string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	return talkingAs(t, wrapper("sh", "-c", script))
}

func talkingAs(t *testing.T, cmd *exec.Cmd) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	return cmd, bufio.NewReader(out)
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("after %q: %v", text, err)
	}
	return strings.TrimSpace(text)
}

func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]unix.Signal{"TERM": unix.SIGTERM, "INT": unix.SIGINT, "HUP": unix.SIGHUP, "QUIT": unix.SIGQUIT, "USR1": unix.SIGUSR1, "USR2": unix.SIGUSR2, "ABRT": unix.SIGABRT, "ALRM": unix.SIGALRM, "XCPU": unix.SIGXCPU, "37": 37} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, out := talking(t, `trap 'echo caught; exit 7' `+name+`; echo ready; while :; do sleep 0.05; done`)
			line(t, out)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if got := line(t, out); got != "caught" {
				t.Error(got)
			}
			if got := code(t, cmd); got != 7 {
				t.Errorf("exit code %d", got)
			}
		})
	}
}

// TestSignalsAreHandedOn by who can, and sent to the process otherwise.
func TestSignalsAreHandedOn(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := signals{hand: func(sig os.Signal) bool { return sig == unix.SIGTERM }}
	s.pass(unix.SIGTERM, cmd.Process, nil)
	s.pass(unix.SIGUSR1, cmd.Process, nil)
	if got := cmd.Wait(); got == nil || got.Error() != "signal: user defined signal 1" {
		t.Errorf("it ended with %v", got)
	}
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap '' HUP; exec "$0" sh -c 'kill -HUP $$; echo alive'`, os.Args[0])
	cmd.Env = append(os.Environ(), asWrapper+"=1")
	cmd, out := talkingAs(t, cmd)
	if got := line(t, out); got != "alive" {
		t.Error(got)
	}
	if got := code(t, cmd); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestAReaderThatStops to read does not keep rocsmith when somebody asks for the end,
// and finds all of what was written when it goes on.
func TestAReaderThatStops(t *testing.T) {
	t.Parallel()
	const bytes = 4 << 20 // more than all pipes hold
	r, w := pipeOf(t)
	said, say := pipeOf(t)
	cmd := wrapper("sh", "-c", `trap 'exit 9' TERM; head -c `+strconv.Itoa(bytes)+` /dev/zero & echo ready >&3; wait`)
	cmd.Stdout, cmd.ExtraFiles = w, []*os.File{say}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	_, _ = w.Close(), say.Close()
	line(t, bufio.NewReader(said))
	if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := code(t, cmd); got != 9 {
		t.Errorf("exit code %d", got)
	}
	if n, err := io.Copy(io.Discard, r); n != bytes || err != nil {
		t.Errorf("%d bytes (%v)", n, err)
	}
}

// TestAnOldWish: somebody who typed Ctrl-C an hour ago does not ask for the end of a
// command that lived on. Its last words are waited for.
func TestAnOldWish(t *testing.T) {
	t.Parallel()
	const bytes = 3 << 19 // more than one pipe holds that was enlarged, and not more than two
	r, w := pipeOf(t)
	p, err := Start(sh("yes | head -c "+strconv.Itoa(bytes)), Streams{Stdin: devNull(t), Stdout: w, Stderr: devNull(t)})
	if err != nil {
		t.Fatal(err)
	}
	p.signals.asked.now()
	p.signals.asked.mu.Lock()
	p.signals.asked.last = time.Now().Add(-time.Hour)
	p.signals.asked.mu.Unlock()
	ended := make(chan End, 1)
	go func() {
		ended <- p.Wait()
		_ = w.Close()
	}()
	time.Sleep(100 * time.Millisecond) // so that it has ended, and its reader is late
	text, err := io.ReadAll(r)
	if end := <-ended; err != nil || len(text) != bytes || int64(len(end.Tail))+end.Lost != bytes || end.Interrupted {
		t.Errorf("%d bytes arrived, %d were kept and %d not, %v (%v)", len(text), len(end.Tail), end.Lost, end.Interrupted, err)
	}
}

// TestATerminalThatIsNotRead, because its window hangs or somebody typed Ctrl-S, does
// not keep rocsmith either.
func TestATerminalThatIsNotRead(t *testing.T) {
	t.Parallel()
	const bytes = 1 << 20 // more than a terminal holds
	from, to := rawTerminal(t)
	said, say := pipeOf(t)
	cmd := wrapper("sh", "-c", `trap 'exit 9' TERM; yes | head -c `+strconv.Itoa(bytes)+` & echo ready >&3; wait`)
	cmd.Stdout, cmd.ExtraFiles = to, []*os.File{say}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	_, _ = to.Close(), say.Close()
	line(t, bufio.NewReader(said))
	if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := code(t, cmd); got != 9 {
		t.Errorf("exit code %d", got)
	}
	text, _ := io.ReadAll(from) // it ends with EIO
	if want := strings.Repeat("y\n", bytes/2); string(text) != want {
		t.Errorf("%d bytes arrived", len(text))
	}
}

// TestWhoStaysBehindFloods: the command has ended, and rocsmith ends too, although
// there is always more to carry.
func TestWhoStaysBehindFloods(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) (from, to *os.File){"pipe": pipeOf, "terminal": rawTerminal} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := open(t)
			cmd := wrapper("sh", "-c", "yes & exit 5")
			cmd.Stdout = to
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
			_ = to.Close()
			go func() {
				buffer := make([]byte, 4096)
				for {
					if _, err := from.Read(buffer); err != nil {
						return
					}
					time.Sleep(time.Millisecond) // the one who floods is faster
				}
			}()
			if got := code(t, cmd); got != 5 {
				t.Errorf("exit code %d", got)
			}
		})
	}
}

// TestAReaderThatGoesAway ends the command, and nobody has to be told why.
func TestAReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	r, w := pipeOf(t)
	_ = r.Close()
	end, err := Run(sh("exec yes"), Streams{Stdin: devNull(t), Stdout: w, Stderr: devNull(t)})
	if err != nil || end.Signal != "SIGPIPE" || !end.Interrupted {
		t.Errorf("%+v %v", end, err)
	}
	if end, _, _ := piped(t, "kill -PIPE $$"); end.Signal != "SIGPIPE" || end.Interrupted {
		t.Errorf("everything was read: %+v", end)
	}
}

// TestKillReachesTheCommand: where rocsmith is killed, the command is asked to end.
func TestKillReachesTheCommand(t *testing.T) {
	t.Parallel()
	r, w := pipeOf(t)
	cmd := wrapper("sh", "-c", `trap 'echo asked >&3; exit 0' TERM; echo ready >&3; while :; do sleep 0.05; done`)
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	_ = w.Close()
	out := bufio.NewReader(r)
	if got := line(t, out); got != "ready" {
		t.Fatal(got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := line(t, out); got != "asked" {
		t.Error(got)
	}
}

// TestKillReachesAPull: an image that nobody waits for is not fetched any further.
func TestKillReachesAPull(t *testing.T) {
	t.Parallel()
	engine := filepath.Join(t.TempDir(), "docker")
	programtest.Write(t, engine, "#!/bin/sh\necho pulling >&3\nexec sleep 300\n")
	r, w := pipeOf(t)
	cmd := wrapper("fetch", engine)
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	out := bufio.NewReader(r)
	line(t, out)
	_ = cmd.Process.Signal(unix.SIGTERM)
	_ = cmd.Wait()
	if _, err := out.ReadByte(); err != io.EOF { // it holds the other end as long as it lives
		t.Error(err)
	}
}

// TestACommandThatIgnoresSignals can be killed by its own number, and its end is
// told.
func TestACommandThatIgnoresSignals(t *testing.T) {
	t.Parallel()
	cmd, out := talking(t, `trap '' TERM INT; echo $$; while :; do sleep 0.05; done`)
	pid, err := strconv.Atoi(line(t, out))
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(unix.SIGTERM)
	if err := unix.Kill(pid, 0); err != nil {
		t.Error("it is gone", err)
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	if got := code(t, cmd); got != 137 {
		t.Errorf("exit code %d", got)
	}
}

// TestWhoStaysBehind: the end of the command is the end, and what it left behind
// still reaches the same output.
func TestWhoStaysBehind(t *testing.T) {
	t.Parallel()
	fifo := t.TempDir() + "/fifo"
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, out := talking(t, `(read go <`+fifo+`; echo late) & echo early; exit 5`)
	if got := line(t, out); got != "early" {
		t.Error(got)
	}
	state, err := cmd.Process.Wait()
	if err != nil || state.ExitCode() != 5 {
		t.Fatal(state, err)
	}
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, "go\n")
	_ = w.Close()
	if got := line(t, out); got != "late" {
		t.Error(got)
	}
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
}

// TestTheNextCommandStopsAsTheFirst: rocsmith may write from the background, and
// hands that on to no command that it starts later.
func TestTheNextCommandStopsAsTheFirst(t *testing.T) {
	t.Parallel()
	ignores := func(status string) bool {
		_, set, _ := strings.Cut(status, "SigIgn:")
		set, _, _ = strings.Cut(strings.TrimSpace(set), "\n")
		bits, err := strconv.ParseUint(set, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return bits&(1<<(unix.SIGTTOU-1)) != 0
	}
	parent, err := os.ReadFile("/proc/" + strconv.Itoa(os.Getppid()) + "/status")
	if err != nil || ignores(string(parent)) {
		t.Skipf("SIGTTOU is ignored by whoever started the tests (%v)", err)
	}
	piped(t, "true")
	if _, status, _ := piped(t, "cat /proc/self/status"); ignores(status) {
		t.Error("the second command ignores SIGTTOU")
	}
}

// TestOutputFromTheBackground: a terminal that stops background jobs when they write
// does not stop rocsmith, which writes for the command.
func TestOutputFromTheBackground(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	cmd := exec.Command("sh", "-c", `stty tostop; set -m; "$0" sh -c 'echo from below' & wait $!; echo "code $?"`, os.Args[0])
	cmd.Env = append(os.Environ(), asWrapper+"=1")
	term.start(cmd)
	term.until("from below")
	term.until("code 0")
}
