package explain

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// A filter finds the places in a text where one of many words stands, in one pass. It looks at four bytes at a time, and
// only at every stride-th place: a word that is at least stride+3 letters long covers one of these places whole. A small
// table, which stays in the nearest cache, says whether the four bytes belong to any word; in nearly all places they do
// not. Unlike with algorithms that skip by what they read, the next place does not depend on the answer, so the
// processor looks at several at once.
type filter struct {
	words  []word
	stride int
	known  [grams / 64]uint64 // four bytes that begin near the start of a word's window, by their hash
	first  [grams]uint16      // 1 + the first entry of such bytes
	next   []uint16           // by entry: 1 + the next one
}

// A word is a text to look for. Its window begins at from: somewhere in the word, where letters are rare.
type word struct {
	text []byte
	from int
}

const (
	gramBits  = 16
	grams     = 1 << gramBits
	gram      = 4
	maxStride = 4
)

func gramOf(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 0x9E3779B1 >> (32 - gramBits)
}

// newFilter makes a filter for words of four letters or more.
func newFilter(texts []string) *filter {
	f := &filter{stride: maxStride}
	for _, t := range texts {
		f.stride = min(f.stride, len(t)-gram+1)
	}
	for _, t := range texts {
		f.words = append(f.words, word{text: []byte(t), from: rarest(t, f.stride+gram-1)})
	}
	f.next = make([]uint16, len(texts)*f.stride)
	for i, w := range f.words {
		for offset := range f.stride {
			g := gramOf(w.text[w.from+offset:])
			entry := i*f.stride + offset
			f.known[g/64] |= 1 << (g % 64)
			f.next[entry] = f.first[g]
			f.first[g] = uint16(entry + 1) //nolint:gosec // newFilter is given fewer than maxWords
		}
	}
	return f
}

// maxWords is how many words a filter takes.
const maxWords = (1<<16 - 1) / maxStride

// rarest is where the window of a word begins: where most of its fours hold a capital, a digit or a sign, which are rarer
// in logs than small letters.
func rarest(text string, window int) int {
	best, at := -1, 0
	for from := 0; from+window <= len(text); from++ {
		rare := 0
		for i := from; i+gram <= from+window; i++ {
			if strings.Trim(text[i:i+gram], "abcdefghijklmnopqrstuvwxyz /.") != "" {
				rare++
			}
		}
		if rare > best {
			best, at = rare, from
		}
	}
	return at
}

// find calls found with the number of each word and the place where it stands, in the order of their windows.
func (f *filter) find(text []byte, found func(word, at int)) {
	if len(f.words) == 0 {
		return
	}
	for i := 0; i+gram <= len(text); i += f.stride {
		g := gramOf(text[i:])
		if f.known[g/64]&(1<<(g%64)) != 0 {
			f.verify(text, i, g, found)
		}
	}
}

func (f *filter) verify(text []byte, i int, g uint32, found func(word, at int)) {
	for n := f.first[g]; n > 0; n = f.next[n-1] {
		number, offset := int(n-1)/f.stride, int(n-1)%f.stride
		w := &f.words[number]
		at := i - offset - w.from
		if at >= 0 && at+len(w.text) <= len(text) && bytes.Equal(text[at:at+len(w.text)], w.text) {
			found(number, at)
		}
	}
}
