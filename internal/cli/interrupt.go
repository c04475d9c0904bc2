package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
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
	var stopped atomic.Bool
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, stops()...)
	go func() {
		select {
		case <-signals:
			stopped.Store(true)
			_, _ = fmt.Fprintln(word, "rocsmith: stopping; what was done is put back, which may take a moment")
		case <-over:
		}
	}()
	s.Stopped = stopped.Load
	return s, func() {
		signal.Stop(signals)
		close(over)
	}
}
