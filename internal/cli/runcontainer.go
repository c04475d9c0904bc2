package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/job"
)

// containerFlags are the flags of run that name a container.
func containerFlags(cmd *cobra.Command, c *job.Service) {
	f := cmd.Flags()
	f.StringVar(&c.Service, "compose", "", "run in a new container of `SERVICE` of the compose project here, with what it lacks for the GPU")
	f.StringVar(&c.Image, "image", "", "run in a new container of the image `REF`")
	f.StringVar(&c.Engine, "engine", "", "the container engine: docker or podman (default: the one that answers and has the image)")
	f.StringArrayVar(&c.Mounts, "mount", nil, "give the container `SOURCE[:TARGET][:ro]` besides the working folder and the paths of the command (may be repeated)")
	f.StringArrayVar(&c.Given, "env", nil, "give the container the variable `NAME[=VALUE]`; without a value, the one that is set here (may be repeated)")
	f.BoolVar(&c.Shown, "print", false, "print the command that would start the container of --image, and start nothing")
	cmd.MarkFlagsMutuallyExclusive("print", "compose")
	cmd.MarkFlagsMutuallyExclusive("venv", "image", "compose")
}

// placeNamed refuses flags of a container where none is named.
func placeNamed(cmd *cobra.Command) error {
	f := cmd.Flags()
	for _, name := range []string{"mount", "env", "engine"} {
		if f.Changed(name) && !f.Changed("image") && !f.Changed("compose") {
			return fmt.Errorf("--%s is for a container: name one with --image or --compose", name)
		}
	}
	return nil
}

// showContainer prints what would be started.
func (a *App) showContainer(call runCall) error {
	q := call.question
	if call.container.Image == "" || len(q.Argv) == 0 {
		return a.beforeStart(errors.New("--print needs --image and a command"))
	}
	var err error
	if q.Streams, err = a.streams(); err != nil {
		return a.beforeStart(err)
	}
	q.Environ, q.Say = a.Environ(), a.beside
	line, err := job.Runner{Host: a.Host, Version: a.Version, Now: a.Now}.Show(q, call.container.Container)
	if err != nil {
		return a.beforeStart(err)
	}
	_, err = fmt.Fprintln(a.Stdout, line)
	return err
}
