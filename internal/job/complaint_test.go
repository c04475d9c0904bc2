package job_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// person is ada, whose login shell is bash.
func person(a animal, m *machine.Machine) fix.Person {
	home, _, _ := a.reader.Getenv("HOME")
	return fix.Person{UID: m.Process.Value.UID, Name: m.Process.Value.Name, Home: home, Shell: "/bin/bash"}
}

func specimen(t *testing.T, name string) animal {
	t.Helper()
	for _, a := range zoo(t) {
		if a.name == name {
			return a
		}
	}
	t.Fatalf("there is no %s in the zoo", name)
	return animal{}
}

// planFor plans as fix does, on a machine of the zoo.
func planFor(t *testing.T, a animal, q job.FixQuestion) (fix.Plan, error) {
	t.Helper()
	d := diagnose(t, a.reader)
	if q.Wish.Risk == "" {
		q.Wish.Risk = remedy.Disruptive
	}
	who := person(a, d.Machine)
	return job.PlanOn(d, q, who, booted{cage{a.reader, d.Machine, who.Home}})
}

// booted is a machine that starts by GRUB.
type booted struct{ cage }

func (b booted) Look(file string, content bool) (string, state.Image, error) {
	if file == "/etc/default/grub" {
		return file, state.Image{Data: []byte("GRUB_CMDLINE_LINUX=\"quiet\"\n")}, nil
	}
	return b.cage.Look(file, content)
}

const healthy = "miopen-healthy"

// TestFixDoesWhatExplainAdvises: for each cause of the catalogue where explain's
// screen names rocsmith fix, fix has steps for it on a machine where the doctor
// finds nothing.
func TestFixDoesWhatExplainAdvises(t *testing.T) {
	t.Parallel()
	causes, err := cause.All()
	if err != nil {
		t.Fatal(err)
	}
	a := specimen(t, healthy)
	m := diagnose(t, a.reader).Machine
	advised := 0
	for _, c := range causes {
		made, err := explain.Remedies(c, m, []string{"gfx1100"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		applies := false
		for _, r := range made {
			applies = applies || r.Applies()
		}
		if c.Family == cause.Benign {
			continue
		}
		p, err := planFor(t, a, job.FixQuestion{Wish: fix.Wish{Only: []string{c.ID}}})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.ID, err)
		case applies && len(p.Steps) == 0:
			t.Errorf("explain advises rocsmith fix %s, and fix does nothing: %+v", c.ID, p.Left)
		case !applies && (len(p.Steps) > 0 || len(p.Left) != 1 || p.Left[0].Why == ""):
			t.Errorf("%s: steps %+v, left %+v; want it left to a person", c.ID, p.Steps, p.Left)
		}
		if applies {
			advised++
		}
	}
	if advised < 5 {
		t.Errorf("explain advises fix for %d causes only", advised)
	}
}

// logOf gives fix a log to read.
func logOf(t *testing.T, text string) job.FixQuestion {
	t.Helper()
	c, err := cause.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return job.FixQuestion{Logs: []explain.Input{{Name: "train.log", Reader: strings.NewReader(text)}}, Catalogue: c}
}

const readonlyLog = "epoch 1\nMIOpen Error: /src/sqlite_db.cpp:220: Internal error while accessing SQLite database: attempt to write a readonly database\n"

func TestFixReadsLogs(t *testing.T) {
	t.Parallel()
	p, err := planFor(t, specimen(t, "params-none"), logOf(t, readonlyLog))
	if err != nil || len(p.Cures) != 1 || p.Cures[0].Finding.Cause != "miopen-db-readonly" || p.Cures[0].From != "train.log:2" || len(p.Steps) == 0 {
		t.Errorf("cures %+v, steps %+v, left %+v, %v", p.Cures, p.Steps, p.Left, err)
	}
	if _, err := planFor(t, specimen(t, healthy), logOf(t, readonlyLog)); !errors.Is(err, job.ErrNothingNamed) {
		t.Errorf("a log that this machine contradicts: %v", err)
	}
	if _, err := planFor(t, specimen(t, healthy), logOf(t, "all is well\n")); !errors.Is(err, job.ErrNothingNamed) {
		t.Errorf("a log that says nothing: %v", err)
	}
	if _, err := planFor(t, specimen(t, "intel-laptop"), logOf(t, readonlyLog)); !errors.Is(err, job.ErrElsewhere) {
		t.Errorf("without an AMD GPU: %v", err)
	}
}

// TestFixTakesTheDoctorsCure: where the doctor finds what the log names, it knows
// the file.
func TestFixTakesTheDoctorsCure(t *testing.T) {
	t.Parallel()
	p, err := planFor(t, specimen(t, "example-miopen-readonly"), logOf(t, readonlyLog))
	if err != nil || len(p.Cures) == 0 {
		t.Fatalf("cures %+v, left %+v, %v", p.Cures, p.Left, err)
	}
	if c := p.Cures[0]; c.Finding.Check != "miopen/cache-writable" || c.From != "doctor, miopen/cache-writable; train.log:2" {
		t.Errorf("the cure is for %s, from %s", c.Finding.Check, c.From)
	}
}

func TestFixReadsProbes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/probe-readonly.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := planFor(t, specimen(t, healthy), job.FixQuestion{Probe: data, ProbeName: "probe.json"})
	if err != nil || len(p.Cures) != 1 || p.Cures[0].From != "probe.json" || p.Cures[0].Finding.Cause != "miopen-db-readonly" {
		t.Errorf("cures %+v, left %+v, %v", p.Cures, p.Left, err)
	}
	other := strings.ReplaceAll(string(data), "gfx1100", "gfx1030")
	if _, err := planFor(t, specimen(t, healthy), job.FixQuestion{Probe: []byte(other)}); err == nil {
		t.Error("a probe of another GPU is believed")
	}
	if _, err := planFor(t, specimen(t, healthy), job.FixQuestion{Probe: []byte("{}")}); err == nil {
		t.Error("something else is taken for a probe")
	}
}
