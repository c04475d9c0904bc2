package state

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// undo takes a step back, from wherever it stopped. What somebody changed since
// is a Conflict, and left alone; so is what lay in a folder that is gone, because
// to wait until it is back would be to wait for ever. Keep brings to the disk what
// was noted of the step.
func (d disk) undo(id string, n int, s *Step, keep func() error) error {
	err := d.undoStep(id, n, s, keep)
	var c Conflict
	if !errors.As(err, &c) && (gone(err) || errors.Is(err, errOddFile)) {
		return Conflict{Path: s.Name(), Before: s.Before, After: s.After, Why: "somebody put something else in its place since, or took its folder away: " + err.Error()}
	}
	return err
}

// gone reports that there is no such file or folder any more, or a link where it
// was.
func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

func (d disk) undoStep(id string, n int, s *Step, keep func() error) error {
	switch s.Kind {
	case Write:
		err := d.within(s.Path, func(dir int, name string) error { return d.undoWrite(dir, name, temporary(id, n, name), s) })
		if errors.Is(err, unix.ENOENT) && s.Before.Absent {
			return nil // its folder is gone, and with it the file
		}
		return err
	case Copy:
		err := d.within(s.Path, func(dir int, name string) error { return d.undoCopy(dir, name, temporary(id, n, name), s) })
		if errors.Is(err, unix.ENOENT) {
			return nil // its folder is gone
		}
		return err
	case Move:
		return d.within(s.Path, func(dir int, name string) error { return d.undoMove(dir, name, s) })
	case MakeDir:
		return d.undoMakeDir(s)
	case Install:
		return d.undoInstall(s)
	case Own:
		return d.undoOwn(s)
	}
	if s.Refresh {
		return nil // run once more when all files are back
	}
	return d.undoRun(id, n, s, keep)
}

func (d disk) undoWrite(dir int, name, temporary string, s *Step) error {
	if err := d.sweep(dir, name, temporary, s); err != nil {
		return err
	}
	now, err := d.look(dir, name, true)
	switch {
	case err != nil:
		return Conflict{Path: s.Path, Before: s.Before, After: s.After, Now: now, Why: err.Error()}
	case now.sameContent(s.Before):
		return nil
	case now.Absent:
		return Conflict{Path: s.Path, Before: s.Before, After: s.After, Now: now, Why: "somebody removed it since"}
	case !now.sameContent(s.After):
		return Conflict{Path: s.Path, Before: s.Before, After: s.After, Now: now, Why: "somebody changed it since"}
	case now.Mode != s.After.Mode || now.UID != s.After.UID || now.GID != s.After.GID:
		return Conflict{Path: s.Path, Before: s.Before, After: s.After, Now: now, Why: fmt.Sprintf(
			"somebody changed its rights since: it is %04o of %d:%d, and was %04o of %d:%d", now.Mode, now.UID, now.GID, s.After.Mode, s.After.UID, s.After.GID)}
	case s.Before.Absent:
		return d.take(dir, name, temporary, now)
	}
	return d.put(dir, name, temporary, now, s.Before)
}

// sweep removes what a killed process prepared. A file of that name that holds
// something else is not ours, and stays.
func (d disk) sweep(dir int, name, temporary string, s *Step) error {
	if err := d.oneName(dir, name, temporary); err != nil {
		return err
	}
	i, err := d.look(dir, temporary, true)
	if err != nil || i.Absent {
		return err
	}
	if !s.knows(i) {
		return fmt.Errorf("%s: %w", temporary, ErrChanged)
	}
	return d.clear(dir, temporary)
}

// knows reports whether a file holds what a step writes or replaces, or the
// beginning of it.
func (s *Step) knows(i Image) bool {
	begins := func(whole []byte) bool { return strings.HasPrefix(string(whole), string(i.Data)) }
	return begins(s.New) || begins(s.Before.Data) ||
		slices.ContainsFunc(s.Befores, func(b Image) bool { return begins(b.Data) }) ||
		slices.ContainsFunc(s.Afters, i.sameContent) || slices.ContainsFunc(s.Between, i.sameContent)
}

func (d disk) undoMove(dir int, name string, s *Step) error {
	if err := d.oneName(dir, name, path.Base(s.To)); err != nil {
		return err
	}
	there, err := d.look(dir, path.Base(s.To), false)
	if err != nil {
		return err
	}
	here, err := d.look(dir, name, false)
	switch {
	case err != nil:
		return err
	case here.isNoted(s.Before):
		return nil
	case !there.isNoted(s.Before):
		return Conflict{Path: s.To, Before: s.Before, After: s.Before, Now: there, Why: "it is not there any more, or it is another file"}
	case !here.Absent:
		return Conflict{Path: s.Path, Before: s.Before, After: Image{Absent: true}, Now: here, Why: "a new one was made since; the old one is kept as " + s.To}
	}
	return d.move(dir, path.Base(s.To), name, there)
}

func (d disk) undoMakeDir(s *Step) error {
	err := d.within(s.Path, func(dir int, name string) error {
		now, err := d.look(dir, name, false)
		if err != nil || now.Absent {
			return err
		}
		if s.After.taken() && !now.isNoted(s.After) {
			return Conflict{Path: s.Path, Now: now, Why: "another folder stands there now"}
		}
		err = d.unlink(dir, name, true)
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
			return Conflict{Path: s.Path, Now: now, Why: "it is not empty: somebody, or a program, put something into it since"}
		}
		if err != nil {
			return fmt.Errorf("remove the folder %s: %w", s.Path, err)
		}
		return d.settle(dir, name)
	})
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// undoRun runs the command that takes another back. Where nobody changed the
// files in between, they become what they were to the last byte.
func (d disk) undoRun(id string, n int, s *Step, keep func() error) error {
	for _, file := range s.Touches {
		err := d.within(file, func(dir int, name string) error { return d.sweep(dir, name, temporary(id, n, name), s) })
		if err != nil {
			return err
		}
	}
	now, err := d.touched(s)
	if err != nil {
		return err
	}
	if len(now) > 0 && slices.EqualFunc(now, s.Befores, Image.unchanged) {
		return nil // it did not come to anything
	}
	untouched := len(s.Afters) == len(now) && slices.EqualFunc(now, s.Afters, Image.unchanged)
	if len(s.Back) > 0 {
		_, failed := d.run(s.Back)
		if now, err = d.touched(s); err != nil {
			return err
		}
		if failed != nil && (len(now) == 0 || !restored(s, now)) {
			return Conflict{Path: strings.Join(s.Argv, " "), Why: "what takes it back failed: " + failed.Error()}
		}
	}
	if len(now) == 0 || !untouched && !restored(s, now) {
		return nil
	}
	return d.bringAllBack(id, n, s, now, keep)
}

// bringAllBack lets the files of a command be what they were to the last byte.
func (d disk) bringAllBack(id string, n int, s *Step, now []Image, keep func() error) error {
	// What comes out of its place when the old file is put there must be known to
	// the next run, if this one is killed.
	s.Between = now
	for i := range s.Between {
		s.Between[i].Data = nil
	}
	if err := keep(); err != nil {
		return err
	}
	for i, file := range s.Touches {
		err := d.within(file, func(dir int, name string) error {
			return d.bringBack(dir, name, temporary(id, n, name), now[i], s.Befores[i])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// restored reports that the files of a command hold what they held. Those with a dash are the copies that the tools of
// shadow(5) leave of what was there before; they count for nothing.
func restored(s *Step, now []Image) bool {
	for i, file := range s.Touches {
		if !strings.HasSuffix(file, "-") && !now[i].sameContent(s.Befores[i]) {
			return false
		}
	}
	return true
}

func (d disk) touched(s *Step) ([]Image, error) {
	var out []Image
	for _, file := range s.Touches {
		i, err := d.lookAt(file, true)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, i)
	}
	return out, nil
}

func (d disk) bringBack(dir int, name, temporary string, now, before Image) error {
	switch {
	case now.unchanged(before):
		return nil
	case before.Absent:
		return d.take(dir, name, temporary, now)
	}
	return d.put(dir, name, temporary, now, before)
}
