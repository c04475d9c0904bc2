// Package programtest writes programs that tests execute.
package programtest

import (
	"os"
	"syscall"
	"testing"
)

// Write writes a file that is going to be executed. A process that another test starts
// meanwhile would hold it open for writing until it executes its own program, and the
// kernel refuses to execute such a file (ETXTBSY).
func Write(t testing.TB, file, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
