package launch

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestKeptIsTheBeginningAndTheEnd holds the keeper to a copy of everything.
func TestKeptIsTheBeginningAndTheEnd(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, keepHead - 1, keepHead, keepHead + 1, keepHead + keepTail, keepHead + keepTail + 1, 3 * keepTail} {
		random := rand.New(rand.NewPCG(1, uint64(size)))
		var all []byte
		var k kept
		for len(all) < size {
			line := []byte(strings.Repeat("x", random.IntN(5000)) + "\n")
			line = line[:min(len(line), size-len(all))]
			all = append(all, line...)
			if n, err := k.Write(line); n != len(line) || err != nil {
				t.Fatal(n, err)
			}
		}
		text, lost := k.bytes()
		if int64(len(text))+lost != int64(len(all)) {
			t.Errorf("of %d bytes %d are kept and %d lost", len(all), len(text), lost)
		}
		if lost == 0 && !bytes.Equal(text, all) {
			t.Errorf("%d bytes are not what was written", size)
		}
		if size > keepHead+keepTail && (lost == 0 || len(text) < keepTail/2) {
			t.Errorf("of %d bytes %d are kept", size, len(text))
		}
		if len(text) > keepHead+keepTail {
			t.Errorf("%d bytes are kept", len(text))
		}
	}
}

func TestKeptAfterAGap(t *testing.T) {
	t.Parallel()
	var k kept
	_, _ = k.Write(bytes.Repeat([]byte("head\n"), keepHead/5+1))
	_, _ = k.Write([]byte("old\n"))
	k.pass(1 << 30)
	_, _ = k.Write([]byte("cut off\nlast\n"))
	text, lost := k.bytes()
	if !bytes.HasPrefix(text, []byte("head\nhead\n")) || !bytes.HasSuffix(text, []byte("\nlast\n")) || bytes.Contains(text, []byte("old")) || lost < 1<<30 {
		t.Errorf("kept %q … %q, lost %d", text[:20], text[len(text)-20:], lost)
	}
}
