package launch

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A terminal is a real one, as the person before it has it.
type terminal struct {
	t             *testing.T
	master, slave *os.File
	pending       []byte
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		t.Skipf("no terminal can be made here: %v", errno)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that deadlines work
		t.Fatal(err)
	}
	term := &terminal{t: t, master: os.NewFile(uintptr(fd), "master"), slave: os.NewFile(slave, "slave")}
	t.Cleanup(func() { _, _ = term.master.Close(), term.slave.Close() })
	term.size(40, 100)
	return term
}

func (m *terminal) control(do func(fd int)) {
	m.t.Helper()
	raw, err := m.master.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { do(int(fd)) })
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *terminal) size(rows, columns uint16) {
	m.t.Helper()
	m.control(func(fd int) {
		if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
			m.t.Error(err)
		}
	})
}

// settings are those of the terminal that the person sees.
func (m *terminal) settings() unix.Termios {
	m.t.Helper()
	var out unix.Termios
	m.control(func(fd int) {
		if got, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
			out = *got
		}
	})
	return out
}

func (m *terminal) write(text string) {
	m.t.Helper()
	if _, err := m.master.WriteString(text); err != nil {
		m.t.Fatal(err)
	}
}

// until reads what the person sees up to some words.
func (m *terminal) until(words string) string {
	m.t.Helper()
	const patience = time.Minute // only a broken test waits so long
	_ = m.master.SetReadDeadline(time.Now().Add(patience))
	buffer := make([]byte, 4096)
	for {
		if i := bytes.Index(m.pending, []byte(words)); i >= 0 {
			seen := string(m.pending[:i+len(words)])
			m.pending = m.pending[i+len(words):]
			return seen
		}
		n, err := m.master.Read(buffer)
		m.pending = append(m.pending, buffer[:n]...)
		if err != nil && !bytes.Contains(m.pending, []byte(words)) {
			m.t.Fatalf("%q is not in %q: %v", words, m.pending, err)
		}
	}
}

// start starts something that has this terminal for its own.
func (m *terminal) start(cmd *exec.Cmd) *exec.Cmd {
	m.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = m.slave, m.slave, m.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

func code(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	_ = cmd.Wait()
	if cmd.ProcessState == nil {
		t.Fatal("it did not end")
	}
	return cmd.ProcessState.ExitCode()
}

func TestTheCommandSeesATerminal(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	cmd := term.start(wrapper("sh", "-c", `test -t 0 && test -t 1 && test -t 2 && stty size <&1; stty size; read line; echo "read $line"; exit 7`))
	term.until("40 100\r\n40 100\r\n")
	term.write("hello\n")
	if seen := term.until("read hello\r\n"); strings.Contains(seen, "\r\r\n") {
		t.Errorf("a line end is doubled: %q", seen)
	}
	if got := code(t, cmd); got != 7 {
		t.Errorf("exit code %d", got)
	}
}

func TestWindowSize(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	cmd := term.start(wrapper("sh", "-c", `trap 'stty size <&1' WINCH; echo ready; while :; do read line && test "$line" = end && exit 0; done`))
	term.until("ready")
	term.size(50, 120)
	term.until("50 120")
	term.write("end\n")
	if got := code(t, cmd); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestWindowSizeByAnotherName: /dev/tty is the terminal that output goes to already.
func TestWindowSizeByAnotherName(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	shell := exec.Command("sh", "-c", `exec "$0" sh -c 'trap "stty size <&1" WINCH; echo ready; while :; do read line && test "$line" = end && exit 0; done' 2>/dev/tty`, os.Args[0])
	shell.Env = append(os.Environ(), asWrapper+"=1")
	cmd := term.start(shell)
	term.until("ready")
	term.size(50, 120)
	term.until("50 120")
	term.write("end\n")
	if got := code(t, cmd); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestCtrlCOnce: the terminal sends it to the command, and rocsmith not again.
func TestCtrlCOnce(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	cmd := term.start(wrapper("sh", "-c", `n=0; trap 'n=$((n+1)); echo "caught $n"' INT; echo ready; while :; do read line && test "$line" = end && break; done; echo "in all $n"; exit 9`))
	term.until("ready")
	term.write("\x03")
	term.until("caught 1")
	term.write("end\n")
	term.until("in all 1")
	term.until("interrupted")
	if got := code(t, cmd); got != 9 {
		t.Errorf("exit code %d", got)
	}
}

func TestCtrlCEndsBoth(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	cmd := term.start(wrapper("sh", "-c", "echo ready; exec cat"))
	term.until("ready")
	term.write("\x03")
	if got := code(t, cmd); got != 128+int(unix.SIGINT) {
		t.Errorf("exit code %d", got)
	}
}

// TestStopAndGoOn: Ctrl-Z stops the job, fg goes on with it, as a shell with job
// control does.
func TestStopAndGoOn(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	term := openTerminal(t)
	shell := exec.Command(bash, "--norc", "-c", `set -m; `+asWrapper+`=1 "$0" sh -c 'echo ready; read line; echo "got $line"; exit 3'; echo "stopped $?"; fg >/dev/null; echo "ended $?"`, os.Args[0])
	shell.Env = os.Environ()
	cmd := term.start(shell)
	term.until("ready")
	term.write("\x1a")
	term.until("stopped 148") // 128 and SIGTSTP
	term.write("hello\n")
	term.until("got hello")
	term.until("ended 3")
	if got := code(t, cmd); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestSettingsOfTheScreen: what programs that draw on the whole screen ask of their
// output, the real terminal is given.
func TestSettingsOfTheScreen(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	before := term.settings()
	cmd := term.start(wrapper("sh", "-c", `stty -icanon -echo <&1; echo raw; read a; stty icanon echo <&1; echo cooked; read b`))
	term.until("raw")
	if s := term.settings(); s.Lflag&(unix.ICANON|unix.ECHO) != 0 {
		t.Errorf("the terminal has %#x", s.Lflag)
	}
	term.write("x\n")
	term.until("cooked")
	if s := term.settings(); s.Lflag != before.Lflag || s.Oflag != before.Oflag {
		t.Errorf("the terminal has %#x %#x, and had %#x %#x", s.Lflag, s.Oflag, before.Lflag, before.Oflag)
	}
	term.write("x\n")
	if got := code(t, cmd); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestAPager reads single keys from the terminal that its errors go to, as less does;
// afterwards lines are the command's own again, and none ends twice.
func TestAPager(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	cmd := term.start(wrapper("sh", "-c", `exec 3<"$(tty <&2)"; stty opost onlcr -icanon -echo <&3; echo ready >/dev/stderr
		key=$(dd bs=1 count=1 <&3 2>/dev/null); stty icanon echo <&3; exec 3<&-; echo "key $key"; read line; echo "line $line"`))
	term.until("ready\r")
	term.write("q")
	seen := term.until("key q\r\n")
	term.write("hello\n")
	if seen += term.until("line hello\r\n"); strings.Contains(seen, "\r\r\n") {
		t.Errorf("a line end is doubled: %q", seen)
	}
	if got := code(t, cmd); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestAShellControlsItsJobs, as it does without rocsmith.
func TestAShellControlsItsJobs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	term := openTerminal(t)
	shell := wrapper("bash", "--norc", "--noediting", "-i")
	shell.Env = append(shell.Env, "PS1=>")
	cmd := term.start(shell)
	term.until(">")
	term.write("(printf 'g%s\\n' o; exec sleep 30)\n")
	term.until("go\r\n")
	term.write("\x1a")
	if seen := term.until("Stopped"); strings.Contains(seen, "no job control") {
		t.Errorf("%q", seen)
	}
	term.write("kill %1; exit 3\n")
	term.write("exit 3\n") // where it warns of the job first
	term.until("interrupted")
	if got := code(t, cmd); got != 3 {
		t.Errorf("exit code %d", got)
	}
}

func TestIsPrompt(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"bash": true, "/bin/bash -l": true, "bash --norc -i": true, "-bash": true, "sh": true,
		"bash -c true": false, "bash -lc true": false, "bash train.sh": false, "sh -s": false, "python": false, "bash -x train.sh": false,
	} {
		if got := isPrompt(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestTerminalIsInOrderAfterAKill: rocsmith never changes it by itself.
func TestTerminalIsInOrderAfterAKill(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	before := term.settings()
	cmd := term.start(wrapper("sh", "-c", "echo ready; exec cat"))
	term.until("ready")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if after := term.settings(); after != before {
		t.Errorf("%+v became %+v", before, after)
	}
}

// TestPipelineAndTerminal: only the stream that is a terminal is one.
func TestPipelineAndTerminal(t *testing.T) {
	t.Parallel()
	term := openTerminal(t)
	r, w := pipeOf(t)
	out := readAll(r)
	end, err := Run(sh("test ! -t 1 && test -t 2 && echo pipe && echo screen >&2"), Streams{Stdin: devNull(t), Stdout: w, Stderr: term.slave})
	_ = w.Close()
	if got := <-out; err != nil || end.Code != 0 || got != "pipe\n" {
		t.Errorf("%q %d %v", got, end.Code, err)
	}
	term.until("screen")
}
