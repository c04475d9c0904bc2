package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/check/all"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
)

// askAll asks for everything that an application can need, too.
func askAll(t *testing.T, r host.Reader) report.Diagnosis {
	t.Helper()
	q := job.Question{Operations: operation.IDs()}
	for _, id := range operation.IDs() {
		q.Services = append(q.Services, operation.Service{Name: "does " + id, Needs: []string{id}})
	}
	d, err := job.Diagnose(r, "test", q, stopped)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What an operation needs is a check, or an area of checks.
func TestOperationsNeedChecksThatExist(t *testing.T) {
	t.Parallel()
	for _, o := range operation.All() {
		for _, need := range o.Needs {
			if !slices.ContainsFunc(all.Checks(), func(c check.Check) bool { return c.ID == need || c.Area() == need }) {
				t.Errorf("%s needs %s, and there is no such check", o.ID, need)
			}
		}
	}
}

// What is known of code for the GPU decides over some operation.
func TestCoverageIsNeededByOperations(t *testing.T) {
	t.Parallel()
	for _, c := range all.Checks() {
		if c.Area() == "coverage" && !slices.ContainsFunc(operation.All(), func(o operation.Operation) bool { return slices.Contains(o.Needs, c.ID) }) {
			t.Errorf("no operation needs %s", c.ID)
		}
	}
}

// An operation is never served where something that it needs failed.
func TestNothingIsServedOnABrokenMachine(t *testing.T) {
	t.Parallel()
	for _, a := range zoo(t) {
		d := askAll(t, a.reader)
		failed := map[string]bool{}
		for _, f := range d.Findings {
			if f.Verdict == check.Fail {
				failed[f.Check], failed[f.Area()] = true, true
			}
		}
		for _, f := range d.Findings {
			o, isOperation := operation.Lookup(f.Subject)
			if !isOperation || f.Check != "require/operations" {
				continue
			}
			broken := slices.ContainsFunc(o.AllNeeds(), func(need string) bool { return failed[need] })
			if broken != (f.Verdict == check.Fail) {
				t.Errorf("%s: %s is %s, and what it needs failed: %t", a.name, o.ID, f.Verdict, broken)
			}
		}
	}
}

func TestListIsValid(t *testing.T) {
	t.Parallel()
	if err := check.Validate(all.Checks()); err != nil {
		t.Error(err)
	}
}

func TestEmptyMachineIsUnknown(t *testing.T) {
	t.Parallel()
	for _, os := range []string{"", "linux", "windows"} {
		findings := check.Run(all.Checks(), check.Input{Machine: &machine.Machine{OS: os}})
		for _, f := range findings {
			if f.Verdict != check.Unknown && f.Verdict != check.Skipped {
				t.Errorf("os %q: %s says %s of a machine that nobody looked at: %s", os, f.Check, f.Verdict, f.Message)
			}
		}
		if got := check.Overall(findings); got != check.Unknown {
			t.Errorf("os %q: the verdict is %s", os, got)
		}
	}
}

// Each check fires on one machine and is content with another; a check that
// cannot do both judges nothing.
func TestEachCheckFiresAndStaysSilent(t *testing.T) {
	t.Parallel()
	fired, content := map[string]bool{}, map[string]bool{}
	for _, a := range zoo(t) {
		for _, f := range askAll(t, a.reader).Findings {
			switch f.Verdict {
			case check.Fail, check.Warn, check.Unknown:
				fired[f.Check] = true
			case check.OK:
				content[f.Check] = true
			}
		}
	}
	for _, c := range all.Checks() {
		if !fired[c.ID] {
			t.Errorf("%s fires on no machine of the zoo", c.ID)
		}
		if !content[c.ID] {
			t.Errorf("%s is content with no machine of the zoo", c.ID)
		}
	}
}

func TestFindingsKeepTheirPromises(t *testing.T) {
	t.Parallel()
	for _, a := range zoo(t) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range askAll(t, a.reader).Findings {
				keepsPromises(t, f)
			}
		})
	}
}

func keepsPromises(t *testing.T, f check.Finding) {
	t.Helper()
	if f.Message == "" || strings.Contains(f.Message, "%!") || strings.ContainsAny(f.Message, "\n\t") || strings.Contains(f.Message, "  ") {
		t.Errorf("%s: a message to nobody: %q", f.Check, f.Message)
	}
	if len(f.Headline()) > 140 {
		t.Errorf("%s: nobody reads a headline of %d characters: %q", f.Check, len(f.Headline()), f.Headline())
	}
	if _, ok := cause.Lookup(f.Cause); f.Cause != "" && !ok {
		t.Errorf("%s: there is no cause %q", f.Check, f.Cause)
	}
	if f.Verdict == check.Fail && (len(f.Evidence) == 0 || len(f.Remedies) == 0 || f.Cause == "") {
		t.Errorf("%s fails without evidence, cure or cause: %s", f.Check, f.Message)
	}
	if f.Verdict == check.Warn && len(f.Evidence) == 0 {
		t.Errorf("%s warns without evidence: %s", f.Check, f.Message)
	}
	for _, e := range f.Evidence {
		if e.From == "" || e.Text == "" {
			t.Errorf("%s: evidence from nowhere: %+v", f.Check, e)
		}
	}
	for _, r := range f.Remedies {
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", f.Check, err)
		}
		for _, id := range r.Proof {
			if _, isWork := remedy.Work(id); isWork {
				continue // the book of cures knows only work that there is
			}
			if !slices.ContainsFunc(all.Checks(), func(c check.Check) bool { return c.ID == id }) {
				t.Errorf("%s: the proof of %s is a check that does not exist: %s", f.Check, r.ID, id)
			}
		}
	}
}

// A cure that no machine of the zoo needs, and no cause of a log, is advice that nobody has read.
func TestEachCureIsNeeded(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	causes, err := cause.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range causes {
		for _, id := range c.Cures {
			used[id] = true
		}
	}
	for _, a := range zoo(t) {
		for _, f := range askAll(t, a.reader).Findings {
			for _, r := range f.Remedies {
				used[r.ID] = true
			}
		}
	}
	ids, err := cure.IDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !used[id] {
			t.Errorf("no machine of the zoo and no cause needs the cure %s", id)
		}
	}
}

func TestEachCauseIsNamed(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, a := range zoo(t) {
		for _, f := range askAll(t, a.reader).Findings {
			named[f.Cause] = true
		}
	}
	causes, err := cause.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range causes {
		if !named[c.ID] && len(c.Confirm) > 0 {
			t.Errorf("no machine of the zoo has the cause %s, which checks are said to confirm", c.ID)
		}
	}
}
