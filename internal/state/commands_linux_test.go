package state

import (
	"strings"
	"testing"
	"time"
)

// TestCommandsAreAskedToEnd: a command at its limit may clean up, and what it left
// running holds nobody.
func TestCommandsAreAskedToEnd(t *testing.T) {
	t.Parallel()
	const (
		long  = time.Hour
		limit = 5 * time.Second // enough for a shell to come so far
		grace = 3 * time.Second // and for what it said to be read
	)
	said, err := runWithin([]string{"/bin/sh", "-c", "trap 'echo put back; exit 3' TERM; while :; do sleep 0.05; done"}, limit, long)
	if said != "put back" || err == nil || !strings.Contains(err.Error(), "it was ended after 5s: put back") {
		t.Errorf("at the limit: %q, %v", said, err)
	}
	if said, err = runWithin([]string{"/bin/sh", "-c", "(sleep 30; echo late) & echo done"}, long, grace); err != nil || said != "done" {
		t.Errorf("left running: %q, %v", said, err)
	}
	if said, err = runWithin([]string{"/bin/sh", "-c", "echo why >&2; exit 3"}, long, long); said != "why" || err == nil || !strings.HasSuffix(err.Error(), "exit status 3: why") {
		t.Errorf("failed: %q, %v", said, err)
	}
}

// TestTail: of what a command says the end is kept, and no more.
func TestTail(t *testing.T) {
	t.Parallel()
	var kept tail
	all := strings.Repeat("0123456789abcdef", 2*saying/16) + "end"
	for from := 0; from < len(all); from += 1000 {
		part := all[from:min(from+1000, len(all))]
		if n, err := kept.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("took %d of %d: %v", n, len(part), err)
		}
	}
	if got := string(kept.kept); got != all[len(all)-saying:] {
		t.Errorf("kept %d bytes that end with %q", len(got), got[max(0, len(got)-20):])
	}
	var once tail
	if _, err := once.Write([]byte(all)); err != nil || string(once.kept) != string(kept.kept) {
		t.Errorf("written at once, %d bytes are kept, %v", len(once.kept), err)
	}
}
