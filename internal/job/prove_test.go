package job

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
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
