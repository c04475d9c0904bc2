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
	"github.com/rocsmith/rocsmith/internal/state"
)

type undoCall struct {
	id, belongs     string
	last, list, yes bool
}

func (a *App) undo() *cobra.Command {
	var call undoCall
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "Take back what fix did, to the last byte",
		Long: `undo brings back what fix changed: content, rights, owner, times and access lists of
files, and that there was none. What somebody changed since is not overwritten; it is
shown with what rocsmith had made of it.

Exit codes: 0 undone, 1 something was left because somebody changed it since, 2 could
not, 3 refused, 4 the part of root was not undone, 5 you said no.`,
		Example: `  rocsmith undo --list
  rocsmith undo 2026-11-15-1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				call.id = args[0]
			}
			return a.runUndo(call)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&call.last, "last", false, "take back the last one that stands")
	f.BoolVar(&call.list, "list", false, "list what was done and stop")
	f.BoolVar(&call.yes, "yes", false, "do not ask")
	f.StringVar(&call.belongs, "for", "", "take back what was done for the entry `UID/ID` of somebody's journal")
	_ = f.MarkHidden("for") // the flag exists: it was made a line above
	return cmd
}

func (a *App) runUndo(call undoCall) error {
	s := a.surgeon(a.terminal())
	if call.belongs != "" {
		return a.undoFor(s, call.belongs)
	}
	if !call.list {
		if err := a.recovered(s); err != nil {
			return err
		}
	}
	entries, err := s.Entries()
	if err != nil {
		return err
	}
	if call.list {
		if err := report.Entries(a.Stdout, entries, a.style()); err != nil || len(entries) > 0 {
			return err
		}
		a.say("%s", a.ofRoot())
		return nil
	}
	e, err := call.choose(entries)
	if errors.Is(err, errNothing) {
		a.say("%s", a.ofRoot())
	}
	if err != nil {
		return err
	}
	steps := make([]string, 0, len(e.Steps)+1)
	for _, step := range e.Steps {
		steps = append(steps, undoing(step))
	}
	if e.RootPart {
		steps = append(steps, ofRootPart(e))
	}
	if err := report.Undoing(a.Stdout, e, steps, a.style()); err != nil {
		return err
	}
	if err := a.agreed(call.yes, "Undo?"); err != nil {
		return err
	}
	return a.takeBack(s, e.ID)
}

// ofRootPart says what undo takes back through sudo. Entries of older versions do not
// name it.
func ofRootPart(e state.Entry) string {
	if len(e.RootSteps) == 0 {
		return "and what was done as root, through sudo"
	}
	return "through sudo, take back what was done as root: " + strings.Join(e.RootSteps, "; ")
}

// undoFor is the rocsmith of root that another one started.
func (a *App) undoFor(s job.Surgeon, name string) error {
	a.say("%s", state.Began)
	_, release := untilStopped()
	defer release()
	kept, err := s.UndoFor(name)
	for _, c := range kept {
		a.beside(c.Error())
	}
	if err == nil && len(kept) > 0 {
		return exitError{state.ExitKept}
	}
	return a.refused(err)
}

// choose finds the entry that is meant.
func (c undoCall) choose(entries []state.Entry) (state.Entry, error) {
	switch {
	case c.id != "" && c.last:
		return state.Entry{}, errors.New("choose an id or --last")
	case c.id != "":
		i := slices.IndexFunc(entries, func(e state.Entry) bool { return e.ID == c.id })
		if i < 0 {
			return state.Entry{}, fmt.Errorf("there is no entry %q; rocsmith undo --list names them", c.id)
		}
		if e := entries[i]; !e.Standing() {
			return e, fmt.Errorf("there is nothing to undo: %s is %s already", e.ID, e.Status)
		}
		return entries[i], nil
	case !c.last:
		return state.Entry{}, errors.New("say which: an id, or --last; rocsmith undo --list names them")
	}
	for _, e := range slices.Backward(entries) {
		if e.Standing() {
			return e, nil
		}
	}
	return state.Entry{}, errNothing
}

var errNothing = errors.New("there is nothing to undo")

// ofRoot says where else to look: what was done with sudo is not in the journal of
// the one who called it.
func (a *App) ofRoot() string {
	if p, err := a.Host.Process(); err != nil || p.EUID == 0 {
		return ""
	}
	return "What was done with sudo is in the journal of root: sudo rocsmith undo --list\n"
}

func undoing(s state.Step) string {
	switch {
	case s.Kind == state.Move:
		return "rename " + s.To + " back"
	case s.Kind == state.Copy:
		return "remove " + s.Path
	case s.Kind == state.Install:
		return "install the versions again in " + s.Path + " that were there before (their index must be reachable)"
	case s.Kind == state.Own:
		return fmt.Sprintf("give %s and what is in it back to the owners before (%d files and folders)", s.Path, len(s.Owners))
	case s.Kind == state.MakeDir:
		return "remove the folder " + s.Path + ", if it is empty"
	case s.Kind == state.Write && s.Before.Absent:
		return "remove " + s.Path
	case s.Kind == state.Write:
		return "bring back " + s.Path
	case s.Refresh:
		return "run again " + strings.Join(s.Argv, " ")
	case len(s.Back) == 0:
		return "leave what was done by " + strings.Join(s.Argv, " ") + ", which needs no way back"
	}
	return "run " + strings.Join(s.Back, " ")
}

func (a *App) takeBack(s job.Surgeon, id string) error {
	_, release := untilStopped() // what is half undone is in nobody's interest
	defer release()
	e, conflicts, err := s.Undo(id)
	if err != nil {
		return a.refused(err)
	}
	if len(conflicts) > 0 {
		if err := report.Conflicts(a.Stdout, e, conflicts, a.style()); err != nil {
			return err
		}
		if later := laterOn(s, e, conflicts); later != "" {
			a.say("%s changed it after %s did: undo that one first.\n", later, e.ID)
		}
		a.say("Make it again what rocsmith left, then rocsmith undo %s tries again;\nor take it back by hand, and leave it at that.\n", e.ID)
		return exitError{exitFailure}
	}
	a.say("Undone: everything is as it was before.\n")
	if len(e.Waits) > 0 {
		a.say("It takes effect with %s.\n", strings.Join(e.Waits, " and "))
	}
	return nil
}

// laterOn names the last entry in force that changed the same file after another.
func laterOn(s job.Surgeon, e state.Entry, conflicts []state.Conflict) string {
	entries, _ := s.Entries() // they were read a moment ago
	for _, later := range slices.Backward(entries) {
		changes := func(step state.Step) bool {
			return slices.ContainsFunc(conflicts, func(c state.Conflict) bool { return step.Path != "" && step.Path == c.Path })
		}
		if later.Number > e.Number && later.Standing() && slices.ContainsFunc(later.Steps, changes) {
			return later.ID
		}
	}
	return ""
}

func (a *App) caseFile() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "case",
		Short: "What was tried on this machine, how it ended, and what holds today",
		Long: `case reads the journal of fix, asks the checks again, and shows each cure with its
date, what its check said afterwards and what it says today. Cures that ended
differently at different times are named.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.runCase(format) },
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (a *App) runCase(format string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("there is no format %q; choose text or json", format)
	}
	d, err := job.Diagnose(a.Host, a.Version, job.Question{}, a.Now)
	if err != nil {
		return err
	}
	entries, err := a.surgeon(false).Restarted(d)
	if err != nil {
		return err
	}
	now := report.Today{
		Verdict: func(id, subject string) check.Verdict { return job.Verdict(d.Findings, id, subject) },
		Others:  state.Entry.Others,
	}
	if format == "json" {
		return report.CaseJSON(a.Stdout, entries, now)
	}
	return report.Case(a.Stdout, entries, now, a.style())
}
