package probe

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A group is the process group of a child: what it starts is ended with it.
type group struct{}

func (group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func (group) adopt(*os.Process) {}

// await waits for the end of the process, and leaves its number taken, so that
// the group can be ended without a doubt whose it is.
func (group) await(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// kill fails only where nobody is left.
func (group) kill(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) }

func (group) release() {}

// endingOf reads how a process ended.
func endingOf(s *os.ProcessState) ending {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return ending{signal: unix.SignalName(status.Signal())}
	}
	return ending{code: s.ExitCode()}
}
