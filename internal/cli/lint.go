package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A lintCall holds the flags of one call of lint.
type lintCall struct {
	path, machine, format string
	fix, yes, strict      bool
}

func (a *App) lint() *cobra.Command {
	var call lintCall
	cmd := &cobra.Command{
		Use:   "lint [PATH]",
		Short: "Find what keeps a project's containers from the AMD GPU, line by line",
		Long: `lint reads the compose files, Dockerfiles, Python requirements, Kubernetes manifests,
devcontainer.json, podman quadlets, .env files and set-up scripts below a folder, or one
of them, and holds them to rules that are explained in docs/rules.md. What depends on a
machine is judged for this one, or for that of a snapshot. --fix shows what it would
change, asks, and changes nothing but what it showed; rocsmith undo takes it back.

A finding may stay for a reason and a time, said in its line or above it:
  # rocsmith-ignore: compose/group-name until 2027-01-31: the image is replaced in January
or for whole files in .rocsmith-ignore.

Exit codes: 0 fine (warnings allowed), 1 at least one failure (with --strict, or a
warning), 2 a file could not be judged, whatever was found in others; with --fix also
3 refused, 4 failed and put back, 5 you said no.`,
		Example: `  rocsmith lint
  rocsmith lint --for server.snapshot deploy/
  rocsmith lint --fix docker-compose.yml
  rocsmith lint --strict --format sarif > lint.sarif`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			call.path = "."
			if len(args) == 1 {
				call.path = args[0]
			}
			return a.runLint(call)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&call.fix, "fix", false, "mend what can be mended, after showing it")
	f.BoolVar(&call.yes, "yes", false, "with --fix, do not ask")
	f.StringVar(&call.machine, "for", "", "judge for the machine of the snapshot in `FILE` (- for standard input)")
	f.BoolVar(&call.strict, "strict", false, "ask the strict rules too, and exit 1 on warnings")
	f.StringVar(&call.format, "format", "text", strings.Join(lintFormats[:3], ", ")+" or "+lintFormats[3])
	// The flag exists: it was made a line above.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(lintFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

var lintFormats = []string{"text", "json", "sarif", "md"}

func (a *App) runLint(call lintCall) error {
	switch {
	case !slices.Contains(lintFormats, call.format):
		return fmt.Errorf("there is no format %q; choose %s", call.format, strings.Join(lintFormats, ", "))
	case call.yes && !call.fix:
		return errors.New("--yes answers --fix")
	case call.fix && call.format != "text":
		return errors.New("--fix shows its plan as text; leave --format out")
	}
	full := absolute([]string{call.path, "."}, true)
	request := job.LintRequest{Given: call.path, Path: full[0], Folder: full[1], Strict: call.strict}
	if call.machine != "" {
		machine, err := a.openSnapshot(call.machine)
		if err != nil {
			return err
		}
		request.For, request.Machine = machine, call.machine
	}
	linter := job.Linter{Host: a.Host, Version: a.Version, Now: a.Now}
	if call.fix {
		return a.mend(linter, request, call)
	}
	l, err := linter.Lint(request)
	if err != nil {
		return err
	}
	if err := a.showLint(call.format, l); err != nil {
		return err
	}
	return lintExit(l, call.strict)
}

func (a *App) showLint(format string, l report.Lint) error {
	switch format {
	case "json":
		return report.LintJSON(a.Stdout, l)
	case "sarif":
		return report.LintSARIF(a.Stdout, l)
	case "md":
		return report.LintMarkdown(a.Stdout, l)
	}
	return report.LintText(a.Stdout, l, a.style())
}

// lintExit puts what could not be judged before what was found: whoever mends the
// failures and takes the rest for fine would be misled by a 1.
func lintExit(l report.Lint, strict bool) error {
	switch v := l.Verdict(); {
	case l.Unjudged():
		return exitError{exitCannotJudge}
	case v == check.Fail, v == check.Warn && strict:
		return exitError{exitFailure}
	}
	return nil
}

// mend shows the plan, asks, and writes.
func (a *App) mend(linter job.Linter, request job.LintRequest, call lintCall) error {
	s := a.surgeon(false)
	if err := a.recovered(s); err != nil {
		return err
	}
	plan, err := linter.PlanLint(request)
	if err != nil {
		return a.refused(err)
	}
	if len(plan.Plan.Steps) == 0 && len(plan.Mended.Refused)+len(plan.Mended.Taken) == 0 {
		if err := a.showLint("text", plan.Lint); err != nil {
			return err
		}
		a.say("There is nothing to mend.\n")
		return lintExit(plan.Lint, call.strict)
	}
	if err := report.LintPlanText(a.Stdout, plan, a.style()); err != nil {
		return err
	}
	if len(plan.Plan.Steps) == 0 {
		return exitError{exitNotApplicable}
	}
	if err := a.agreed(call.yes, "Apply?"); err != nil {
		return err
	}
	s, release := stoppable(s, a.Stderr)
	defer release()
	entry, after, err := s.ApplyLint(linter, request, plan)
	if err != nil {
		return a.refused(err)
	}
	if err := report.Applied(a.Stdout, entry, plan.Plan, a.style()); err != nil {
		return err
	}
	return lintExit(after, call.strict)
}
