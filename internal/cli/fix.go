package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A fixCall holds the flags of one call of fix.
type fixCall struct {
	wish           fix.Wish
	risk, format   string
	log, probe     string
	kernels        job.Kernels
	dry, yes, part bool
}

func (a *App) fix() *cobra.Command {
	var call fixCall
	cmd := &cobra.Command{
		Use:   "fix [FINDING|CAUSE]...",
		Short: "Apply the cures of doctor: shown before, proved after, taken back exactly",
		Long: `fix takes the cures that doctor shows, one for each finding, and puts them into one
plan: every file with its difference, every command, what needs root, a login or a
restart, and how to take it back by hand. It asks, applies, asks the checks again, and
keeps a journal from which rocsmith undo restores the machine.

A finding is named by its check (gpu/override) or area (miopen), a cause by its id
(miopen-db-readonly). A cause that doctor does not find here gets the cure that explain
shows for it, where rocsmith can apply it. Steps that need root are taken through sudo.

Exit codes: 0 done, 1 something stays wrong, 2 could not judge, 3 refused, 4 a step
failed and all was put back, or the steps of root were not taken, 5 you said no.`,
		Example: `  rocsmith fix --dry-run
  rocsmith fix miopen-db-readonly
  rocsmith fix --log train.log
  rocsmith fix coverage/rocblas --kernels gfx1010.tar.zst --sha256 5f70…
  rocsmith fix --risk safe --yes`,
		RunE: func(_ *cobra.Command, args []string) error {
			call.wish.Only = args
			return a.runFix(call)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&call.dry, "dry-run", false, "show the plan and change nothing")
	f.BoolVar(&call.yes, "yes", false, "do not ask; only sudo may still want a password, where there is a terminal")
	f.StringVar(&call.risk, "risk", string(remedy.Disruptive), "the greatest `RISK` to take: safe or disruptive (a login or restart)")
	f.StringVar(&call.format, "format", "text", "of the plan: text, or with --dry-run json")
	f.StringVar(&call.log, "log", "", "cure what rocsmith explain finds in the log `FILE` of a program that failed here; - is standard input")
	f.StringVar(&call.probe, "probe", "", "cure what a probe of this machine showed: the `FILE` that rocsmith probe --format json wrote")
	f.BoolVar(&call.wish.Pip, "pip", false, "also run the commands of pip and uv that cures of Python packages name")
	f.StringVar(&call.kernels.Path, "kernels", "", "add kernels for this GPU to rocBLAS from `PATH`: a folder, a zip, a .7z or a tarball that somebody built")
	f.StringVar(&call.kernels.Sum, "sha256", "", "the `SUM` that its makers state of the archive of --kernels")
	f.BoolVar(&call.kernels.Trust, "trust", false, "take --kernels without a sum to compare with")
	f.BoolVar(&call.part, "part", false, "take steps from standard input that another rocsmith chose")
	_ = f.MarkHidden("part") // the flag exists: it was made a line above
	return cmd
}

func (a *App) surgeon(ask bool) job.Surgeon {
	return job.Surgeon{
		Host: a.Host, Version: a.Version, Now: a.Now, Getenv: a.Getenv,
		Root: func(input []byte, args ...string) (string, error) { return state.AsRoot(ask, input, a.Stderr, args...) },
	}
}

// terminal reports whether somebody can be asked.
func (a *App) terminal() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

func (a *App) runFix(call fixCall) error {
	call.wish.Risk = remedy.Risk(call.risk)
	if call.wish.Risk != remedy.Safe && call.wish.Risk != remedy.Disruptive {
		return fmt.Errorf("there is no risk %q; choose safe or disruptive", call.risk)
	}
	if call.format != "text" && (call.format != "json" || !call.dry) {
		return fmt.Errorf("there is no format %q here; choose text, or json with --dry-run", call.format)
	}
	if call.part {
		return a.runPart()
	}
	s := a.surgeon(a.terminal())
	if !call.dry {
		if err := a.recovered(s); err != nil {
			return err
		}
	}
	question, done, err := a.fixQuestion(call)
	if err != nil {
		return err
	}
	defer done()
	plan, d, err := s.Plan(question)
	if err == nil {
		err = question.Kernels.Interrupted()
	}
	if err != nil {
		return a.refused(err)
	}
	return a.planned(s, call, plan, d)
}

// planned shows a plan, asks, and applies it.
func (a *App) planned(s job.Surgeon, call fixCall, plan fix.Plan, d report.Diagnosis) error {
	if call.format == "json" {
		if err := report.PlanJSON(a.Stdout, plan); err != nil || len(plan.Steps) > 0 {
			return err
		}
		return exitWithout(call, plan, d)
	}
	if err := report.Plan(a.Stdout, plan, a.style()); err != nil {
		return err
	}
	if err := a.sinceThen(s, d, call.dry); err != nil {
		return err
	}
	switch {
	case len(plan.Steps) == 0:
		return a.nothingToDo(call, plan, d)
	case call.dry:
		return nil
	}
	if err := a.agreed(call.yes, "Apply?"); err != nil {
		return err
	}
	return a.apply(s, plan)
}

// sinceThen says what became of earlier entries: what a restart brought, and which
// files were replaced since.
func (a *App) sinceThen(s job.Surgeon, d report.Diagnosis, dry bool) error {
	read := s.Entries
	if !dry {
		read = func() ([]state.Entry, error) { return s.Restarted(d) }
	}
	before, err := s.Entries()
	if err != nil {
		return err
	}
	entries, err := read()
	if err != nil {
		return err
	}
	for i, e := range entries {
		if dry && e.Open() {
			a.say("! %s was interrupted; the next fix or undo brings it to its end.\n", e.ID)
		}
		if i < len(before) && len(report.AfterRestart(before[i])) == 0 {
			for _, line := range report.AfterRestart(e) {
				a.say("%s: %s.\n", e.ID, line)
			}
		}
		if others := e.Others(); len(others) > 0 {
			a.say("! %s.\n", report.Drift(e, others))
		}
	}
	return nil
}

// nothingToDo says why there is no plan. Where a log was read, it is the log that
// tells whether something is wrong.
func (a *App) nothingToDo(call fixCall, plan fix.Plan, d report.Diagnosis) error {
	if len(plan.Left) == 0 {
		a.sayNothing(call, d)
	}
	return exitWithout(call, plan, d)
}

// sayNothing keeps apart that nothing is wrong, that no cure is known, and that
// nobody could tell.
func (a *App) sayNothing(call fixCall, d report.Diagnosis) {
	if d.NoAMDGPU() {
		a.say("There is no AMD GPU here. Nothing that rocsmith looked at needs a cure.\n")
		return
	}
	unknown, wrong := 0, 0
	var elsewhere []check.Finding
	for _, f := range check.ByWeight(d.Findings) {
		switch {
		case call.log != "" || call.probe != "":
		case !call.wish.Wants(f):
			if f.Verdict == check.Fail {
				elsewhere = append(elsewhere, f)
			}
		case f.Verdict == check.Unknown:
			unknown++
		case f.Verdict.Worse(check.OK):
			wrong++
			a.say("%s\n", report.Harmless(f.Headline()))
		}
	}
	switch {
	case wrong > 0:
		a.say("rocsmith knows no cure for this; rocsmith doctor shows it.\n")
	case unknown > 0:
		a.say("Nothing that could be judged needs a cure, and not everything could be: rocsmith doctor names what.\n")
	case len(elsewhere) > 0:
		a.say("Nothing that was seen of %s needs a cure. Something else is wrong:\n%s (%s)\n",
			report.Harmless(strings.Join(call.wish.Only, ", ")), report.Harmless(elsewhere[0].Headline()), elsewhere[0].Check)
	default:
		a.say("Nothing that rocsmith looked at needs a cure.\n")
	}
}

// exitWithout is how it ends where there is nothing to do.
func exitWithout(call fixCall, plan fix.Plan, d report.Diagnosis) error {
	switch {
	case call.log == "" && call.probe == "":
		return exitFor(d, false)
	case slices.ContainsFunc(plan.Left, failing):
		return exitError{exitFailure}
	}
	return nil
}

func failing(l fix.Left) bool { return l.Finding.Verdict == check.Fail }

// fixQuestion opens what a call names; done closes it.
func (a *App) fixQuestion(call fixCall) (q job.FixQuestion, done func(), err error) {
	q, done = job.FixQuestion{Wish: call.wish}, func() {}
	if call.log != "" && call.probe != "" {
		return q, done, errors.New("choose one of --log and --probe")
	}
	if call.kernels.Path != "" {
		return a.kernelQuestion(call, q)
	}
	if call.kernels.Sum != "" || call.kernels.Trust {
		return q, done, errors.New("--sha256 and --trust are about --kernels")
	}
	if call.probe != "" {
		q.ProbeName = call.probe
		if q.Probe, err = readBounded(call.probe, operation.MaxResults); err != nil {
			return q, done, fmt.Errorf("read the probe: %w", err)
		}
	}
	if call.log == "" {
		return q, done, nil
	}
	if q.Catalogue, err = a.catalogue(""); err != nil {
		return q, done, err
	}
	logs, err := a.openLogs(context.Background(), explainCall{}, []string{call.log})
	for _, l := range logs {
		q.Logs = append(q.Logs, explain.Input{Name: l.name, Reader: l})
	}
	return q, func() {
		for _, l := range logs {
			_ = l.Close()
		}
	}, err
}

// kernelQuestion makes room to unpack an archive in; done takes it away.
func (a *App) kernelQuestion(call fixCall, q job.FixQuestion) (job.FixQuestion, func(), error) {
	if call.log != "" || call.probe != "" {
		return q, func() {}, errors.New("choose one of --kernels, --log and --probe")
	}
	stage, err := state.NewStage()
	if err != nil {
		return q, func() {}, err
	}
	q.Kernels = call.kernels
	q.Kernels.Stage, q.Kernels.Path = stage, absolute([]string{call.kernels.Path}, true)[0]
	ctx, release := untilStopped()
	stage.Stopped = func() bool { return ctx.Err() != nil }
	return q, func() {
		release()
		if err := stage.Remove(); err != nil {
			a.beside(err.Error())
		}
	}, nil
}
