package cli

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestASignalIsKnownAtOnce: it is asked for when a command has failed, which the same
// signal may have ended. It is sent to a process of its own, because in this one other
// tests listen too.
func TestASignalIsKnownAtOnce(t *testing.T) {
	t.Parallel()
	const signalled = "ROCSMITH_TEST_SIGNALLED"
	if os.Getenv(signalled) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestASignalIsKnownAtOnce$", "-test.count=1")
		cmd.Env = append(os.Environ(), signalled+"=1")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		return
	}
	runtime.LockOSThread() // a signal to one's own thread has come when the call returns
	defer runtime.UnlockOSThread()
	for range 200 {
		w := newWish()
		if w.came() {
			t.Fatal("nobody sent a signal")
		}
		if err := unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for range 2 { // it is not forgotten when somebody has asked
			if !w.came() {
				t.Fatal("SIGTERM came, and is not known")
			}
		}
		w.end()
	}
}
