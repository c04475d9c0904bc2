package scan

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// inOrder asks for n results, as many at a time as there are processors, and
// returns them in their order.
func inOrder(n int, ask func(i int) found) []found {
	out := make([]found, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				out[i] = ask(i)
			}
		})
	}
	workers.Wait()
	return out
}

// A tool is memory that is used for one file after the other, by one at a time.
type tool struct {
	gatherer codeobj.Gatherer
	kernels  codeobj.KernelReader
}

// tools lends them. There are never more than files that are read at a time.
type tools struct {
	mutex sync.Mutex
	free  []*tool
}

func (t *tools) take(o codeobj.Options) *tool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if n := len(t.free); n > 0 {
		last := t.free[n-1]
		t.free = t.free[:n-1]
		return last
	}
	return &tool{kernels: codeobj.KernelReader{Options: o}}
}

func (t *tools) giveBack(used *tool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.free = append(t.free, used)
}

// patience is how long one read may take: on a network or in user space somebody
// may never answer.
const patience = 5 * time.Second

// A watch sees whether reads come to an end.
type watch struct {
	reading atomic.Int32 // begun and not ended
	ended   atomic.Int64
}

// A watchedFile tells its watch of every read.
type watchedFile struct {
	io.ReaderAt
	watch *watch
}

func (f watchedFile) ReadAt(p []byte, off int64) (int, error) {
	f.watch.reading.Add(1)
	defer func() {
		f.watch.reading.Add(-1)
		f.watch.ended.Add(1)
	}()
	return f.ReaderAt.ReadAt(p, off)
}

// watched looks at one thing, and gives it up when a read does not come to an
// end. A system call cannot be cancelled: what waits for it is left behind, and
// what it finds then is not taken.
func (s *scanner) watched(name string, look func(w *watch) found) found {
	w, done := &watch{}, make(chan found, 1)
	go func() { done <- look(w) }()
	timer := time.NewTicker(s.patience / 2)
	defer timer.Stop()
	for before, stuck := int64(0), 0; ; {
		select {
		case f := <-done:
			return f
		case <-timer.C:
		}
		if now := w.ended.Load(); w.reading.Load() == 0 || now != before {
			before, stuck = now, 0
		} else if stuck++; stuck > 1 {
			f := found{files: 1}
			f.problem(name, fmt.Sprintf("a read did not end within %v", s.patience))
			return f
		}
	}
}
