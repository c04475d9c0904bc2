package explain

import "encoding/binary"

// A filter finds the places in a text where one of many words stands, in one pass. It looks at a piece of some bytes at a
// time, and only at every stride-th place: a word of stride+piece-1 letters covers one of these places whole. A small
// table, which stays in the nearest cache, says whether the piece may belong to a word; in nearly all places it does not.
// Unlike with algorithms that skip by what they read, the next place does not depend on the answer, so the processor looks
// at several at once.
type filter struct {
	words   []word
	piece   int    // bytes
	mask    uint64 // of the piece in eight bytes
	stride  int
	maybe   [1 << (maybeBits - 6)]uint64 // a bit for each piece that a word may have, by its hash
	pieces  []piece                      // those that words do have: a hash table, empty where entry is 0
	next    []uint16                     // by entry: the next one with the same piece
	entries []entry                      // from 1
}

// A word is a text to look for. Its window, where the filter looks, begins at from.
type word struct {
	text string
	from int
}

// A piece is some bytes of a text, and the first entry that has them.
type piece struct {
	bytes uint64
	entry uint16
}

// An entry is a place in the window of a word.
type entry struct{ word, offset uint16 }

const (
	maxStride = 4
	maybeBits = 18
	maxWords  = (1<<16 - 2) / maxStride
	wide      = 8 // bytes are read at once
)

func hash(bytes uint64) uint64 { return bytes * 0x9E3779B97F4A7C15 }

// newFilter makes a filter for at most maxWords words, none shorter than size.
func newFilter(texts []string, size int) *filter {
	f := &filter{piece: size, mask: 1<<(8*size) - 1, stride: maxStride, words: make([]word, 0, len(texts))}
	for _, t := range texts {
		f.words = append(f.words, word{text: t})
		f.stride = min(f.stride, len(t)-size+1)
	}
	slots := 1
	for 2*slots < 3*len(texts)*f.stride {
		slots *= 2
	}
	f.pieces = make([]piece, slots)
	f.entries = make([]entry, 1, 1+len(texts)*f.stride)
	f.next = make([]uint16, 1, 1+len(texts)*f.stride)
	taken := new(counts)
	for i := range f.words {
		w := &f.words[i]
		w.from = f.rarest(w.text, taken)
		for offset := range f.stride {
			bytes := f.in(w.text[w.from+offset:])
			*taken.of(bytes)++
			f.add(bytes, entry{uint16(i), uint16(offset)}) //nolint:gosec // fewer than maxWords
		}
	}
	return f
}

// in returns the piece at the beginning of a word.
func (f *filter) in(text string) uint64 {
	var padded [wide]byte
	copy(padded[:], text)
	return binary.LittleEndian.Uint64(padded[:]) & f.mask
}

func (f *filter) add(bytes uint64, e entry) {
	bit := hash(bytes) >> (64 - maybeBits)
	f.maybe[bit/64] |= 1 << (bit % 64)
	f.entries = append(f.entries, e)
	p := f.slot(bytes)
	f.next = append(f.next, p.entry)
	*p = piece{bytes, uint16(len(f.entries) - 1)} //nolint:gosec // fewer than maxWords times maxStride
}

// slot is where a piece stands in the table, or would.
func (f *filter) slot(bytes uint64) *piece {
	last := uint64(len(f.pieces) - 1) //nolint:gosec // never empty
	for at := hash(bytes) >> 20 & last; ; at = (at + 1) & last {
		if p := &f.pieces[at]; p.entry == 0 || p.bytes == bytes {
			return p
		}
	}
}

// counts says how many words have certain pieces in their windows; hashes that meet do little harm.
type counts [1 << 12]uint16

func (c *counts) of(bytes uint64) *uint16 { return &c[hash(bytes)>>(64-12)] }

// rarest is where the window of a word begins: where few of its pieces are those of other words, or of small letters only,
// of which logs are full.
func (f *filter) rarest(text string, taken *counts) int {
	const plain = 10 // small letters alone are worse than what three words share
	var costs [maxStride]int
	best, at, sum, rare := 0, -1, 0, -1
	for i := range text {
		if c := text[i]; (c < 'a' || c > 'z') && c != ' ' && c != '/' && c != '.' {
			rare = i
		}
		begin := i - f.piece + 1 // of the piece that ends here
		if begin < 0 {
			continue
		}
		cost := int(*taken.of(f.in(text[begin:])))
		if rare < begin {
			cost += plain
		}
		sum += cost - costs[begin%f.stride]
		costs[begin%f.stride] = cost
		if from := begin - f.stride + 1; from >= 0 && (at < 0 || sum < best) {
			best, at = sum, from
		}
	}
	return at
}

// find calls found with the number of each word and the place where it stands, in the order of their windows.
func (f *filter) find(text []byte, found func(word, at int)) {
	if len(f.words) == 0 {
		return
	}
	i := 0
	for ; i+wide <= len(text); i += f.stride {
		bytes := binary.LittleEndian.Uint64(text[i:]) & f.mask
		bit := hash(bytes) >> (64 - maybeBits)
		if f.maybe[bit/64]&(1<<(bit%64)) != 0 {
			f.verify(text, i, bytes, found)
		}
	}
	for ; i+f.piece <= len(text); i += f.stride { // the last few bytes
		f.verify(text, i, f.in(string(text[i:])), found)
	}
}

func (f *filter) verify(text []byte, i int, bits uint64, found func(word, at int)) {
	for n := f.slot(bits).entry; n > 0; n = f.next[n] {
		e := f.entries[n]
		w := &f.words[e.word]
		begin := i - int(e.offset) - w.from
		if begin >= 0 && begin+len(w.text) <= len(text) && string(text[begin:begin+len(w.text)]) == w.text {
			found(int(e.word), begin)
		}
	}
}
