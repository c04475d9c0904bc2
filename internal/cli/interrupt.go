package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/rocsmith/rocsmith/internal/job"
)

// stops are Ctrl-C, a shutdown and a terminal that is closed, but for those that
// this process was told to ignore, as nohup does.
func stops() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// untilStopped ends with the first of them. Until it is released none ends the
// process.
func untilStopped() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), stops()...)
}

// stoppable lets a surgeon put back what it did when somebody wants it to end, in
// place of leaving that to the next run. Word is where that is said.
func stoppable(s job.Surgeon, word io.Writer) (job.Surgeon, func()) {
	w := newWish()
	over := make(chan struct{})
	go func() {
		select {
		case <-w.heard:
			_, _ = fmt.Fprintln(word, "rocsmith: stopping; what was done is put back, which may take a moment")
		case <-over:
		}
	}()
	s.Stopped = w.came
	return s, func() {
		w.end()
		close(over)
	}
}

// A wish is that of somebody for rocsmith to end.
type wish struct {
	kept  chan os.Signal // holds the first signal, and nobody takes it out
	heard chan os.Signal // has it for the one who waits
}

func newWish() wish {
	w := wish{make(chan os.Signal, 1), make(chan os.Signal, 1)}
	signal.Notify(w.kept, stops()...)
	signal.Notify(w.heard, stops()...)
	return w
}

// came reports whether there is one. A command that Ctrl-C ended as well may be known
// to have ended before the signal is in any channel; to stop listening, with whichever
// channel, waits until those are in theirs that have come.
func (w wish) came() bool {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM) // which is listened to anyway
	signal.Stop(c)
	return len(w.kept) > 0
}

func (w wish) end() {
	signal.Stop(w.kept)
	signal.Stop(w.heard)
}
