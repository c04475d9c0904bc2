package job

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

func TestExpected(t *testing.T) {
	t.Parallel()
	steps := []fix.Step{
		{Act: state.Act{
			Kind: state.Write, Path: "/etc/modprobe.d/ttm.conf", Before: state.Image{Data: []byte("options amdgpu a=1\noptions ttm pages_limit=1\n")},
			New: []byte("options amdgpu a=1\n# rocsmith: options ttm pages_limit=1\noptions ttm pages_limit=2\n"),
		}},
		{Act: state.Act{Kind: state.Run, Argv: []string{"/usr/sbin/grubby", "--update-kernel=ALL", "--remove-args=ttm.x=1", "--args=ttm.y-z=3"}}},
		{Boot: true, Act: state.Act{Kind: state.Write, Path: "/etc/default/grub"}, Source: []remedy.Step{{New: "amdgpu.b=4"}, {New: "quiet"}, {New: "options amdgpu c=5"}}},
		{Act: state.Act{Kind: state.Write, Path: "/home/ada/.bashrc", New: []byte("options x y=1\n")}},
	}
	want := []state.Expected{{Parameter: "ttm.pages_limit", Want: "2"}, {Parameter: "ttm.y_z", Want: "3"}, {Parameter: "amdgpu.b", Want: "4"}}
	if got := expected(steps); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A restarted is a machine of a few files.
type restarted struct {
	host.Reader
	dir   string
	files map[string]string
}

func (r restarted) ReadFile(name string) ([]byte, error) {
	if text, ok := r.files[name]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (r restarted) Getenv(name string) (string, bool, error) {
	return r.dir, name == "XDG_STATE_HOME", nil
}

func (restarted) Process() (host.Process, error) { return host.Process{}, errors.New("not asked") }

// TestRestartIsMarked: what waited for a start of the machine is asked again after
// one, once, and the answer is kept.
func TestRestartIsMarked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := func() time.Time { return time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC) }
	j, err := state.Open(dir+"/rocsmith", now)
	if err != nil {
		t.Fatal(err)
	}
	e, err := j.Begin(state.Entry{
		Boot: "first", Expects: []state.Expected{{Parameter: "ttm.pages_limit", Want: "2"}},
		Cures:  []state.Cure{{Title: "Raise it", Check: "memory/limit", Subject: "gpu"}},
		Proofs: []state.Proof{{Check: "memory/limit", After: "warn", Waits: nextStart}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Apply(e), j.Close()); err != nil {
		t.Fatal(err)
	}
	m := restarted{dir: dir, files: map[string]string{"/proc/sys/kernel/random/boot_id": "first\n", "/sys/module/ttm/parameters/pages_limit": "2\n"}}
	s := Surgeon{Host: m, Now: now}
	fine := report.Diagnosis{Findings: []check.Finding{{Check: "memory/limit", Subject: "gpu", Verdict: check.OK}}}
	asked := func() []state.Entry {
		t.Helper()
		entries, err := s.Restarted(fine)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%+v, %v", entries, err)
		}
		return entries
	}
	if got := asked()[0]; got.Proofs[0].Restarted != "" {
		t.Errorf("marked before the restart: %+v", got.Proofs)
	}
	m.files["/proc/sys/kernel/random/boot_id"] = "second\n"
	if got := asked()[0]; got.Proofs[0].Restarted != "ok" || got.Expects[0].Found != "2" {
		t.Errorf("after the restart: %+v, %+v", got.Proofs, got.Expects)
	}
	fine.Findings[0].Verdict = check.Fail
	kept, err := state.Read(dir + "/rocsmith")
	if err != nil || len(kept) != 1 || kept[0].Proofs[0].Restarted != "ok" {
		t.Errorf("the journal holds %+v, %v", kept, err)
	}
	if got := asked()[0]; got.Proofs[0].Restarted != "ok" {
		t.Errorf("asked a second time: %+v", got.Proofs)
	}
	want := []string{"after the restart, on 2026-11-16: Raise it, memory/limit says ok", "ttm.pages_limit is 2, as planned"}
	if lines := report.AfterRestart(kept[0]); !slices.Equal(lines, want) {
		t.Errorf("the report says %q, want %q", lines, want)
	}
}

// A meddler lets something happen while rocsmith looks which start of the machine
// this is.
type meddler struct {
	restarted
	meanwhile func()
}

func (m meddler) ReadFile(name string) ([]byte, error) {
	if name == "/proc/sys/kernel/random/boot_id" {
		m.meanwhile()
	}
	return m.restarted.ReadFile(name)
}

// TestRestartOverwritesNothing: an entry that another process undid meanwhile
// stays undone, and a journal that cannot be opened is told of.
func TestRestartOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), func() time.Time { return time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC) }
	with := func(do func(*state.Journal) error) {
		t.Helper()
		j, err := state.Open(dir+"/rocsmith", now)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(do(j), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	add := func(j *state.Journal) error {
		e, err := j.Begin(state.Entry{
			Boot: "first", Cures: []state.Cure{{Title: "Raise it", Check: "memory/limit"}},
			Proofs: []state.Proof{{Check: "memory/limit", After: "warn", Waits: nextStart}},
		}, nil)
		return errors.Join(err, j.Apply(e))
	}
	undo := func(j *state.Journal) error {
		entries, err := j.Entries()
		if err != nil {
			return err
		}
		_, err = j.Undo(&entries[0])
		return err
	}
	with(add)
	m := restarted{dir: dir, files: map[string]string{"/proc/sys/kernel/random/boot_id": "second\n"}}
	s := Surgeon{Host: meddler{m, func() { with(undo) }}, Now: now}
	entries, err := s.Restarted(report.Diagnosis{})
	if err != nil || len(entries) != 1 || entries[0].Status != state.Undone {
		t.Errorf("%+v, %v", entries, err)
	}
	if kept, err := state.Read(dir + "/rocsmith"); err != nil || len(kept) != 1 || kept[0].Status != state.Undone {
		t.Errorf("the journal holds %+v, %v", kept, err)
	}

	with(add)
	with(func(j *state.Journal) error {
		e, err := j.Begin(state.Entry{RootPart: true}, nil)
		return errors.Join(err, j.Record(e))
	})
	s = Surgeon{Host: m, Now: now, Root: func([]byte, ...string) (string, error) { return "", nil }}
	if _, err := s.Restarted(report.Diagnosis{}); err == nil || !strings.Contains(err.Error(), "not asked") {
		t.Errorf("who this is cannot be learnt, and the error is %v", err)
	}
}
