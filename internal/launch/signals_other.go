//go:build !linux

package launch

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func keepThread() func() { return func() {} }

func signalName(s syscall.Signal) string { return s.String() }

// signals lives through what a console sends to all its programs, so that the end
// of the command is told.
type signals struct{ *inbox }

func catch() *signals { return &signals{collect([]os.Signal{os.Interrupt, syscall.SIGTERM})} }

func (s *signals) forward(p *os.Process, _ *outputs, _ func(os.Signal) bool) {
	go func() {
		for sig := range s.out {
			if sig != os.Interrupt { // which the command was sent as well
				_ = p.Signal(sig)
			}
		}
	}()
}
