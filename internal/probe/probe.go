// Package probe asks rocsmith-probe for real work on a GPU, in child processes that may crash or hang, and judges what comes back or does not.
package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// A Request is what to ask, and of whom.
type Request struct {
	Start   func() (Launch, error) // says how to start a child; called for each
	Tasks   []operation.Task       // in order; what a task needs stands before it
	Device  int
	Isolate bool          // a child for each task
	Timeout time.Duration // in place of the limits of the tasks; 0 leaves those

	Reader   host.Reader          // of this machine, to see whether a child is busy
	Caches   []string             // folders that grow while kernels are compiled
	Progress func(operation.Task) // told what runs now; may be nil
}

// An Outcome is what came of one task.
type Outcome struct {
	Task   operation.Task
	Answer operation.Answer
	Words  string // what the child wrote to standard error during the task, shortened
	Noise  string // what it wrote to standard output that is no answer
	// Health is asked after a crash, a fault or a hang; nil where nobody asked.
	Health *Health
	// Weight is what it counts; Judge sets it. Skipped: it does not apply here.
	Weight check.Verdict
}

// Health says whether the GPU still answers a fresh process.
type Health struct {
	Answers bool
	Why     string // where it does not
}

// Healthy are the tasks that show that a GPU answers.
var healthy = []string{"init", "copy"}

// Run asks the tasks one after the other. It always returns an outcome for each
// task; an error means that it was interrupted, and then there are fewer.
func Run(ctx context.Context, r Request) ([]Outcome, error) {
	s := &session{Request: r, children: map[string]*child{}}
	defer s.stopAll()
	for i, t := range r.Tasks {
		o := s.outcome(ctx, t)
		if ctx.Err() != nil {
			return s.done, fmt.Errorf("interrupted after %d of %d tasks", len(s.done), len(r.Tasks))
		}
		if struck(o.Answer.Verdict) {
			s.stop(t.Library) // a fault sticks to its process: what comes next would be blamed for it
			o.Health = s.health(ctx)
		}
		s.done = append(s.done, o)
		if r.Isolate || !slices.ContainsFunc(r.Tasks[i+1:], func(n operation.Task) bool { return n.Library == t.Library }) {
			s.stop(t.Library)
		}
	}
	return s.done, nil
}

// A session is one run with its living children, one for each library.
type session struct {
	Request
	children map[string]*child
	done     []Outcome
}

// struck reports an end after which nobody knows how the GPU is.
func struck(v operation.Verdict) bool {
	return v == operation.Crash || v == operation.GPUFault || v == operation.Hang
}

func (s *session) outcome(ctx context.Context, t operation.Task) Outcome {
	if why := s.hindered(t); why != "" {
		return Outcome{Task: t, Answer: operation.Answer{Task: t.ID, Verdict: operation.Skipped, Why: why}}
	}
	if s.Progress != nil {
		s.Progress(t)
	}
	return s.ask(ctx, t)
}

// hindered says why a task would say nothing.
func (s *session) hindered(t operation.Task) string {
	for _, o := range s.done {
		v := o.Answer.Verdict
		switch {
		case o.Health != nil && !o.Health.Answers:
			return "the GPU does not answer any more, since " + o.Task.ID
		case v == operation.CannotStart:
			return "the probe cannot start"
		case v != operation.Pass && slices.Contains(t.Needs, o.Task.ID):
			return fmt.Sprintf("it needs %s, which did not pass (%s)", o.Task.ID, root(o))
		}
	}
	return ""
}

// root is the verdict to blame: of a task that was skipped in its turn, what
// it said of the first one.
func root(o Outcome) string {
	if o.Answer.Verdict != operation.Skipped {
		return string(o.Answer.Verdict)
	}
	if i := strings.LastIndex(o.Answer.Why, "("); i >= 0 {
		return strings.TrimSuffix(o.Answer.Why[i+1:], ")")
	}
	return string(operation.Skipped)
}

// ask puts one question to the child of the library, and replaces a child that
// is dead afterwards.
func (s *session) ask(ctx context.Context, t operation.Task) Outcome {
	c := s.children[t.Library]
	if c == nil {
		var err error
		if c, err = s.start(); err != nil {
			return Outcome{Task: t, Answer: operation.Answer{Task: t.ID, Verdict: operation.CannotStart, Why: err.Error()}}
		}
		s.children[t.Library] = c
	}
	o := c.ask(ctx, t, s.Device, s.patience(t, c.watched))
	if c.gone() {
		s.stop(t.Library)
	}
	return o
}

func (s *session) start() (*child, error) {
	l, err := s.Start()
	if err != nil {
		return nil, err
	}
	return start(l, s.Reader, s.Caches)
}

// slowest is how many times its limit a task gets while it is seen to compile.
const slowest = 4

func (s *session) patience(t operation.Task, watched bool) *patience {
	limit := t.Limit
	if s.Timeout > 0 {
		limit = s.Timeout
	}
	return &patience{limit: limit, most: slowest * limit, watched: watched}
}

// health asks a fresh process whether the GPU still does what it did before.
// Where that never worked there is nothing to compare.
func (s *session) health(ctx context.Context) *Health {
	var tasks []operation.Task
	for _, o := range s.done {
		if slices.Contains(healthy, o.Task.ID) && o.Answer.Verdict == operation.Pass {
			tasks = append(tasks, o.Task)
		}
	}
	if len(tasks) < len(healthy) {
		return nil
	}
	c, err := s.start()
	if err != nil {
		return &Health{Why: err.Error()}
	}
	defer c.stop()
	for _, t := range tasks {
		o := c.ask(ctx, t, s.Device, s.patience(t, c.watched))
		if o.Answer.Verdict != operation.Pass {
			return &Health{Why: fmt.Sprintf("%s: %s", o.Answer.Verdict, o.Answer.Why)}
		}
	}
	return &Health{Answers: true}
}

func (s *session) stop(library string) {
	if c := s.children[library]; c != nil {
		c.stop()
		delete(s.children, library)
	}
}

func (s *session) stopAll() {
	for library := range s.children {
		s.stop(library)
	}
}
