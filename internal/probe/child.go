package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// A Launch says how to start a child.
type Launch struct {
	Argv []string
	Env  []string // nil: that of rocsmith
	// Apart says that the child runs elsewhere, in a container, and Argv only
	// talks to it: what it uses cannot be seen in the process group.
	Apart bool
	// After removes what outlives the process; nil where there is nothing.
	After func()
}

// A child is one running rocsmith-probe.
type child struct {
	cmd     *exec.Cmd
	group   group
	stdin   *os.File
	answers chan operation.Answer // closed when the output ends
	stderr  *keeper
	words   *os.File      // where standard error comes out
	heard   chan struct{} // closed when it ends
	ended   chan struct{} // closed when the process is gone
	end     ending        // set before ended is closed
	after   func()

	mu    sync.Mutex
	noise []string
	flood error

	reader  host.Reader
	caches  []string
	watched bool
	apart   bool // an engine runs it
	asked   bool // something was asked of it
	spoke   bool // it has answered something
}

// grace is how long a child may take to end by itself when its input is closed.
// Runtimes hand memory of the GPU back on the way out.
const grace = 5 * time.Second

// start runs a child. Its pipes are files, so that waiting for the process does
// not wait for others that hold them.
func start(l Launch, r host.Reader, caches []string) (*child, error) {
	in, out, words, err := pipes()
	if err != nil {
		return nil, fmt.Errorf("make the pipes of a child: %w", err)
	}
	c := &child{
		stdin: in.ours, answers: make(chan operation.Answer), stderr: &keeper{}, words: words.ours, heard: make(chan struct{}), ended: make(chan struct{}),
		after: l.After, reader: r, caches: caches, watched: !l.Apart && r != nil, apart: l.Apart,
	}
	// The program is found by us, and its arguments are made by us.
	c.cmd = exec.Command(l.Argv[0], l.Argv[1:]...) //nolint:gosec // starting it is the purpose
	c.cmd.Env = l.Env
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = in.theirs, out.theirs, words.theirs
	c.group.prepare(c.cmd)
	if err := c.launch(); err != nil {
		for _, p := range []pipe{in, out, words} {
			p.close()
		}
		c.tidy()
		return nil, cannotStart(l.Argv[0], err)
	}
	for _, p := range []pipe{in, out, words} {
		_ = p.theirs.Close()
	}
	go c.read(out.ours)
	go func() {
		defer close(c.heard)
		c.stderr.listen(c.words)
		_ = c.words.Close()
	}()
	return c, nil
}

// launch starts the process on a thread that lives as long as the process does:
// Linux ends a child with its parent's thread, not with its parent (prctl(2),
// PR_SET_PDEATHSIG).
func (c *child) launch() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		if err == nil {
			c.group.adopt(c.cmd.Process)
		}
		started <- err
		if err != nil {
			return
		}
		c.group.await(c.cmd.Process.Pid)
		c.group.kill(c.cmd.Process) // what it started and left behind
		_ = c.cmd.Wait()            // how it ended is in ProcessState
		c.end = endingOf(c.cmd.ProcessState)
		c.group.release()
		close(c.ended)
	}()
	return <-started
}

// read hands answers on until the output ends. Each is taken: by the one who asks,
// however late, or by stop.
func (c *child) read(out *os.File) {
	defer close(c.answers)
	defer func() { _ = out.Close() }()
	err := readAnswers(out, func(a operation.Answer) { c.answers <- a }, func(line string) {
		const most = 20
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.noise) < most {
			c.noise = append(c.noise, line)
		}
	})
	c.mu.Lock()
	c.flood = err
	c.mu.Unlock()
}

// ask puts one question and waits for its answer, or for the end.
func (c *child) ask(ctx context.Context, t operation.Task, device int, p *patience) Outcome {
	start := time.Now()
	c.forget()
	go c.write(operation.Question{Task: t.ID, Device: device})
	p.look(0, c.watch())
	tick := time.NewTicker(p.interval())
	defer tick.Stop()
	for {
		select {
		case a, open := <-c.answers:
			if o, over := c.take(t, a, open, start); over {
				return o
			}
		case <-tick.C:
			elapsed := time.Since(start)
			v, why := p.look(elapsed, c.watch())
			if v == "" {
				continue
			}
			select {
			case a, open := <-c.answers: // it came while rocsmith itself waited for its turn
				if o, over := c.take(t, a, open, start); over {
					return o
				}
			default:
				c.kill()
				return c.outcome(t, operation.Answer{Verdict: v, Why: why, Ms: ms(elapsed)})
			}
		case <-ctx.Done():
			c.kill()
			return c.outcome(t, operation.Answer{Verdict: operation.Skipped, Why: "interrupted", Ms: ms(time.Since(start))})
		}
	}
}

// forget drops what was said after the answer to an earlier question. What a child
// says before the first is why it does not start.
func (c *child) forget() {
	if c.asked {
		c.stderr.catchUp(c.words)
		c.stderr.reset()
	}
	c.asked = true
}

// take judges what came out of a child, and reports whether that was the answer or
// the end.
func (c *child) take(t operation.Task, a operation.Answer, open bool, start time.Time) (Outcome, bool) {
	switch {
	case !open:
		return c.lost(t, time.Since(start)), true
	case a.Task != t.ID:
		c.note("an answer to " + shorten(a.Task, 80) + ", which was not asked")
		return Outcome{}, false
	}
	c.spoke = true
	if a.Verdict == operation.Started {
		return Outcome{}, false
	}
	return c.outcome(t, a), true
}

// write fails where the child is gone, and then its end is the answer.
func (c *child) write(q operation.Question) {
	line, err := json.Marshal(q)
	if err == nil {
		_, _ = c.stdin.Write(append(line, '\n'))
	}
}

// lost is the outcome of a child whose output ended without an answer.
func (c *child) lost(t operation.Task, elapsed time.Duration) Outcome {
	c.mu.Lock()
	flood := c.flood
	c.mu.Unlock()
	a := operation.Answer{Ms: ms(elapsed)}
	if flood != nil {
		c.kill()
		a.Verdict, a.Why = operation.Failed, "the output of the child could not be read: "+flood.Error()
		return c.outcome(t, a)
	}
	select {
	case <-c.ended:
		c.hear()
		end := c.end
		end.silent, end.apart = !c.spoke, c.apart
		a.Verdict, a.Why = judgeEnd(end, c.stderr.String())
	case <-time.After(grace):
		c.kill()
		a.Verdict, a.Why = operation.Hang, "the child closed its output, and did not end"
	}
	return c.outcome(t, a)
}

// hear waits for the last words of a process that is gone.
func (c *child) hear() {
	select {
	case <-c.heard:
	case <-time.After(time.Second):
	}
	c.stderr.catchUp(c.words)
}

func (c *child) outcome(t operation.Task, a operation.Answer) Outcome {
	a.Task = t.ID
	c.stderr.catchUp(c.words) // what was said before the answer
	c.mu.Lock()
	defer c.mu.Unlock()
	o := Outcome{Task: t, Answer: a, Words: c.stderr.String(), Noise: strings.Join(c.noise, "\n")}
	c.noise = nil
	return o
}

func (c *child) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noise = append(c.noise, line)
}

func (c *child) watch() activity {
	if !c.watched {
		return activity{}
	}
	return watch(c.reader, c.cmd.Process.Pid, c.caches)
}

// gone reports whether the process has ended.
func (c *child) gone() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// kill ends the process and all that it started, and waits for that.
func (c *child) kill() {
	if !c.gone() {
		c.group.kill(c.cmd.Process)
	}
	select {
	case <-c.ended:
	case <-time.After(grace):
		// A process in an uninterruptible call to a broken driver dies when the
		// driver lets go of it. Nobody can do more.
	}
}

// stop lets a child end by itself, and ends it where it does not.
func (c *child) stop() {
	_ = c.stdin.Close()
	go func() {
		for range c.answers { // so that nobody waits to be heard
		}
	}()
	select {
	case <-c.ended:
	case <-time.After(grace):
		c.kill()
	}
	c.tidy()
}

func (c *child) tidy() {
	if c.after != nil {
		c.after()
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// A pipe has an end for us and one for the child.
type pipe struct{ ours, theirs *os.File }

func (p pipe) close() {
	_ = p.ours.Close()
	_ = p.theirs.Close()
}

func pipes() (in, out, words pipe, err error) {
	for _, p := range []*pipe{&in, &out, &words} {
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return in, out, words, err
		}
		*p = pipe{ours: r, theirs: w}
	}
	in.ours, in.theirs = in.theirs, in.ours
	return in, out, words, nil
}
