package launch

import (
	"sync"
	"time"
)

// asked keeps that somebody asked for the end of a command, and when they last did.
type asked struct {
	heard chan struct{} // holds one where somebody has asked since it was last emptied

	mu   sync.Mutex
	last time.Time
}

func newAsked() *asked { return &asked{heard: make(chan struct{}, 1)} }

func (a *asked) now() {
	a.mu.Lock()
	a.last = time.Now()
	a.mu.Unlock()
	select {
	case a.heard <- struct{}{}:
	default:
	}
}

// whenLast is the zero time where nobody has.
func (a *asked) whenLast() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// The numbers that POSIX gives to the signals by which people end programs, and to
// the one by which a program learns that nobody reads what it writes.
const (
	numberHUP, numberINT, numberQUIT, numberPIPE, numberTERM = 1, 2, 3, 13, 15
)

// wanted reports whether an end is what somebody asked for. A program may live on
// after Ctrl-C, as an interpreter at its prompt does, and die of something else
// hours later: that needs an explanation.
func (e End) wanted(last time.Time) bool {
	const patience = time.Minute // to save its work
	switch e.Code {
	case exitSignal + numberHUP, exitSignal + numberINT, exitSignal + numberQUIT, exitSignal + numberTERM:
		return !last.IsZero()
	}
	return !last.IsZero() && e.Started.Add(e.Duration).Sub(last) < patience
}
