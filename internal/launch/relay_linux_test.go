package launch

import (
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The end of a command's output has to be seen also where its last piece filled the
// pipe of the keeper to the brim: there the kernel answers tee(2) at the end of a pipe
// as it does where nothing has come yet.
func TestTheLastPieceFillsThePipe(t *testing.T) {
	t.Parallel()
	var from, ended [2]int
	for _, pipe := range []*[2]int{&from, &ended} {
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			t.Fatal(err)
		}
	}
	enlarge(from[0])
	reader, target, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	k := new(kept)
	_, _ = k.Write(make([]byte, keepHead)) // from now on not everything is looked at
	r, err := newRelay(from[0], int(target.Fd()), k, ended[0])
	if err != nil {
		t.Fatal(err)
	}
	written := fill(t, from[1])
	if side, err := unix.FcntlInt(uintptr(r.side[0]), unix.F_GETPIPE_SZ, 0); err != nil || side > written {
		t.Skipf("the system refuses pipes of %d bytes", pipeSize)
	}
	_ = unix.Close(from[1])
	_ = unix.Close(ended[1])

	arrived := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, reader)
		arrived <- n
	}()
	done := make(chan bool, 1)
	go func() {
		done <- r.run()
		r.close()
		_ = target.Close()
	}()
	select {
	case left := <-done:
		if left {
			t.Error("somebody was said to be left behind")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the end of the pipe was not seen")
	}
	if n := <-arrived; n != int64(written) {
		t.Errorf("%d bytes arrived, %d were written", n, written)
	}
	_ = unix.Close(ended[0])
	_ = reader.Close()
}

// fill writes to a pipe until it holds no more.
func fill(t *testing.T, pipe int) (written int) {
	t.Helper()
	page := make([]byte, 4096)
	for {
		n, err := unix.Write(pipe, page)
		if err != nil {
			return written
		}
		written += n
	}
}
