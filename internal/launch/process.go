package launch

import (
	"os"
	"syscall"
	"time"
)

// A Process is a command that runs.
type Process struct {
	command Command
	process *os.Process
	started time.Time
	clock   float64
	ended   chan ending // the one that waits for the process hands it over
	outputs *outputs
	signals *signals
}

// An ending is what the system says of the end.
type ending struct {
	state *os.ProcessState
	err   error
}

// Start starts a command. What stands in the way is a *StartError.
func Start(c Command, s Streams) (*Process, error) {
	p, err := start(c, s)
	if err != nil && c.After != nil {
		c.After()
	}
	return p, err
}

func start(c Command, s Streams) (*Process, error) {
	program, err := find(c.Argv[0], c.Env, c.Dir)
	if err != nil {
		return nil, notStarted(c.Argv[0], err)
	}
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return nil, &StartError{ExitBefore, c.Argv[0], err}
		}
	}
	s.attended = isPrompt(c.Argv)
	outputs, err := openOutputs(s)
	if err != nil {
		return nil, &StartError{ExitBefore, c.Argv[0], err}
	}
	p := &Process{command: c, outputs: outputs, ended: make(chan ending, 1)}
	p.signals = catch() // before the start, so that none is missed
	attributes := &os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: []*os.File{s.Stdin, outputs.stdout, outputs.stderr}, Sys: attributes()}
	if err := p.begin(program, attributes); err != nil {
		p.signals.stop()
		outputs.finish()
		return nil, notBegun(c.Argv[0], err)
	}
	outputs.begin()
	p.signals.forward(p.process, outputs, c.Pass)
	return p, nil
}

// begin starts the process and waits for it, in a thread of its own.
func (p *Process) begin(program string, a *os.ProcAttr) error {
	started := make(chan error, 1)
	go func() {
		defer keepThread()()
		var err error
		p.started, p.clock = time.Now(), kernelClock()
		p.process, err = os.StartProcess(program, p.command.Argv, a)
		started <- err
		if err != nil {
			return
		}
		state, err := p.process.Wait()
		p.ended <- ending{state, err}
	}()
	return <-started
}

// Wait waits for the end, and for what the command wrote to be passed on.
func (p *Process) Wait() End {
	last := <-p.ended
	end := End{Code: ExitBefore, Started: p.started, Clock: p.clock, Duration: time.Since(p.started)}
	known := last.err == nil && last.state != nil
	if known {
		end.tell(last.state)
	}
	p.finishOutputs(end)
	p.signals.stop()
	if p.command.After != nil {
		p.command.After()
	}
	p.outputs.tell(&end)
	if !known {
		return end // the system lost the process
	}
	end.Unread = p.outputs.unread()
	end.Interrupted = end.wanted(p.signals.asked.whenLast()) || end.Unread && end.Code == exitSignal+numberPIPE || p.outputs.attended
	return end
}

// tell puts what the system says of the end of a process into it.
func (e *End) tell(s *os.ProcessState) {
	e.Code = s.ExitCode()
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		e.Code, e.Signal, e.Core = exitSignal+int(w.Signal()), signalName(w.Signal()), w.CoreDump()
	}
}

// finishOutputs waits for what the command wrote to be passed on, unless somebody asked
// for its end, or asks now: a reader may have stopped to read, and rocsmith must not
// outlive the command for that. A Ctrl-C of an hour ago is no such wish, and the last
// words of a command that lived on are waited for.
func (p *Process) finishOutputs(end End) {
	finished := make(chan struct{})
	defer close(finished)
	go func() {
		for !end.wanted(p.signals.asked.whenLast()) {
			select {
			case <-p.signals.asked.heard:
			case <-finished:
				return
			}
		}
		p.outputs.release()
	}()
	p.outputs.finish()
}
