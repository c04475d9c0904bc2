//go:build !linux

package launch

import (
	"os"
	"os/signal"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func keepThread() func() { return func() {} }

func signalName(s syscall.Signal) string { return s.String() }

// signals lives through what a console sends to all its programs, so that the end
// of the command is told.
type signals struct {
	in    chan os.Signal
	asked *asked
}

func catch() *signals {
	s := &signals{in: make(chan os.Signal, 16), asked: newAsked()}
	signal.Notify(s.in, os.Interrupt, syscall.SIGTERM)
	return s
}

func (s *signals) forward(p *os.Process, _ *outputs, _ func(os.Signal) bool) {
	go func() {
		for sig := range s.in {
			s.asked.now()
			if sig != os.Interrupt { // which the command was sent as well
				_ = p.Signal(sig)
			}
		}
	}()
}

func (s *signals) stop() {
	signal.Stop(s.in)
	close(s.in)
}
