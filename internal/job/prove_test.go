package job

import (
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// TestSilenceIsNoProof: a check that could not read its facts does not vouch for
// a subject that it does not speak of.
func TestSilenceIsNoProof(t *testing.T) {
	t.Parallel()
	said := func(subject string, v check.Verdict) check.Finding {
		return check.Finding{Check: "access/kfd", Subject: subject, Verdict: v}
	}
	for name, tc := range map[string]struct {
		findings []check.Finding
		want     check.Verdict
	}{
		"nobody asked":    {nil, check.Skipped},
		"skipped":         {[]check.Finding{said("", check.Skipped)}, check.Skipped},
		"spoken of":       {[]check.Finding{said("", check.Unknown), said("gpu", check.Fail)}, check.Fail},
		"others are fine": {[]check.Finding{said("other", check.OK)}, check.OK},
		"unread":          {[]check.Finding{said("", check.Unknown)}, check.Unknown},
		"partly unread":   {[]check.Finding{said("a", check.OK), said("b", check.Unknown), said("c", check.OK)}, check.Unknown},
	} {
		if got := Verdict(tc.findings, "access/kfd", "gpu"); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestUdevIsGivenAMoment: it changes the nodes after udevadm trigger has returned.
func TestUdevIsGivenAMoment(t *testing.T) {
	t.Parallel()
	said := check.Finding{Check: "access/kfd", Subject: "gpu", Verdict: check.Fail, Message: "It does not open."}
	trigger := fix.Step{Act: state.Act{Kind: state.Run, Argv: []string{"/usr/bin/udevadm", "trigger", "--subsystem-match=kfd"}}}
	for name, tc := range map[string]struct {
		steps   []fix.Step
		rest    []fix.Step // of root, that were not done
		red     int        // looks until it is fine
		looks   int
		verdict check.Verdict
	}{
		"fine at once":      {steps: []fix.Step{trigger}, looks: 1, verdict: check.OK},
		"fine after a time": {steps: []fix.Step{trigger}, red: 2, looks: 3, verdict: check.OK},
		"never fine":        {steps: []fix.Step{trigger}, red: 100, looks: 5, verdict: check.Fail},
		"without udev":      {red: 2, looks: 1, verdict: check.Fail},
		"without root":      {steps: []fix.Step{trigger}, rest: []fix.Step{trigger}, red: 2, looks: 1, verdict: check.Fail},
	} {
		looks, e := 0, &state.Entry{}
		_, err := Surgeon{Now: time.Now}.ask(e, fix.Plan{Cures: []fix.Cure{{Finding: said}}, Steps: tc.steps}, Outcome{Rest: tc.rest}, 0, func() (report.Diagnosis, error) {
			looks++
			f := said
			if looks > tc.red {
				f.Verdict = check.OK
			}
			return report.Diagnosis{Findings: []check.Finding{f}}, nil
		})
		if err != nil || looks != tc.looks || e.Proofs[0].After != string(tc.verdict) {
			t.Errorf("%s: %d looks, %s (%v)", name, looks, e.Proofs[0].After, err)
		}
		if told := e.Proofs[0].Says != ""; told != (tc.verdict == check.Fail && tc.rest == nil) {
			t.Errorf("%s: what is still wrong: %q", name, e.Proofs[0].Says)
		}
	}
}
