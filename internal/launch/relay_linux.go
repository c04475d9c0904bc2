package launch

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is what a pipe of rocsmith's holds where the system allows it: fewer
// turns between the processes for the same bytes.
const pipeSize = 1 << 20

// A relay carries what a command writes to where it belongs, and shows it to the
// keeper. The bytes themselves are not copied: tee(2) and splice(2) hand the pages
// of one pipe to another.
type relay struct {
	from   int // what the command writes to: the reading end of a pipe, or the master of a terminal
	to     int
	own    bool    // to is a file of the relay's own
	screen *screen // where from is the master of a terminal
	kept   *kept
	side   [2]int // a pipe for what the keeper looks at
	held   int64  // bytes in it
	null   int
	ended  int // readable when the command has ended
	// released is readable when nobody waits for the target to be read.
	released int
	buffer   []byte
	plain    bool   // splice does not know the target
	broken   bool   // the target is read no more
	tells    bool   // the target tells at once when nobody reads it, and never will again
	rest     []byte // what was read and could not be written before it was released

	grown   bool      // the pipes were enlarged, as far as the system allows it
	large   bool      // the one that the command writes to holds much
	carried time.Time // when the last piece was
	asked   time.Time // when it was last asked whether the command has ended
	over    bool      // it has
	owed    int       // how much of what lies in the pipe can still be the command's
}

// newRelay makes a relay, to which the end that it reads from belongs, also where
// it cannot be made.
func newRelay(from, to int, k *kept, ended int) (*relay, error) {
	r := &relay{from: from, to: to, tells: tellsOfReaders(to), kept: k, ended: ended, released: -1, side: [2]int{-1, -1}, null: -1, buffer: make([]byte, 64<<10)}
	if err := unix.Pipe2(r.side[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		r.close()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	var err error
	if r.null, err = unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0); err != nil {
		r.close()
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	return r, nil
}

// grow lets the pipes hold more for a command that writes much. The others do without:
// what the pipes of a user may hold is counted together (pipe-user-pages-soft in
// proc(5)), and where that is used up, each new pipe of theirs holds two pages.
func (r *relay) grow() {
	r.grown = true
	r.large = enlarge(r.from)
	_, _ = enlarge(r.side[0]), enlarge(r.to)
}

// enlarge lets a pipe hold more, and reports whether it does. What is no pipe, and more
// than the user's share of pages, is refused, and it stays as it was.
func enlarge(pipe int) bool {
	now, err := unix.FcntlInt(uintptr(pipe), unix.F_GETPIPE_SZ, 0)
	if err == nil && now < pipeSize {
		now, err = unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, pipeSize)
	}
	return err == nil && now >= pipeSize
}

func (r *relay) close() {
	if r.screen != nil {
		r.screen.close()
	} else {
		_ = unix.Close(r.from)
	}
	if r.own {
		_ = unix.Close(r.to)
	}
	for _, fd := range []int{r.side[0], r.side[1], r.null} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// run carries until nobody can write any more, until nobody reads, or until the
// command has ended and nothing is left of what it wrote. It reports whether
// somebody that the command left behind may still write.
func (r *relay) run() (left bool) {
	defer func() { r.look(r.held) }()
	for {
		n, err := r.step()
		switch {
		case err == nil && n > 0:
			r.gather(n)
			if r.paid(n) {
				return true
			}
		case errors.Is(err, unix.EAGAIN):
			ready, ended, gone := r.await()
			if gone {
				r.broken = true
				return false
			}
			if !ready && ended {
				return true
			}
		case errors.Is(err, errReleased):
			return true
		default: // the end, or nobody reads: the command learns it when the pipe is closed
			r.broken = errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
			return false
		}
	}
}

// paid reports whether all is carried that the command wrote before it ended, although
// there is always more to carry: somebody whom it left behind may flood for ever.
func (r *relay) paid(n int) bool {
	const nowAndThen = 10 * time.Millisecond
	switch {
	case r.over:
		r.owed -= n
	case r.carried.Sub(r.asked) >= nowAndThen:
		r.asked = r.carried
		if r.over = stirs(r.ended); r.over {
			r.owed = r.holds()
		}
	}
	return r.over && r.owed <= 0
}

// holds is the most that what the command writes to can hold.
func (r *relay) holds() int {
	const queues = 128 << 10 // of a terminal: the kernel gives it 64 KiB, and the reader's side a page
	if r.screen != nil {
		return queues
	}
	size, err := unix.FcntlInt(uintptr(r.from), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return pipeSize
	}
	return size
}

// gather lets a command that floods fill the pipe for a moment. Who carries each piece
// as it comes wakes up for every few kilobytes, and the command pays for that.
func (r *relay) gather(n int) {
	before := r.carried
	r.carried = time.Now()
	small := floods(n, r.carried.Sub(before))
	if !r.grown && (small || n >= plenty) {
		r.grow()
	}
	if !r.large || !small {
		return
	}
	const moment = 200 * time.Microsecond
	pause := unix.NsecToTimespec(moment.Nanoseconds())
	_ = unix.Nanosleep(&pause, nil) // a signal ends it earlier
}

// plenty is a piece that needs no company: as much as a pipe holds that nobody enlarged.
const plenty = 64 << 10

// floods tells of a piece that is small, and one of many. What comes alone is carried
// at once, and so are the short answers of a program to one that waits for each of
// them before it asks again.
func floods(n int, since time.Duration) bool {
	const soon, rate = time.Millisecond, 16 // bytes in a microsecond
	return n < plenty && since <= soon && int64(n) > rate*since.Microseconds()
}

// settle is how long a terminal may take to bring what was written to it: it
// passes through a queue of the kernel, while a pipe has it at once.
const settle = 100 // milliseconds

// await waits for something to carry, for the end, or for the reader to go: the
// command has to learn of that at its next word, and not at the one after it.
func (r *relay) await() (ready, ended, gone bool) {
	fds := []unix.PollFd{descriptor(r.from, unix.POLLIN), descriptor(r.ended, unix.POLLIN), descriptor(-1, 0)}
	if r.tells {
		fds[2] = descriptor(r.to, 0) // an error or a hang-up is told unasked
	}
	poll(fds, -1)
	if fds[0].Revents == 0 && fds[1].Revents != 0 {
		// The last word may have come after the one was looked at, and the end before the other was.
		patience := 0
		if r.screen != nil {
			patience = settle
		}
		poll(fds[:1], patience)
	}
	return fds[0].Revents != 0, fds[1].Revents != 0, fds[2].Revents != 0
}

func descriptor(fd int, events int16) unix.PollFd {
	return unix.PollFd{Fd: int32(fd), Events: events} //nolint:gosec // the kernel counts them from 0
}

func poll(fds []unix.PollFd, timeout int) {
	for {
		_, err := unix.Poll(fds, timeout)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func (r *relay) step() (int, error) {
	if r.screen != nil || r.plain {
		return r.copy(len(r.buffer))
	}
	n, err := r.tee()
	if refused(err) {
		r.plain = true
		return r.copy(len(r.buffer))
	}
	if errors.Is(err, unix.EAGAIN) && r.held > 0 && stirs(r.from) { // it was the side pipe that is full
		r.makeRoom()
		n, err = r.tee()
	}
	if err != nil || n == 0 {
		return 0, err
	}
	r.held += n
	if !r.kept.full() {
		r.look(r.held)
	}
	return r.move(n)
}

// tee shows what there is to carry to the side pipe, where the keeper will find it.
func (r *relay) tee() (int64, error) {
	return again(func() (int64, error) { return unix.Tee(r.from, r.side[1], pipeSize, unix.SPLICE_F_NONBLOCK) })
}

// stirs reports whether a pipe has something to read or has come to its end, of which
// a full side pipe hides the one and the other.
func stirs(pipe int) bool {
	fds := []unix.PollFd{descriptor(pipe, unix.POLLIN)}
	poll(fds, 0)
	return fds[0].Revents != 0
}

// makeRoom empties the side pipe when it is full. While much is written, what will
// not be kept goes where it costs nothing, and not a byte is copied; many short
// lines, which fill a pipe as well, are read.
func (r *relay) makeRoom() {
	if skip := r.held - keepTail; skip > keepTail {
		r.kept.pass(skip)
		r.discard(skip)
		return
	}
	r.look(r.held)
}

// look shows the keeper what the side pipe holds.
func (r *relay) look(n int64) {
	for n > 0 {
		got, err := unix.Read(r.side[0], r.buffer[:min(n, int64(len(r.buffer)))])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || got <= 0 {
			return
		}
		_, _ = r.kept.Write(r.buffer[:got])
		n -= int64(got)
		r.held -= int64(got)
	}
}

func (r *relay) discard(n int64) {
	for n > 0 {
		got, err := again(func() (int64, error) { return unix.Splice(r.side[0], nil, r.null, nil, int(n), 0) })
		if err != nil || got == 0 {
			return
		}
		n -= got
		r.held -= got
	}
}

func again(call func() (int64, error)) (int64, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// full reports whether the head is: until then everything has to be looked at.
func (k *kept) full() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.head) == keepHead
}
