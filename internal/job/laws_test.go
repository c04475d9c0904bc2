package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/check/all"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
)

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
		for _, f := range diagnose(t, a.reader).Findings {
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
			for _, f := range diagnose(t, a.reader).Findings {
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
			if !slices.ContainsFunc(all.Checks(), func(c check.Check) bool { return c.ID == id }) {
				t.Errorf("%s: the proof of %s is a check that does not exist: %s", f.Check, r.ID, id)
			}
		}
	}
}

// A cure that no machine of the zoo needs is advice that nobody has read.
func TestEachCureIsNeeded(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, a := range zoo(t) {
		for _, f := range diagnose(t, a.reader).Findings {
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
			t.Errorf("no machine of the zoo needs the cure %s", id)
		}
	}
}

func TestEachCauseIsNamed(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, a := range zoo(t) {
		for _, f := range diagnose(t, a.reader).Findings {
			named[f.Cause] = true
		}
	}
	causes, err := cause.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range causes {
		if !named[c.ID] {
			t.Errorf("no machine of the zoo has the cause %s", c.ID)
		}
	}
}
