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
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
		var none T
		return none, fmt.Errorf("gave up after %v: %w", d, ErrTooLong)
	}
}
