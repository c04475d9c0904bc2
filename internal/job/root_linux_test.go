package job

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A twoPeople is a machine with somebody and root, who keep journals of their own.
type twoPeople struct {
	host.Reader
	home string
}

func (p twoPeople) Getenv(name string) (string, bool, error) {
	return homeOnly(name, p.home)
}

func homeOnly(name, home string) (string, bool, error) {
	if name == "HOME" {
		return home, true, nil
	}
	return "", false, nil
}

func (twoPeople) Process() (host.Process, error) { return host.Process{UID: 1000}, nil }

func (twoPeople) ReadFile(name string) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// surgeons are somebody's, and root's, which the first one calls. Meanwhile is what
// happens while sudo asks for a password.
func surgeons(t *testing.T, dir string, meanwhile func()) Surgeon {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	root := Surgeon{Host: liveWith{host.Live(), filepath.Join(dir, "root")}, Now: now}
	return Surgeon{Host: twoPeople{home: filepath.Join(dir, "ada")}, Now: now, Root: func(input []byte, args ...string) (string, error) {
		if args[0] == "undo" {
			kept, err := root.UndoFor(args[2])
			if err == nil && len(kept) > 0 {
				err = state.ErrKept
			}
			return "", err
		}
		if meanwhile != nil {
			meanwhile()
		}
		_, err := root.ApplyPart(input)
		return "", err
	}}
}

// A liveWith is this machine with another home.
type liveWith struct {
	host.Reader
	home string
}

func (l liveWith) Getenv(name string) (string, bool, error) {
	return homeOnly(name, l.home)
}

// A scene is a plan with a step of root, an edit of the first line of a file, and
// one of somebody, an edit of another file.
func scene(t *testing.T) (dir, rootFile, ownFile string, plan fix.Plan) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rootFile, ownFile = filepath.Join(dir, "root.sh"), filepath.Join(dir, "own.sh")
	put(t, rootFile, "export HSA_X=1\n")
	put(t, ownFile, "export HSA_X=2\n")
	w := Surgeon{Host: liveWith{host.Live(), dir}}.world(nil, true)
	edit := func(file string) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Text: "edit", Path: file, Line: 1, Name: "HSA_X"}
	}
	plan, err = fix.Parts([]remedy.Step{edit(rootFile), edit(ownFile)}, fix.Person{UID: uint32(os.Geteuid())}, w)
	if err != nil || len(plan.Steps) != 2 {
		t.Fatalf("the plan: %+v, %v", plan, err)
	}
	plan.Steps[0].Root, plan.Steps[1].Root = true, false
	return dir, rootFile, ownFile, plan
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, file, want string) {
	t.Helper()
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%s holds %q (%v), want %q", filepath.Base(file), data, err, want)
	}
}

const commented = ": # rocsmith: export HSA_X="

// TestRootDoesWhatWasShown: a file that changes while sudo asks for a password is
// not edited in another way than the one that somebody said yes to.
func TestRootDoesWhatWasShown(t *testing.T) {
	t.Parallel()
	dir, rootFile, ownFile, plan := scene(t)
	const other = "export HSA_X=7\nexport HSA_X=1\n"
	s := surgeons(t, dir, func() { put(t, rootFile, other) })
	_, err := s.Apply(plan)
	var rolled *state.RollbackError
	if !errors.As(err, &rolled) || !errors.Is(err, errOtherPlan) {
		t.Errorf("apply: %v", err)
	}
	wantText(t, rootFile, other)
	wantText(t, ownFile, "export HSA_X=2\n")

	dir, rootFile, ownFile, plan = scene(t)
	s = surgeons(t, dir, nil)
	if _, err := s.Apply(plan); err != nil {
		t.Fatal(err)
	}
	wantText(t, rootFile, commented+"1\n")
	wantText(t, ownFile, commented+"2\n")
}

// TestStepsOfRootAreTakenBack: where somebody's own step cannot be taken any more,
// root's is taken back; where that was changed meanwhile it stays, and later runs
// are not held up by it.
func TestStepsOfRootAreTakenBack(t *testing.T) {
	t.Parallel()
	dir, rootFile, ownFile, plan := scene(t)
	s := surgeons(t, dir, func() { put(t, ownFile, "other\n") })
	_, err := s.Apply(plan)
	var rolled *state.RollbackError
	if !errors.As(err, &rolled) {
		t.Errorf("apply: %v", err)
	}
	wantText(t, rootFile, "export HSA_X=1\n")
	wantText(t, ownFile, "other\n")

	dir, rootFile, ownFile, plan = scene(t)
	s = surgeons(t, dir, nil)
	asked := s.Root
	s.Root = func(input []byte, args ...string) (string, error) {
		said, err := asked(input, args...)
		if args[0] == "fix" {
			put(t, ownFile, "other\n")
			put(t, rootFile, "theirs\n")
		}
		return said, err
	}
	if _, err := s.Apply(plan); err == nil || !strings.Contains(err.Error(), "the steps of root stand") {
		t.Errorf("apply: %v", err)
	}
	entries, err := s.Entries()
	if err != nil || len(entries) != 1 || entries[0].Status != state.Kept {
		t.Fatalf("the journal holds %d entries, %v", len(entries), err)
	}
	wantText(t, rootFile, "theirs\n")
	put(t, rootFile, commented+"1\n")
	if _, conflicts, err := s.Undo(entries[0].ID); err != nil || len(conflicts) > 0 {
		t.Errorf("undo: %v, %v", conflicts, err)
	}
	wantText(t, rootFile, "export HSA_X=1\n")
}

// TestInterruptedWithRoot: what root did for a run that was killed, and somebody
// changed since, does not stop every later run.
func TestInterruptedWithRoot(t *testing.T) {
	t.Parallel()
	dir, rootFile, ownFile, plan := scene(t)
	s := surgeons(t, dir, nil)
	if _, err := s.Apply(plan); err != nil {
		t.Fatal(err)
	}
	j, _, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := j.Entries()
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	entries[0].Status = state.Doing
	if err := errors.Join(j.Record(&entries[0]), j.Close()); err != nil {
		t.Fatal(err)
	}
	put(t, rootFile, "theirs\n")
	recovered, err := s.Recover()
	if err != nil || len(recovered) != 1 || recovered[0].Status != state.Kept {
		t.Fatalf("recovered %+v, %v", recovered, err)
	}
	wantText(t, rootFile, "theirs\n")
	wantText(t, ownFile, "export HSA_X=2\n")
	if again, err := s.Recover(); err != nil || len(again) > 0 {
		t.Errorf("the next run recovers %+v, %v", again, err)
	}
}

// TestRootTakesNoOthersSteps: steps that come with the words of an entry are of no plan,
// and are not taken.
func TestRootTakesNoOthersSteps(t *testing.T) {
	t.Parallel()
	dir, rootFile, ownFile, plan := scene(t)
	stolen := state.Step{Act: state.Act{Kind: state.Move, Path: ownFile, To: ownFile + ".aside"}, Status: state.Planned}
	_, stolen.Before, _ = state.Look(ownFile, false)
	shown, err := sums(acts(plan.Root()))
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(part{Entry: state.Entry{For: "1000/2026-11-15-1", Steps: []state.Step{stolen}}, Steps: plan.Root()[0].Source, Shown: shown})
	if err != nil {
		t.Fatal(err)
	}
	root := Surgeon{Host: liveWith{host.Live(), filepath.Join(dir, "root")}, Now: time.Now}
	e, err := root.ApplyPart(input)
	if err != nil || len(e.Steps) != 1 {
		t.Errorf("%d steps, %v", len(e.Steps), err)
	}
	wantText(t, rootFile, commented+"1\n")
	wantText(t, ownFile, "export HSA_X=2\n")
}
