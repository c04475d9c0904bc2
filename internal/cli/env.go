package cli

import (
	"path"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

func (a *App) env() *cobra.Command {
	var shell, from string
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the variables that this machine needs for the GPU, each with the reason",
		Long: `env judges the machine as doctor does, and prints those cures that are variables: what has
to be set, and what must not be. Where nothing is needed it says so in a comment. What you
chose yourself stays, unless it leaves no GPU; a comment says what doctor would change.

docker is a file for docker run --env-file, and systemd a drop-in for a service; both name
the nodes and groups that no variable can give.

Exit codes: 0, or 2 where the machine could not be judged.`,
		Example: `  eval "$(rocsmith env)"
  rocsmith env --shell fish | source
  rocsmith env --shell powershell | Out-String | Invoke-Expression
  rocsmith env --shell cmd >gpu.cmd && call gpu.cmd
  rocsmith env --from machine.snapshot --shell json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.runEnv(report.Shell(shell), from) },
	}
	f := cmd.Flags()
	f.StringVar(&shell, "shell", "", "the `LANGUAGE`: bash, zsh, fish, powershell, cmd, dotenv, json, docker or systemd (default: that of your shell)")
	f.StringVar(&from, "from", "", "for the machine in the snapshot `FILE` (- for standard input)")
	_ = cmd.RegisterFlagCompletionFunc("shell", cobra.FixedCompletions(report.Shells(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *App) runEnv(shell report.Shell, from string) error {
	machine, err := a.examined(doctorCall{from: from})
	if err != nil {
		return err
	}
	e, err := job.Environment(machine, a.Version, a.Now)
	if err != nil {
		return err
	}
	if shell == "" {
		shell = usualShell(e.System, a.Getenv("SHELL"))
	}
	return report.WriteEnvironment(a.Stdout, e, shell)
}

// usualShell is that of the machine, else that of the person.
func usualShell(system, login string) report.Shell {
	switch {
	case system == "windows":
		return report.PowerShell
	case path.Base(login) == "fish":
		return report.Fish
	}
	return report.Bash
}
