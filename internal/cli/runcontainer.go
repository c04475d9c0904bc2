package cli

import (
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
	cmd.MarkFlagsMutuallyExclusive("venv", "image", "compose")
}
