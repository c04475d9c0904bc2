package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

// An explainCall holds the flags of one call of explain.
type explainCall struct {
	gpus, env []string
	format    string
	top       int
}

func (a *App) explain() *cobra.Command {
	var call explainCall
	cmd := &cobra.Command{
		Use:   "explain [FILE…]",
		Short: "Read a log and say what went wrong, and what to do",
		RunE:  func(cmd *cobra.Command, args []string) error { return a.runExplain(cmd.Context(), call, args) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&call.gpus, "gpu", nil, "the GPU of the log is `GFX`")
	f.StringArrayVar(&call.env, "env", nil, "the program had the variable `NAME=VALUE`")
	f.IntVar(&call.top, "top", 3, "show at most `N` causes")
	f.StringVar(&call.format, "format", "text", "text, json or md")
	return cmd
}

func (a *App) runExplain(ctx context.Context, call explainCall, names []string) error {
	if ctx == nil {
		ctx = context.Background()
	}
	c, err := cause.Embedded()
	if err != nil {
		return err
	}
	q := job.ExplainRequest{Catalogue: c, Surroundings: explain.Surroundings{GPUs: call.gpus, Env: map[string]string{}}}
	for _, pair := range call.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--env takes NAME=VALUE, not %q", pair)
		}
		q.Surroundings.Env[name] = value
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		if name == "-" {
			q.Inputs = append(q.Inputs, explain.Input{Name: "standard input", Reader: a.Stdin})
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		q.Inputs = append(q.Inputs, explain.Input{Name: name, Reader: f})
	}
	_, e, err := job.Explain(ctx, q)
	if err != nil {
		return err
	}
	if call.format != "json" {
		return errors.New("text is not written yet")
	}
	if err := report.ExplainJSON(a.Stdout, e); err != nil {
		return err
	}
	switch e.Verdict {
	case explain.Failure:
		return exitError{exitFailure}
	case explain.Unknown:
		return exitError{exitCannotJudge}
	}
	return nil
}
