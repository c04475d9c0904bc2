package probe

import "sync"

// What is kept of a child's standard error: how it begins, because Go prints
// the signal before the stacks of all goroutines, and how it ends, because that
// is where libraries say why they gave up.
const (
	keptHead = 16 << 10
	keptTail = 48 << 10
)

// A keeper keeps the beginning and the end of what is said.
type keeper struct {
	mu         sync.Mutex
	head, tail []byte
	cut        bool
}

// keep never blocks: a child must not hang on its own words.
func (k *keeper) keep(p []byte) {
	if room := keptHead - len(k.head); room > 0 {
		take := min(room, len(p))
		k.head, p = append(k.head, p[:take]...), p[take:]
	}
	k.tail = append(k.tail, p...)
	if over := len(k.tail) - keptTail; over > 0 {
		k.tail = append(k.tail[:0], k.tail[over:]...)
		k.cut = true
	}
}

// reset forgets what was said before, at the start of a task.
func (k *keeper) reset() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.head, k.tail, k.cut = nil, nil, false
}

func (k *keeper) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cut {
		return string(k.head) + "\n[…]\n" + string(k.tail)
	}
	return string(k.head) + string(k.tail)
}
