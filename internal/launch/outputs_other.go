//go:build !linux

package launch

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// outputs are what the command writes to. A console is handed on as it is, and not
// looked at; anything else is reached through a pipe.
type outputs struct {
	stdout, stderr *os.File // for the command
	theirs         []*os.File
	carry          []func()
	unseen         []string
	kept           kept
	running        sync.WaitGroup
	finished       sync.Once
	attended       bool // is for terminals that can be had twice
}

func openOutputs(s Streams) (*outputs, error) {
	o := &outputs{}
	var err error
	if o.stdout, err = o.open(s.Stdout, "standard output"); err != nil {
		return nil, err
	}
	if sameFile(s.Stdout, s.Stderr) {
		o.stderr = o.stdout
		return o, nil
	}
	if o.stderr, err = o.open(s.Stderr, "standard error"); err != nil {
		o.finish()
		return nil, err
	}
	return o, nil
}

func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

func (o *outputs) open(f *os.File, name string) (*os.File, error) {
	if term.IsTerminal(f.Fd()) {
		o.unseen = append(o.unseen, name+" went to a console, and was not looked at")
		return f, nil
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	o.theirs = append(o.theirs, theirs)
	o.carry = append(o.carry, func() {
		defer func() { _ = ours.Close() }()
		_, _ = io.Copy(f, io.TeeReader(ours, &o.kept))
	})
	return theirs, nil
}

func (o *outputs) begin() {
	o.closeTheirs()
	for _, carry := range o.carry {
		o.running.Go(carry)
	}
}

func (o *outputs) closeTheirs() {
	for _, f := range o.theirs {
		_ = f.Close()
	}
	o.theirs = nil
}

// patience is how long the output of what the command left behind is passed on.
const patience = time.Second

func (o *outputs) finish() {
	o.finished.Do(func() {
		o.closeTheirs()
		done := make(chan struct{})
		go func() {
			o.running.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(patience):
		}
	})
}

// release is for those who wait longer than finish does.
func (*outputs) release() {}

// unread is not known here.
func (*outputs) unread() bool { return false }

func (o *outputs) tell(e *End) {
	e.Tail, e.Lost = o.kept.bytes()
	e.Unseen = o.unseen
}
