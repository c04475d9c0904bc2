package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// agreed asks, and takes nothing but a yes for one.
func (a *App) agreed(yes bool, question string) error {
	if yes {
		return nil
	}
	if !a.terminal() {
		_, _ = fmt.Fprintln(a.Stderr, "rocsmith: nobody can be asked here; nothing was changed. --yes says yes beforehand")
		return exitError{exitNotApplicable}
	}
	answer, err := a.answer(question + " [y/N] ")
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	a.say("Nothing was changed.\n")
	return exitError{exitDeclined}
}

// answer asks, and reads a line. An interrupt is none, and neither is the end of the
// input.
func (a *App) answer(question string) (string, error) {
	ctx, release := untilStopped() // before anybody can answer with it
	defer release()
	a.say("%s", question)
	type said struct {
		line string
		err  error
	}
	read := make(chan said, 1)
	go func() {
		line, err := bufio.NewReader(a.Stdin).ReadString('\n')
		read <- said{line, err}
	}()
	select {
	case <-ctx.Done():
		a.say("\n")
		return "", nil
	case s := <-read:
		if s.err != nil && !errors.Is(s.err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", s.err)
		}
		return s.line, nil
	}
}

// recovered brings to its end what an earlier run left, and says so.
func (a *App) recovered(s job.Surgeon) error {
	entries, err := s.Recover()
	for _, e := range entries {
		a.beside(fmt.Sprintf("%s was interrupted; it is %s now", e.ID, report.Ended(e.Status)))
		if e.Status != state.Kept {
			continue
		}
		for _, step := range e.Steps {
			if step.Status == state.Kept {
				a.beside(fmt.Sprintf("%s was left as it is: %s", step.Name(), step.Note))
			}
		}
		a.beside(fmt.Sprintf("rocsmith undo %s tries again", e.ID))
	}
	return a.refused(err)
}

// refused gives the errors of the journal their exit codes.
func (a *App) refused(err error) error {
	var rolled *state.RollbackError
	var unknown *job.UnknownSumError
	switch {
	case errors.Is(err, state.ErrUnbegun):
		a.say("\nNothing was changed.\n")
		return exitError{exitDeclined}
	case errors.Is(err, state.ErrInterrupted) && errors.As(err, &rolled):
		a.beside(fmt.Sprintf("%v; everything was put back", state.ErrInterrupted))
		return exitError{exitDeclined}
	case errors.Is(err, state.ErrBusy), errors.Is(err, state.ErrUnsupported), errors.Is(err, job.ErrElsewhere), errors.As(err, &unknown):
		a.beside(err.Error())
		return exitError{exitNotApplicable}
	case errors.Is(err, state.ErrStopped):
		a.beside(err.Error())
		return exitError{exitDeclined}
	case errors.As(err, &rolled), errors.Is(err, state.ErrNoRoot):
		a.beside(err.Error())
		return exitError{exitRolledBack}
	}
	return err
}

func (a *App) apply(s job.Surgeon, plan fix.Plan) error {
	s, release := stoppable(s, a.Stderr)
	defer release()
	out, err := s.Apply(plan)
	if err != nil {
		if errors.Is(err, state.ErrNoRoot) {
			a.rest(out)
		}
		return a.refused(err)
	}
	if len(out.Rest) > 0 {
		plan = plan.WithoutRoot()
	}
	if err := report.Applied(a.Stdout, out.Entry, plan, a.style()); err != nil {
		return err
	}
	if len(out.Rest) > 0 {
		a.rest(out)
		return exitError{exitRolledBack}
	}
	unproved := func(p state.Proof) bool { return p.Waits == "" && check.Verdict(p.After) != check.OK }
	if slices.ContainsFunc(out.Entry.Proofs, unproved) || slices.ContainsFunc(out.Entry.Trials, state.Trial.Failed) || slices.ContainsFunc(plan.Left, failing) {
		return exitError{exitFailure}
	}
	return nil
}

// rest lists what root has to do, to be pasted.
func (a *App) rest(out job.Outcome) {
	a.say("\nNot done, because it needs root:\n")
	for _, s := range out.Rest {
		a.say("  %s\n", s.Title)
	}
	if a.terminal() {
		a.say("sudo did not let you; root can take them by hand as the plan shows.\n")
		return
	}
	a.say("In a terminal rocsmith fix asks for your password through sudo.\n")
}

// runPart is the rocsmith that another one started as root.
func (a *App) runPart() error {
	a.say("%s", state.Began)
	input, err := io.ReadAll(io.LimitReader(a.Stdin, job.MaxPart+1))
	if err != nil || len(input) > job.MaxPart {
		return errors.Join(errors.New("the steps could not be read"), err)
	}
	s, release := stoppable(a.surgeon(false), io.Discard) // the other one says it
	defer release()
	_, err = s.ApplyPart(input)
	if errors.Is(err, state.ErrInterrupted) {
		return exitError{exitDeclined}
	}
	return a.refused(err)
}
