package explain

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func hits(f *filter, text string) []string {
	var out []string
	f.find([]byte(text), func(w, at int) { out = append(out, fmt.Sprint(w, "@", at)) })
	slices.Sort(out)
	return out
}

func slow(words []string, text string) []string {
	var out []string
	for w, word := range words {
		for at := 0; ; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			out = append(out, fmt.Sprint(w, "@", at+i))
			at += i + 1
		}
	}
	slices.Sort(out)
	return out
}

// The filter finds what a plain search finds, also at the ends, overlapping and in each other.
func TestFilter(t *testing.T) {
	t.Parallel()
	words := []string{"hipErrorNoDevice", "NoDevice", "device", "aaaaaa", "aaaaaaaa", "for GPU arch"}
	f := newFilter(words, 4)
	for _, text := range []string{
		"", "aaa", "aaaaaaaaaa", "hipErrorNoDevice", "xhipErrorNoDevice for GPU arch : gfx1100 device", "devicedevice", strings.Repeat("no such device\n", 20),
	} {
		if got, want := hits(f, text), slow(words, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var words []string
		for range 1 + r.IntN(40) {
			w := make([]byte, 4+r.IntN(12))
			for i := range w {
				w[i] = byte('a' + r.IntN(3))
			}
			words = append(words, string(w))
		}
		text := make([]byte, r.IntN(400))
		for i := range text {
			text[i] = byte('a' + r.IntN(4))
		}
		if got, want := hits(newFilter(words, 4), string(text)), slow(words, string(text)); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %v, want %v", words, text, got, want)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	var words []string
	for i := range 400 {
		words = append(words, fmt.Sprintf("hipError%cSome%dthing", 'A'+i%26, i), fmt.Sprintf("rocBLAS error: %d", i))
	}
	f := newFilter(words, 4)
	text := bytes.Repeat([]byte("2026-11-15T08:22:11.123 INFO epoch 3 step 1200 loss 0.4312 lr 1e-4 tokens/s 20123 mem 11.2 GiB device cuda:0\n"), 10000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		f.find(text, func(int, int) {})
	}
}
