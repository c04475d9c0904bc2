package launch

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes ask for a SIGTERM to the command when rocsmith is killed in a way that
// it cannot pass on. Somebody who kills rocsmith wants the work to end; left alone,
// it would hold the GPU, and die of SIGPIPE at its next line. SIGTERM and not
// SIGKILL, because the command may save its work, and an engine's client ends its
// container.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// keepThread keeps a goroutine in its thread: the system takes the death of the
// thread that started a process for that of the parent.
func keepThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// signalName is a number for a signal that programs give a meaning to themselves.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

// passed are the signals that a program is sent by people, and by what watches over it:
// SIGABRT by systemd's watchdog, SIGXCPU by batch systems, SIGALRM by timeout -s. Go
// would drop most of them, and end with a trace of its own at SIGABRT.
func passed() []os.Signal {
	out := []os.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH,
		unix.SIGABRT, unix.SIGALRM, unix.SIGXCPU, unix.SIGPWR, unix.SIGIO,
	}
	const first, last = 35, 64 // of those without a name; libraries of C keep the ones below for themselves
	for n := first; n <= last; n++ {
		out = append(out, syscall.Signal(n))
	}
	return out
}

// signals passes on to the command what rocsmith is sent.
type signals struct {
	*inbox
	hand func(os.Signal) bool // Command.Pass
}

func catch() *signals { return &signals{inbox: collect(passed())} }

// forward passes them on from now on.
func (s *signals) forward(p *os.Process, o *outputs, hand func(os.Signal) bool) {
	s.hand = hand
	go func() {
		for sig := range s.out {
			s.pass(sig, p, o.screen)
		}
	}()
}

// fromBackground does what may write to the terminal, or read from it, also where
// rocsmith is in the background: it works for the command, which may have put itself
// into the foreground. The signals are blocked in the one thread. To ignore them in the whole
// process could not be taken back (signal.Reset does not do so for a signal whose
// default the runtime leaves alone), and a second command would inherit it.
func fromBackground(do func() bool) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stop, before unix.Sigset_t
	stop.Val[0] = 1<<(unix.SIGTTOU-1) | 1<<(unix.SIGTTIN-1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &stop, &before); err == nil {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) }()
	}
	return do()
}

func (s *signals) pass(sig os.Signal, p *os.Process, screen *screen) {
	if sig == unix.SIGWINCH {
		if screen != nil && screen.resize() {
			// The command heard of it from the real terminal, perhaps before its own had the
			// new size.
			tellForeground(screen.real, p)
		}
		return
	}
	if (sig == unix.SIGINT || sig == unix.SIGQUIT) && inForeground() {
		return // typed at the terminal, which sends it to the command as well
	}
	if s.hand != nil && s.hand(sig) {
		return
	}
	_ = p.Signal(sig)
}

// tellForeground sends SIGWINCH to the group in the foreground of a terminal, else
// to the command.
func tellForeground(terminal int, p *os.Process) {
	if group, err := unix.IoctlGetInt(terminal, unix.TIOCGPGRP); err == nil && group > 0 {
		_ = unix.Kill(-group, unix.SIGWINCH)
		return
	}
	_ = p.Signal(unix.SIGWINCH)
}

// inForeground reports whether a terminal sends its signals to rocsmith's group,
// and with it to the command.
func inForeground() bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(tty) }()
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
