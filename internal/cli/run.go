package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A runCall holds the flags of one call of run.
type runCall struct {
	question  job.RunQuestion
	container job.Service
	venv      string
	retry     bool
}

const runName = "run"

func (a *App) run() *cobra.Command {
	var call runCall
	cmd := &cobra.Command{
		Use:   runName + " [flags] -- COMMAND [ARGUMENT]...",
		Short: "Run a command with what the GPU needs, and explain its death",
		Long: `run looks at the machine as doctor does, gives the command the variables that env prints,
and stays out of its way: input, output, terminal, signals and exit code are the command's
own. Where the command fails, what it wrote last, the kernel log since its start and the
machine are held together as explain --here does; the cause, the lines it rests on and the
cure are printed after its output, and the case is kept.

Exit codes: the command's own; 125 rocsmith stopped before the start, 126 the command cannot
be executed, 127 it was not found, 128 and its number where a signal ended it.`,
		Example: `  rocsmith run -- python train.py
  rocsmith run --venv .venv -- python train.py
  rocsmith run --require-gpu -- ./llama-server -m model.gguf
  rocsmith run --trace -- python train.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := placeNamed(cmd); err != nil {
				return err
			}
			call.question.Argv = args
			return a.runRun(call)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command is the command's
	q := &call.question
	f.StringVar(&call.venv, "venv", "", "run in the Python environment in `DIR`")
	f.BoolVar(&q.RequireGPU, "require-gpu", false, "do not start where a check fails, or there is no GPU")
	f.BoolVar(&q.Trace, "trace", false, "let HIP, rocBLAS, hipBLASLt and MIOpen write down what they do, and explain that too")
	f.BoolVar(&call.retry, "retry-with-fix", false, "where it fails, apply one safe cure of the cause, once, and run it again")
	f.BoolVarP(&q.Verbose, "verbose", "v", false, "say each variable that the command is given, and why")
	containerFlags(cmd, &call.container)
	return cmd
}

func (a *App) runRun(call runCall) error {
	defer a.outliveReaders()()
	if call.container.Shown {
		return a.showContainer(call)
	}
	input := a.inputNow()
	r, err := a.runOnce(&call)
	if err != nil {
		return a.beforeStart(err)
	}
	if call.retry && r.End.Code != 0 && !r.End.Interrupted {
		if r, err = a.runAgain(call, r, input); err != nil {
			return a.beforeStart(err)
		}
	}
	if r.End.Code != 0 {
		return exitError{r.End.Code}
	}
	return nil
}

// outliveReaders lets rocsmith live on where nobody reads what it says itself: Go ends
// a program that writes to a standard error which nobody reads, and the command would
// not be started, or its exit code be lost. The command is not touched by it: a signal
// that is caught, and not ignored, has its default meaning there.
//
// Services of systemd ignore the signal from their start (IgnoreSIGPIPE= in
// systemd.exec(5)), which Go takes back; it is ignored again, so that a service does not
// die of a client that goes.
func (a *App) outliveReaders() (stop func()) {
	if a.Getenv("SYSTEMD_EXEC_PID") == strconv.Itoa(os.Getpid()) {
		signal.Ignore(syscall.SIGPIPE)
		return func() { signal.Reset(syscall.SIGPIPE) }
	}
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}

// runOnce runs the command, and prints why it failed where it did.
func (a *App) runOnce(call *runCall) (report.Run, error) {
	q := &call.question
	if len(q.Argv) == 0 {
		return report.Run{}, errors.New("no command was named: rocsmith run -- COMMAND")
	}
	var err error
	if q.Streams, err = a.streams(); err != nil {
		return report.Run{}, err
	}
	switch {
	case call.container.Image != "":
		q.Place = call.container.Container
	case call.container.Service != "":
		q.Place = call.container
	case call.venv != "":
		if q.Place, err = job.InEnvironment(a.Host, absolute([]string{call.venv}, true)[0]); err != nil {
			return report.Run{}, err
		}
	}
	q.Environ, q.Say = a.Environ(), a.beside
	q.Catalogue = func() (cause.Catalogue, error) { return a.catalogue("") }
	r, err := job.Runner{Host: a.Host, Version: a.Version, Now: a.Now}.Run(*q)
	if err == nil {
		// Where it cannot be written there is nobody to tell, and the exit code is still
		// the command's.
		_ = report.RunText(a.Stderr, r, a.styleOf(q.Streams.Stderr))
	}
	return r, err
}

// runAgain applies a cure and runs the command once more. What cannot be cured
// leaves the first end as it is.
func (a *App) runAgain(call runCall, r report.Run, input place) (report.Run, error) {
	if !input.again {
		a.beside("it is not run again: its input was a pipe, and cannot be read twice")
		return r, nil
	}
	m, why := a.surgeon(false).MendFor(r)
	if why != nil {
		a.beside("it is not run again: " + why.Error())
		return r, nil //nolint:nilerr // that nothing could be cured is told, and the first end stands
	}
	done := fmt.Sprintf("%s: done (rocsmith undo %s takes it back); the command is ", m.Title, m.Undo)
	if err := input.restore(); err != nil {
		a.beside(done + "not run again: " + err.Error())
		return r, nil //nolint:nilerr // the first end stands
	}
	a.beside(done + "run again")
	call.question.Given = m.Given
	return a.runOnce(&call)
}

// A place is where the input stands before a command reads from it.
type place struct {
	file  *os.File // nil where it is a terminal, which has no places
	at    int64
	again bool // it can be read from there once more
}

func (a *App) inputNow() place {
	f, ok := a.Stdin.(*os.File)
	if !ok {
		return place{}
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		return place{}
	case st.Mode().IsRegular():
		at, err := f.Seek(0, io.SeekCurrent)
		return place{file: f, at: at, again: err == nil}
	}
	return place{again: st.Mode()&os.ModeCharDevice != 0}
}

// restore puts the input back. A shell whose loop reads the same file goes on from
// where the command leaves it, so that nothing else may move it.
func (p place) restore() error {
	if p.file == nil {
		return nil
	}
	if _, err := p.file.Seek(p.at, io.SeekStart); err != nil {
		return fmt.Errorf("put its input back: %w", err)
	}
	return nil
}

// beforeStart gives what stopped a command before its start its exit code.
func (a *App) beforeStart(err error) error {
	a.beside(err.Error())
	var start *launch.StartError
	if errors.As(err, &start) {
		return exitError{start.Code}
	}
	return exitError{launch.ExitBefore}
}

// streams are rocsmith's own, which the command is given.
func (a *App) streams() (launch.Streams, error) {
	in, isFile := a.Stdin.(*os.File)
	out, alsoFile := a.Stdout.(*os.File)
	errs, too := a.Stderr.(*os.File)
	if !isFile || !alsoFile || !too {
		return launch.Streams{}, errors.New("the streams of rocsmith cannot be handed on")
	}
	return launch.Streams{Stdin: in, Stdout: out, Stderr: errs, PassOn: []string{"/proc/self/exe", "pass-on"}}, nil
}

// passOn is what run leaves behind for a process that its command left behind.
func (a *App) passOn() *cobra.Command {
	return &cobra.Command{
		Use: "pass-on", Short: "Copy standard input to standard output", Hidden: true,
		Run: func(_ *cobra.Command, args []string) { launch.PassOn(args, a.Stdin, a.Stdout) },
	}
}

// styleOf is for a stream other than standard output.
func (a *App) styleOf(f *os.File) report.Style {
	other := *a
	other.Columns = Columns(f)
	return other.style()
}
