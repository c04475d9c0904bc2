package cli

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/example"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
)

func (a *App) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See rocsmith at work on a broken machine, then on this one",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.runDemo()
			return nil
		},
	}
}

// runDemo never fails: it shows, it does not judge.
func (a *App) runDemo() {
	const broken = "whisper-container"
	a.say("A broken machine. %s\n$ rocsmith doctor --example %s\n\n", example.Story(broken), broken)
	if r, err := example.Open(broken); err == nil {
		a.show(r)
	}
	a.say("\nMore of them: rocsmith doctor --example NAME, where NAME is one of\n")
	for _, name := range example.Names() {
		a.say("  %-18s %s\n", name, example.Story(name))
	}
	a.say("\nA log of a training run that ended in an error.\n$ rocsmith explain training.log\n\n")
	a.showLog("training.log", example.Log)
	a.say("\nA file of GPU code: on which GPUs does it run? The same is asked of programs, wheels and whole environments (rocsmith scan .venv).\n" +
		"$ rocsmith scan --gpu gfx1100 --gpu gfx1151 kernels.hsaco\n\n")
	a.showScanned()
	a.say("\nNow this machine.\n$ rocsmith doctor\n\n")
	a.show(a.Host)
}

func (a *App) show(r host.Reader) {
	d, err := job.Diagnose(r, a.Version, job.Question{}, a.Now)
	if err == nil {
		err = report.Text(a.Stdout, d, a.style())
	}
	if err != nil {
		a.say("rocsmith: %v\n", err)
	}
}

func (a *App) showLog(name, text string) {
	c, err := cause.Embedded()
	if err == nil {
		q := job.ExplainRequest{Catalogue: c, Inputs: []explain.Input{{Name: name, Reader: strings.NewReader(text)}}, Top: 1}
		var log explain.Log
		var e explain.Explanation
		if log, e, err = job.Explain(context.Background(), q, a.Version, a.Now); err == nil {
			err = report.ExplainText(a.Stdout, log, e, a.style())
		}
	}
	if err != nil {
		a.say("rocsmith: %v\n", err)
	}
}

func (a *App) showScanned() {
	const file = "kernels.hsaco"
	files, err := fs.Sub(example.Code, "code")
	if err == nil {
		r := scan.Files(files, []string{file}, scan.Request{GPUs: []rocm.TargetID{{Processor: "gfx1100"}, {Processor: "gfx1151"}}})
		err = report.ScanText(a.Stdout, file, r, a.style())
	}
	if err != nil {
		a.say("rocsmith: %v\n", err)
	}
}

func (a *App) say(format string, args ...any) { _, _ = fmt.Fprintf(a.Stdout, format, args...) }
