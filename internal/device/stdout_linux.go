package device

import (
	"fmt"
	"os"
	"syscall"
)

// OwnOutput gives a way to standard output that libraries do not know, and
// sends what they print there to standard error: their words must not stand
// between our answers.
func OwnOutput() (*os.File, error) {
	own, err := syscall.Dup(1)
	if err != nil {
		return nil, fmt.Errorf("duplicate standard output: %w", err)
	}
	syscall.CloseOnExec(own)
	if err := syscall.Dup3(2, 1, 0); err != nil {
		return nil, fmt.Errorf("send standard output to standard error: %w", err)
	}
	return os.NewFile(uintptr(own), "answers"), nil
}
