package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A probeCall holds the flags of one call of probe.
type probeCall struct {
	question   job.ProbeQuestion
	requireGPU bool
	format     string
}

func (a *App) probe() *cobra.Command {
	var call probeCall
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Prove with real work on the GPU that it computes, and computes right",
		Long: `probe copies, compiles, multiplies and convolves on the GPU through ROCm's own libraries,
and compares every result with one from the processor. It needs no Python, compiler or
framework. The work is done by rocsmith-probe in processes that may crash or hang without
harm; a process that does is named, ended and replaced, and the GPU is asked whether it
still answers.

Exit codes: 0 what could be tried passed, 1 something did not, 2 could not judge
(rocsmith-probe is missing or cannot start, or it was interrupted), 3 no GPU or no library
here, which is 1 with --require-gpu.`,
		Example: `  rocsmith probe
  rocsmith probe --op gemm --op 'conv2d/*'
  rocsmith probe --venv .venv                       with the libraries of a torch wheel
  rocsmith probe --format json >probe.json && rocsmith doctor --require conv2d --probe probe.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.runProbe(call) },
	}
	f := cmd.Flags()
	q := &call.question
	f.IntVar(&q.Device, "device", 0, "the number of the GPU, as the runtime counts them")
	f.StringSliceVar(&q.Tasks, "op", nil, "ask only the tasks or operations that match `GLOB`, and what they need (may be repeated)")
	f.DurationVar(&q.Timeout, "timeout", 0, "take a task that is idle so long for hung, in place of its own limit (30s to 60s); one that compiles gets four times as long")
	f.BoolVar(&q.Isolate, "isolate", false, "a process for each task, not for each library")
	f.BoolVar(&call.requireGPU, "require-gpu", false, "exit 1, not 3, where there is no GPU or no library")
	f.StringVar(&q.Environment, "venv", "", "probe the libraries that the Python environment in `DIR` brings along")
	f.StringVar(&q.Container, "container", "", "probe inside of the running container `NAME`")
	f.StringVar(&q.Image, "image", "", "probe in new containers of the image `REF`, which must be here already")
	f.StringVar(&call.format, "format", "text", "text, json, md or junit")
	cmd.MarkFlagsMutuallyExclusive("venv", "container", "image")
	_ = cmd.RegisterFlagCompletionFunc("op", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return operation.IDs(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func (a *App) runProbe(call probeCall) error {
	if formats := []string{"text", "json", "md", "junit"}; !slices.Contains(formats, call.format) {
		return fmt.Errorf("there is no format %q; choose %s", call.format, strings.Join(formats, ", "))
	}
	if call.question.Device < 0 || call.question.Timeout < 0 {
		return errors.New("--device and --timeout cannot be negative")
	}
	// Children are in groups of their own, so that Ctrl-C reaches rocsmith alone,
	// which ends them and waits for that.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	call.question.Getenv = a.Getenv
	var wipe func()
	call.question.Progress, wipe = a.taskProgress()
	if dir := call.question.Environment; dir != "" {
		call.question.Environment = absolute([]string{dir}, true)[0]
	}
	r, err := job.Probe(ctx, a.Host, a.Version, call.question, a.Now)
	wipe()
	if err != nil {
		return err
	}
	if err := a.showProbe(call.format, r); err != nil {
		return err
	}
	return exitForProbe(r.Verdict, call.requireGPU)
}

func exitForProbe(v probe.Verdict, requireGPU bool) error {
	switch v {
	case probe.Passed, probe.Partial:
		return nil
	case probe.NoStart:
		return exitError{exitCannotJudge}
	case probe.NoGPU, probe.NoLibrary:
		if !requireGPU {
			return exitError{exitNotApplicable}
		}
	}
	return exitError{exitFailure}
}

// taskProgress tells a person at a terminal what runs now, on a line that is wiped
// afterwards; others see nothing of it.
func (a *App) taskProgress() (show func(operation.Task), wipe func()) {
	f, ok := a.Stderr.(*os.File)
	if !ok || Columns(f) == 0 {
		return nil, func() {}
	}
	const wiped = "\r\x1b[K"
	start := a.Now()
	show = func(t operation.Task) {
		line := fmt.Sprintf("%4.0f s  %s: %s (%s)", a.Now().Sub(start).Round(time.Second).Seconds(), t.ID, t.Title, t.Library)
		_, _ = fmt.Fprint(f, wiped+strings.Join(report.Wrap(line, Columns(f)-1)[:1], ""))
	}
	return show, func() { _, _ = fmt.Fprint(f, wiped) }
}

func (a *App) showProbe(format string, r probe.Report) error {
	switch format {
	case "json":
		return report.ProbeJSON(a.Stdout, r)
	case "md":
		return report.ProbeMarkdown(a.Stdout, r)
	case "junit":
		return report.ProbeJUnit(a.Stdout, r)
	}
	return report.ProbeText(a.Stdout, r, a.style())
}
