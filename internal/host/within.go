package host

import (
	"fmt"
	"time"
)

// within runs f and gives up on it after d. A system call that hangs cannot be
// cancelled, so its goroutine is left behind: it ends, and closes what it
// opened, when the kernel lets it go.
func within[T any](d time.Duration, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	aside(func() {
		value, err := f()
		done <- result{value, err}
	})
	timer := time.NewTimer(d)
	defer timer.Stop()
	if r, ok := before(timer.C, done); ok {
		return r.value, r.err
	}
	var none T
	return none, fmt.Errorf("gave up after %v: %w", d, ErrTooLong)
}

// before waits for a result until the time is over. Both may have come while this
// process itself had to wait for its turn, or was stopped by Ctrl-Z: then it is there.
func before[T any](over <-chan time.Time, done <-chan T) (result T, ok bool) {
	select {
	case result = <-done:
		return result, true
	case <-over:
	}
	select {
	case result = <-done:
		return result, true
	default:
		return result, false
	}
}

// idle holds the goroutines that wait for a question. A survey asks hundreds,
// and each new goroutine would have to grow its stack again.
var idle = make(chan chan<- func(), 4)

// aside runs a function in another goroutine.
func aside(f func()) {
	select {
	case worker := <-idle:
		worker <- f
	default:
		work := make(chan func(), 1)
		work <- f
		go worker(work)
	}
}

// worker runs what it is given, for as long as few others wait for work.
func worker(work chan func()) {
	for f := range work {
		f()
		select {
		case idle <- work:
		default:
			return
		}
	}
}
