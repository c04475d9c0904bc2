package probe

import (
	"fmt"
	"time"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// A patience decides when a task has taken too long, and whether it hung or was
// only slow. A child that waits for a GPU that hangs sleeps, or spins in a loop;
// one that compiles uses memory it has not used before, or starts compilers, or
// fills the cache of kernels.
type patience struct {
	limit, most time.Duration
	watched     bool // the processes can be seen

	before   activity
	at       time.Duration // of the last look
	lastBusy time.Duration
	quiet    int // looks since then
	lastWork time.Duration
	sign     string // of work
}

// interval is how often to look.
func (p *patience) interval() time.Duration {
	return max(20*time.Millisecond, min(500*time.Millisecond, p.limit/20))
}

// enoughLooks are what it takes to call a child idle. On a machine with too much to
// do, or after Ctrl-Z, rocsmith itself has not looked for a while, and one look says
// little of the time before it.
const enoughLooks = 5

// recent is how long a sign counts.
func (p *patience) recent() time.Duration { return min(5*time.Second, p.limit/2) }

// look notes what the processes did since the last look, and returns a verdict
// when the time is over.
func (p *patience) look(elapsed time.Duration, now activity) (operation.Verdict, string) {
	if p.at > 0 || elapsed > 0 {
		p.note(elapsed, now)
	}
	p.before, p.at = now, elapsed
	switch {
	case elapsed < p.limit:
		return "", ""
	case (!p.watched || !now.known) && elapsed < p.most:
		return "", "" // it may be compiling
	case !p.watched || !now.known:
		return operation.Hang, fmt.Sprintf("killed after %s; whether it was still busy is not known here", seconds(elapsed))
	case elapsed-p.lastBusy >= p.recent() && (p.quiet >= enoughLooks || elapsed >= p.most):
		return operation.Hang, fmt.Sprintf("killed after %s, child idle", seconds(elapsed))
	case elapsed < p.most:
		return "", ""
	case p.sign != "" && elapsed-p.lastWork < 2*p.recent():
		return operation.Slow, fmt.Sprintf("still busy after %s (%s); ended", seconds(elapsed), p.sign)
	}
	return operation.Hang, fmt.Sprintf("killed after %s, child spinning: it used the processor, but no new memory, no compiler and no cache", seconds(elapsed))
}

// note compares two looks. Below a twentieth of a processor a process is idle:
// runtimes of languages and libraries wake up now and then. A compiler touches
// thousands of new pages a second, a loop that waits next to none.
func (p *patience) note(elapsed time.Duration, now activity) {
	const share, pages = 20, 50
	span := elapsed - p.at
	busy := now.cpu-p.before.cpu >= span/share || now.wants
	sign := ""
	switch {
	case now.cache > p.before.cache && p.before.known:
		sign = "the cache of compiled kernels grows"
	case now.helpers > p.before.helpers && now.helper != "":
		sign = now.helper + " is running"
	case busy && float64(now.faults-p.before.faults) >= pages*span.Seconds():
		sign = "the library is computing on the processor, as when it compiles or tunes"
	}
	p.quiet++
	if busy || sign != "" {
		p.lastBusy, p.quiet = elapsed, 0
	}
	if sign != "" {
		p.lastWork, p.sign = elapsed, sign
	}
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
