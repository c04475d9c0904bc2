package probe

import (
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// Each case is what a process group has used, second by second, until the
// patience ends.
func TestPatience(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, tc := range map[string]struct {
		unwatched bool
		used      func(at int) activity
		want      operation.Verdict
		says      string
		after     int // seconds
	}{
		"idle":        {used: func(int) activity { return activity{known: true} }, want: operation.Hang, says: "child idle", after: 10},
		"nearly idle": {used: func(at int) activity { return activity{known: true, cpu: time.Duration(at) * s / 100} }, want: operation.Hang, says: "child idle", after: 10},
		"busy, then idle": {
			used: func(at int) activity {
				return activity{known: true, cpu: time.Duration(min(at, 20)) * s, faults: int64(min(at, 20)) * 1000}
			},
			want: operation.Hang, says: "child idle", after: 25,
		},
		"starved":  {used: func(int) activity { return activity{known: true, wants: true} }, want: operation.Hang, says: "child spinning", after: 40},
		"spinning": {used: func(at int) activity { return activity{known: true, cpu: time.Duration(at) * s, faults: int64(at)} }, want: operation.Hang, says: "child spinning", after: 40},
		"computing": {used: func(at int) activity {
			return activity{known: true, cpu: time.Duration(at) * s, faults: int64(at) * 1000}
		}, want: operation.Slow, says: "computing on the processor", after: 40},
		"compilers": {
			used: func(at int) activity {
				return activity{known: true, cpu: time.Duration(at) * s, helpers: time.Duration(at) * s, helper: "clang-18"}
			},
			want: operation.Slow, says: "clang-18 is running", after: 40,
		},
		"a growing cache": {used: func(at int) activity { return activity{known: true, cache: int64(at)} }, want: operation.Slow, says: "cache of compiled kernels grows", after: 40},
		"elsewhere":       {unwatched: true, used: func(int) activity { return activity{} }, want: operation.Hang, says: "not known here", after: 40},
		"no /proc":        {used: func(int) activity { return activity{} }, want: operation.Hang, says: "not known here", after: 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &patience{limit: 10 * s, most: slowest * 10 * s, watched: !tc.unwatched}
			for at := 0; at <= 100; at++ {
				v, why := p.look(time.Duration(at)*s, tc.used(at))
				if v == "" {
					continue
				}
				if v != tc.want || at != tc.after || !strings.Contains(why, tc.says) {
					t.Errorf("after %d s %s: %s", at, v, why)
				}
				return
			}
			t.Error("it waits for ever")
		})
	}
}

// Who has not looked for a while does not know what the child did: rocsmith may have
// been stopped by Ctrl-Z, and the answer have come meanwhile.
func TestPatienceAfterAPause(t *testing.T) {
	t.Parallel()
	const s = time.Second
	p := &patience{limit: 10 * s, most: 40 * s, watched: true}
	p.look(0, activity{known: true})
	p.look(s, activity{known: true, cpu: s})
	for i := range enoughLooks - 1 {
		if v, why := p.look(30*s+time.Duration(i)*p.interval(), activity{known: true, cpu: s}); v != "" {
			t.Fatalf("at look %d: %s, %s", i, v, why)
		}
	}
	if v, why := p.look(35*s, activity{known: true, cpu: s}); v != operation.Hang || !strings.Contains(why, "child idle") {
		t.Errorf("%s, %s", v, why)
	}
	p = &patience{limit: 10 * s, most: 40 * s, watched: true}
	p.look(0, activity{known: true})
	if v, _ := p.look(41*s, activity{known: true}); v != operation.Hang {
		t.Errorf("there is an end to it: %q", v)
	}
}
