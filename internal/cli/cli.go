// Package cli is the command line: flags, commands, exit codes and printing.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// Exit codes that people and scripts rely on.
const (
	exitFine          = 0 // warnings allowed
	exitFailure       = 1 // at least one failure found
	exitCannotJudge   = 2 // bad usage, unreadable input, an error of our own
	exitNotApplicable = 3 // no AMD GPU here, or refused
	exitRolledBack    = 4 // a cure failed and was taken back
	exitDeclined      = 5 // the user said no
)

// An App is the program with its surroundings, so that a test can run it.
type App struct {
	Version string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Getenv is the environment of the program itself: colours, locale.
	Getenv func(string) string
	// Environ is all of it, for a command that rocsmith runs.
	Environ func() []string
	// Columns is the width of the terminal on Stdout; 0 where it is none.
	Columns int
	Host    host.Reader
	Now     func() time.Time
}

// An exitError carries an exit code other than 2 through cobra.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// Run runs the program and returns its exit code.
func (a *App) Run(args []string) int {
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	var exit exitError
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &exit):
		return exit.code
	default:
		a.beside(err.Error())
		if cmd.Name() == runName { // whose 2 may be that of the command
			return launch.ExitBefore
		}
		return exitCannotJudge
	}
}

// beside says a line on standard error, beside what a pipe reads.
func (a *App) beside(line string) {
	_, _ = fmt.Fprintf(a.Stderr, "rocsmith: %s\n", report.Harmless(line))
}

// flagsHaveValues refuses a flag that was given nothing, as in a script whose variable is empty:
// taken for one that was not given, it would widen what was meant to this machine, or to
// everything that is wrong with it.
func flagsHaveValues(cmd *cobra.Command, _ []string) error {
	for _, name := range []string{
		"catalogue", "compose", "container", "engine", "example", "for", "from", "image", "kernels", "log", "output", "probe", "root", "services", "sha256", "venv",
	} {
		f := cmd.Flags().Lookup(name)
		if f != nil && f.Changed && f.Value.Type() == "string" && f.Value.String() == "" {
			return fmt.Errorf("--%s was given an empty name, so nothing is done", name)
		}
	}
	return nil
}

// noSuchCommand names the commands that look like what was typed.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("there is no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return fmt.Errorf("there is no command %q; %s --help lists them", args[0], cmd.CommandPath())
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noSuchCommand(root, args)
			}
			return cmd.Help()
		},
	}
}

func (a *App) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "rocsmith",
		Short: "Find out why an AMD GPU cannot be used, and what to do about it",
		Long: `rocsmith looks at a machine, names what stands between a program and the AMD GPU
with evidence that you can check by hand, and shows the cure.

It needs no ROCm, no Python, no root and no network. Only fix, lint --fix and cdi change
anything, after they showed what; undo takes it back.`,
		Example: `  rocsmith doctor              judge this machine
  rocsmith demo                see it at work, on a broken machine and on yours
  rocsmith kb gpu "RX 7900"    what is known of a GPU`,
		Version:       a.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noSuchCommand,

		PersistentPreRunE: flagsHaveValues,

		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	// Without this, cobra gives the version the shorthand that people know as
	// "verbose".
	root.Flags().Bool("version", false, "print the version")
	root.SuggestionsMinimumDistance = 2
	root.SetHelpCommand(helpCommand(root))
	root.SetVersionTemplate("rocsmith {{.Version}}\n")
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.AddCommand(
		a.demo(), a.doctor(), a.explain(),
		a.fix(), a.undo(), a.caseFile(),
		a.env(), a.run(), a.passOn(), a.probe(), a.scan(),
		a.lint(), a.cdi(),
		a.snapshot(), a.kb(),
	)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = noSuchCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}
