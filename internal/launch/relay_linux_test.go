package launch

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The end of a command's output has to be seen also where its last piece filled the
// pipe of the keeper to the brim: there the kernel answers tee(2) at the end of a pipe
// as it does where nothing has come yet.
func TestTheLastPieceFillsThePipe(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	written := fill(t, b.from[1])
	if side, err := unix.FcntlInt(uintptr(b.relay.side[0]), unix.F_GETPIPE_SZ, 0); err != nil || side > written {
		t.Skipf("the system refuses pipes of %d bytes", pipeSize)
	}
	b.shut(b.from[1], b.ended[1])
	arrived := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, b.reader)
		arrived <- n
	}()
	if b.run(t) {
		t.Error("somebody was said to be left behind")
	}
	b.shut(b.to)
	if n := <-arrived; n != int64(written) {
		t.Errorf("%d bytes arrived, %d were written", n, written)
	}
}

// TestTheReaderGoes while the command is silent: it has to learn of that at its next
// word, as it does without us.
func TestTheReaderGoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	_ = b.reader.Close()
	if left := b.run(t); left || !b.relay.broken {
		t.Errorf("left behind: %v, broken: %v", left, b.relay.broken)
	}
	b.shut(b.from[1], b.ended[1], b.to)
}

// TestAPipeWithAName may get another reader.
func TestAPipeWithAName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	from, to := openFIFO(t, path)
	defer func() { _, _ = from.Close(), to.Close() }()
	if tellsOfReaders(int(to.Fd())) {
		t.Error("it was said to tell when its reader goes for good")
	}
	_, pipe := pipeOf(t)
	if !tellsOfReaders(int(pipe.Fd())) {
		t.Error("a pipe without a name can tell")
	}
}

// TestTheCommandReadsItsOwnOutput, as cat /dev/stdout does: what it takes away between
// two looks is not waited for.
func TestTheCommandReadsItsOwnOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	taken := fill(t, b.to) // the target is full, so that the relay has to wait
	_, _ = unix.Write(b.from[1], []byte("taken"))
	done := b.start()
	for text, _ := b.relay.kept.bytes(); len(text) == 0; text, _ = b.relay.kept.bytes() { // until it has been looked at
		time.Sleep(time.Millisecond)
	}
	var buffer [16]byte
	if n, err := unix.Read(b.from[0], buffer[:]); n != len("taken") || err != nil {
		t.Fatal(n, err)
	}
	b.shut(b.from[1], b.ended[1])
	_, _ = io.CopyN(io.Discard, b.reader, int64(taken))
	if b.wait(t, done) {
		t.Error("somebody was said to be left behind")
	}
	b.shut(b.to)
}

// TestWithoutTee: what cannot be shown to the keeper by the kernel is copied.
func TestWithoutTee(t *testing.T) {
	t.Parallel()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	must(t, err)
	b := newBenchFrom(t, p, false)
	_, _ = unix.Write(p[1], []byte("hello"))
	b.shut(p[1], b.ended[1])
	b.run(t)
	b.shut(b.to)
	got, err := io.ReadAll(b.reader)
	if text, _ := b.relay.kept.bytes(); string(got) != "hello" || string(text) != "hello" {
		t.Errorf("%q arrived, the keeper saw %q (%v)", got, text, err)
	}
}

// A bench is a relay between two pipes, to be tried.
type bench struct {
	relay       *relay
	from, ended [2]int
	to          int
	reader      *os.File
}

func newBench(t *testing.T, large bool) *bench {
	t.Helper()
	var from [2]int
	must(t, unix.Pipe2(from[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	if large {
		enlarge(from[0])
	}
	return newBenchFrom(t, from, large)
}

// newBenchFrom reads from something else. Where the head is kept, not everything that
// comes is looked at.
func newBenchFrom(t *testing.T, from [2]int, headIsKept bool) *bench {
	t.Helper()
	b := &bench{from: from}
	must(t, unix.Pipe2(b.ended[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	var to [2]int
	must(t, unix.Pipe2(to[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	must(t, unix.SetNonblock(to[0], false))
	b.reader, b.to = os.NewFile(uintptr(to[0]), "reader"), to[1]
	k := new(kept)
	if headIsKept {
		_, _ = k.Write(make([]byte, keepHead))
	}
	var err error
	b.relay, err = newRelay(b.from[0], b.to, k, b.ended[0])
	must(t, err)
	t.Cleanup(func() {
		_ = b.reader.Close()
		_ = unix.Close(b.ended[0])
	})
	return b
}

// shut closes what the command, the one that waits for it or the reader would close. A
// process that another test starts meanwhile would hold it open until it executes its
// program.
func (b *bench) shut(fds ...int) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

func (b *bench) start() <-chan bool {
	done := make(chan bool, 1)
	go func() {
		done <- b.relay.run()
	}()
	return done
}

func (b *bench) wait(t *testing.T, done <-chan bool) (left bool) {
	t.Helper()
	select {
	case left = <-done:
		b.relay.close()
	case <-time.After(time.Minute): // only a broken relay takes so long
		t.Fatal("the relay does not end")
	}
	return left
}

func (b *bench) run(t *testing.T) (left bool) {
	t.Helper()
	return b.wait(t, b.start())
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
