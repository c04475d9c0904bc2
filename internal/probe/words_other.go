//go:build !linux

package probe

import (
	"io"
	"os"
)

// listen keeps what comes out of a pipe until its end.
func (k *keeper) listen(pipe *os.File) { _, _ = io.Copy(k, pipe) }

// Write never fails.
func (k *keeper) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(p)
	return len(p), nil
}

// catchUp does nothing: a pipe cannot be asked here whether it holds something, and
// words that come together with an answer may be missed.
func (*keeper) catchUp(*os.File) {}
