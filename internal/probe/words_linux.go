package probe

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// listen keeps what comes out of a pipe until its end.
func (k *keeper) listen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	for ended := false; err == nil && !ended; {
		err = raw.Read(func(fd uintptr) bool {
			var empty bool
			empty, ended = k.drain(int(fd))
			return !empty // it is waited for more
		})
	}
}

// catchUp keeps what a pipe holds now, and its listener has not come to: what a child
// says before it answers is in the one pipe before the answer is in the other.
func (k *keeper) catchUp(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { k.drain(int(fd)) }) // a closed one was heard to its end
	}
}

// drain reads what there is. It is not outrun by somebody who writes without an end:
// a pipe holds far less than it reads.
func (k *keeper) drain(fd int) (empty, ended bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	const most = 1 << 20
	var piece [8 << 10]byte
	for read := 0; read < most; {
		n, err := unix.Read(fd, piece[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return true, false
		case err != nil || n <= 0:
			return false, true
		}
		k.keep(piece[:n])
		read += n
	}
	return false, false
}
