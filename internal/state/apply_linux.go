package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Begin names a new entry for these acts. Nothing is done yet.
func (j *Journal) Begin(e Entry, acts []Act) (*Entry, error) {
	entries, err := j.Entries()
	if err != nil {
		return nil, err
	}
	taken := make([]string, len(entries))
	for i, old := range entries {
		taken[i] = old.ID
		e.Number = max(e.Number, old.Number)
		if old.Open() {
			return nil, fmt.Errorf("entry %s of the journal was not brought to its end", old.ID)
		}
	}
	e.ID = nextID(j.now(), taken)
	e.Number++
	e.Schema, e.Time, e.Status = Schema, j.now().UTC(), Doing
	for _, a := range acts {
		e.Steps = append(e.Steps, Step{Act: a, Status: Planned})
	}
	return &e, e.validate()
}

// Apply does the steps of an entry. All before-images are on the disk before the
// first of them; where one fails, those before it are taken back.
func (j *Journal) Apply(e *Entry) error {
	for n := range e.Steps {
		if err := j.aim(e, n); err != nil {
			return fmt.Errorf("step %d: %w", n+1, err)
		}
	}
	if err := j.save(e); err != nil {
		if !e.RootPart { // else the next run has to know that root was asked
			j.Forget(e)
		}
		return err
	}
	for n := range e.Steps {
		if err := j.unlessStopped(e, n); err != nil {
			return j.rollBack(e, err)
		}
	}
	if j.stopped() {
		return j.rollBack(e, ErrInterrupted)
	}
	e.Status = Done
	if err := j.save(e); err != nil {
		return j.rollBack(e, err)
	}
	return nil
}

// unlessStopped takes a step. A command that an interrupt ended as well failed
// because of it.
func (j *Journal) unlessStopped(e *Entry, n int) error {
	if j.stopped() {
		return ErrInterrupted
	}
	err := j.step(e, n)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("step %d: %w", n+1, err)
	if j.stopped() {
		return errors.Join(ErrInterrupted, err)
	}
	return err
}

func (j *Journal) stopped() bool { return j.Stopped != nil && j.Stopped() }

// Forget takes an entry away of which nothing was done.
func (j *Journal) Forget(e *Entry) {
	_ = j.disk.clear(j.dir, "."+e.ID+".new")
	_ = j.disk.clear(j.dir, e.ID+suffix)
}

// aim compares a step with the machine. What an earlier step of the same entry
// makes cannot be seen yet.
func (j *Journal) aim(e *Entry, n int) error {
	s := &e.Steps[n]
	made := func(p Step) bool { return p.Kind == MakeDir && s.Kind != Run && below(s.Path, p.Path) }
	moved := slices.IndexFunc(e.Steps[:n], func(p Step) bool { return p.Kind == Move && s.Kind == Copy && p.Path == s.Path })
	if moved >= 0 {
		s.Befores = []Image{e.Steps[moved].Before} // which undo may find back in its place already
	}
	if s.Before.Absent && (slices.ContainsFunc(e.Steps[:n], made) || moved >= 0) {
		s.After = Image{Sum: sumOf(s.New), Mode: s.Mode}
		return nil
	}
	return j.disk.aim(s)
}

func below(p, dir string) bool { return len(p) > len(dir) && p[:len(dir)] == dir && p[len(dir)] == '/' }

func (j *Journal) step(e *Entry, n int) error {
	s := &e.Steps[n]
	// What was made since the plan was compared gives a new file its owner.
	// Commands before this one may have changed what it touches.
	again := s.Kind == Install || s.Kind == Own || s.Kind == Run && len(s.Touches) > 0
	if again || s.Kind != Run && s.Before.Absent {
		if err := j.disk.aim(s); err != nil {
			return err
		}
	}
	s.Status = Doing
	if err := j.save(e); err != nil {
		return err
	}
	if err := j.disk.do(e.ID, n, s); err != nil {
		return err
	}
	s.Status = Done
	return j.save(e)
}

// rollBack takes back what was done. The entry stays as a record of the attempt.
func (j *Journal) rollBack(e *Entry, why error) error {
	again, left, err := j.putBack(e)
	if err = errors.Join(left, err); err != nil {
		return errors.Join(why, fmt.Errorf("and not everything could be put back: %w", err))
	}
	return &RollbackError{errors.Join(why, again)}
}

// putBack takes back an entry that was not finished. Commands that failed once
// more are told of, and stand in nobody's way: the files are back. What is left,
// because somebody changed it since, keeps nobody from going on either: undo can
// be asked for it.
func (j *Journal) putBack(e *Entry) (again, left, err error) {
	conflicts, err := j.takeBack(e, RolledBack)
	for _, c := range conflicts {
		if c.Command {
			again = errors.Join(again, c)
		} else {
			left = errors.Join(left, c)
		}
	}
	if err != nil {
		return again, left, errors.Join(err, j.save(e))
	}
	e.Status = RolledBack
	if left != nil {
		e.Status = Kept
	}
	return again, left, j.save(e)
}

// takeBack undoes the steps from the last to the first, and then lets commands
// that make something from files run once more.
func (j *Journal) takeBack(e *Entry, as Status) ([]Conflict, error) {
	var conflicts []Conflict
	var errs []error
	var refresh, failed []*Step
	for n := len(e.Steps) - 1; n >= 0; n-- {
		s := &e.Steps[n]
		if s.Status == Planned || s.Status == Undone || s.Status == RolledBack || slices.ContainsFunc(failed, s.overlaps) {
			continue
		}
		if s.Kind == Run && s.Refresh {
			refresh = append(refresh, s)
			continue
		}
		var c Conflict
		switch err := j.disk.undo(e.ID, n, s, func() error { return j.save(e) }); {
		case errors.As(err, &c):
			s.Status, s.Note = Kept, c.Why
			if !s.holds(conflicts) {
				conflicts = append(conflicts, c)
			}
			if s.Kind == Run { // what it needed has to stay until it is taken back
				failed = append(failed, s)
			}
		case err != nil:
			errs, failed = append(errs, fmt.Errorf("step %d: %w", n+1, err)), append(failed, s)
		default:
			s.Status = as
			// Two steps may be about one name. What is on the disk tells a run after
			// a kill how far this one came.
			if err := j.save(e); err != nil {
				return conflicts, errors.Join(append(errs, err)...)
			}
		}
	}
	conflicts = append(conflicts, j.runAgain(refresh, as)...)
	return conflicts, errors.Join(errs...)
}

// runAgain lets commands make something anew from the files that are back, in the order
// in which they ran first.
func (j *Journal) runAgain(steps []*Step, as Status) []Conflict {
	var failed []Conflict
	for _, s := range slices.Backward(steps) {
		s.Status = as
		if _, err := j.disk.run(s.Argv); err != nil {
			s.Status, s.Note = Kept, err.Error()
			failed = append(failed, Conflict{Path: strings.Join(s.Argv, " "), Why: "it failed and has to be run by hand: " + err.Error(), Command: true})
		}
	}
	return failed
}

// holds reports a folder that stays because of what was left in it, of which somebody is
// told already.
func (s *Step) holds(left []Conflict) bool {
	return s.Kind == MakeDir && slices.ContainsFunc(left, func(c Conflict) bool { return below(c.Path, s.Path) })
}

// overlaps reports two steps about one file: the earlier one waits until the later
// one is undone.
func (s *Step) overlaps(later *Step) bool {
	return s.Path != "" && (s.Path == later.Path || below(later.Path, s.Path)) ||
		slices.ContainsFunc(s.Touches, func(file string) bool { return slices.Contains(later.Touches, file) })
}

// Undo takes an entry back. What somebody changed since is left alone and
// returned.
func (j *Journal) Undo(e *Entry) ([]Conflict, error) {
	if !e.Standing() && !e.Open() {
		return nil, fmt.Errorf("%s is not in force: it was %s", e.ID, e.Status)
	}
	e.Status = Undoing
	if err := j.save(e); err != nil {
		return nil, err
	}
	conflicts, err := j.takeBack(e, Undone)
	if err != nil {
		return conflicts, errors.Join(err, j.save(e))
	}
	e.Status, e.UndoneAt = Undone, j.now().UTC()
	if len(conflicts) > 0 {
		e.Status = Kept
	}
	return conflicts, j.save(e)
}

// Record keeps what is known of an entry beside its steps: that it is begun, and
// how it was proved.
func (j *Journal) Record(e *Entry) error { return j.save(e) }

// Recover brings entries to their end that a killed process left: what was not
// done as a whole is taken back, what was being undone is undone.
func (j *Journal) Recover() ([]Entry, error) {
	entries, err := j.Entries()
	if err != nil {
		return nil, err
	}
	var out []Entry
	for i := range entries {
		e := &entries[i]
		switch e.Status {
		case Doing:
			if _, _, err := j.putBack(e); err != nil {
				return out, fmt.Errorf("take back %s, which was interrupted: %w", e.ID, err)
			}
		case Undoing:
			if _, err := j.Undo(e); err != nil {
				return out, fmt.Errorf("finish the undo of %s, which was interrupted: %w", e.ID, err)
			}
		default:
			continue
		}
		out = append(out, *e)
	}
	return out, nil
}
