package launch

import (
	"bytes"
	"sync"
)

// How much of what a command writes is kept. The first lines say what it runs on,
// the last ones why it ended; what lies between may be gigabytes.
const (
	keepHead = 64 << 10
	keepTail = 256 << 10
)

// kept is the beginning and the end of what was written. Its size does not grow
// with what is written.
type kept struct {
	mu    sync.Mutex
	head  []byte
	ring  []byte // the last bytes; next is where the oldest of them stands, once it is full
	next  int
	total int64
}

// Write keeps what of it is to be kept. It never fails.
func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(b)
	k.total += int64(n)
	first := min(keepHead-len(k.head), n)
	k.head = append(k.head, b[:first]...)
	k.last(b[first:])
	return n, nil
}

// pass counts what was not looked at, because more than is kept follows it.
func (k *kept) pass(n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.total += n
	k.ring, k.next = k.ring[:0], 0
}

func (k *kept) last(b []byte) {
	if len(b) >= keepTail {
		k.ring, k.next = append(k.ring[:0], b[len(b)-keepTail:]...), 0
		return
	}
	if room := keepTail - len(k.ring); room > 0 {
		n := min(room, len(b))
		k.ring = append(k.ring, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(k.ring[k.next:], b)
		k.next = (k.next + n) % keepTail
		b = b[n:]
	}
}

// bytes is what was kept, and how much is missing in its midst. A line that was
// cut in two there is left out.
func (k *kept) bytes() (text []byte, lost int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	tail := append(bytes.Clone(k.ring[k.next:]), k.ring[:k.next]...)
	lost = k.total - int64(len(k.head)+len(tail))
	if lost == 0 {
		return append(bytes.Clone(k.head), tail...), 0
	}
	head := k.head[:bytes.LastIndexByte(k.head, '\n')+1]
	if cut := bytes.IndexByte(tail, '\n'); cut >= 0 {
		tail = tail[cut+1:]
	}
	lost = k.total - int64(len(head)+len(tail))
	return append(bytes.Clone(head), tail...), lost
}
