package probe

import (
	"os"
	"syscall"
	"testing"
)

// putProgram writes a file that is going to be executed. A process that another test
// starts meanwhile would hold it open for writing until it executes its own program,
// and the kernel refuses to execute such a file (ETXTBSY).
func putProgram(t *testing.T, file, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}
