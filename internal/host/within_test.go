package host

import (
	"errors"
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		got, err := within(time.Minute, func() (int, error) { return 7, nil })
		if got != 7 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	})
	t.Run("hangs", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		defer close(release)
		_, err := within(time.Millisecond, func() (int, error) { <-release; return 7, nil })
		if !errors.Is(err, ErrTooLong) {
			t.Errorf("got %v, want ErrTooLong", err)
		}
	})
}

// A result that is there is taken, however late it is looked for.
func TestBefore(t *testing.T) {
	t.Parallel()
	for range 100 {
		over, done := make(chan time.Time, 1), make(chan int, 1)
		over <- time.Time{}
		done <- 7
		if got, ok := before(over, done); got != 7 || !ok {
			t.Fatalf("got %d, %t", got, ok)
		}
	}
}
