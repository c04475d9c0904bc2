package launch

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// A Process is a command that runs.
type Process struct {
	command Command
	cmd     *exec.Cmd
	started time.Time
}

// Start starts a command. What stands in the way is a *StartError.
func Start(c Command, s Streams) (*Process, error) {
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return nil, &StartError{ExitBefore, c.Argv[0], err}
		}
	}
	p := &Process{command: c, started: time.Now()}
	program, err := find(c.Argv[0], c.Env, c.Dir)
	if err != nil {
		p.after()
		return nil, notStarted(c.Argv[0], err)
	}
	p.cmd = &exec.Cmd{Path: program, Args: c.Argv, Env: c.Env, Dir: c.Dir, Stdin: s.Stdin, Stdout: s.Stdout, Stderr: s.Stderr}
	if err := p.cmd.Start(); err != nil {
		p.after()
		return nil, notStarted(c.Argv[0], err)
	}
	return p, nil
}

func (p *Process) after() {
	if p.command.After != nil {
		p.command.After()
	}
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Wait waits for the end.
func (p *Process) Wait() End {
	defer p.after()
	err := p.cmd.Wait()
	end := End{Started: p.started, Duration: time.Since(p.started)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		end.Code = exit.ExitCode()
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			end.Code, end.Signal, end.Core = exitSignal+int(w.Signal()), w.Signal().String(), w.CoreDump()
		}
	}
	return end
}
