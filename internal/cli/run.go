package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/launch"
)

// A runCall holds the flags of one call of run.
type runCall struct {
	question  job.RunQuestion
	container job.Container
}

func (a *App) run() *cobra.Command {
	var call runCall
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command with what the GPU needs, and explain its death",
		RunE: func(_ *cobra.Command, args []string) error {
			call.question.Argv = args
			return a.runRun(call)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command is the command's
	f.StringVar(&call.container.Image, "image", "", "run it in a new container of the image `REF`")
	f.StringVar(&call.container.Engine, "engine", "", "the container engine: docker or podman (default: the one that answers and has the image)")
	f.StringArrayVar(&call.container.Mounts, "mount", nil, "give the container `SOURCE[:TARGET][:ro]` besides the working folder and the paths of the command (may be repeated)")
	f.BoolVar(&call.question.RequireGPU, "require-gpu", false, "do not start where a check of the GPU fails")
	return cmd
}

func (a *App) runRun(call runCall) error {
	streams, err := a.streams()
	if err != nil {
		return a.beforeStart(err)
	}
	call.question.Streams = streams
	call.question.Environ = a.Environ()
	if call.container.Image != "" {
		call.question.Place = call.container
	}
	r, err := job.Run(a.Host, a.Version, call.question, a.Now)
	if err != nil {
		return a.beforeStart(err)
	}
	if r.End.Code != 0 {
		return exitError{r.End.Code}
	}
	return nil
}

// beforeStart gives what stopped a command before its start its exit code.
func (a *App) beforeStart(err error) error {
	_, _ = fmt.Fprintf(a.Stderr, "rocsmith: %v\n", err)
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
	return launch.Streams{Stdin: in, Stdout: out, Stderr: errs}, nil
}
