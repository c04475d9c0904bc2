package launch

import (
	"syscall"
	"testing"
)

// TestWhatCameIsKnown when the collecting ends, also where nobody passes it on: an
// engine may be at the first signal still.
func TestWhatCameIsKnown(t *testing.T) {
	t.Parallel()
	for range 1000 {
		i := collect(nil)
		for range cap(i.out) + 1 {
			i.in <- syscall.SIGALRM
		}
		if !i.asked.whenLast().IsZero() {
			t.Fatal("SIGALRM was taken for a wish to end")
		}
		i.in <- syscall.SIGTERM
		i.stop()
		if i.asked.whenLast().IsZero() {
			t.Fatal("SIGTERM came, and is not known")
		}
	}
}
