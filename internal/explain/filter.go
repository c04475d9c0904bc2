package explain

import "bytes"

// A filter finds the places in a text where one of many words stands, in one pass: the algorithm of Wu and Manber
// ("A fast algorithm for multi-pattern searching", 1994). All words are looked at through a window as long as the
// shortest. The three bytes at the end of the window say how far it can be moved without missing anything; in most
// places of a log that is nearly its length.
type filter struct {
	words  []word
	window int
	shift  [tableSize]uint8
	first  [tableSize]uint16 // 1 + the first word whose window ends so, in places where shift is 0
	next   []uint16          // 1 + the next one
}

// A word is a text to look for. Its window begins at from: somewhere in the word, where letters are rare.
type word struct {
	text []byte
	from int
}

const (
	tableBits = 15
	tableSize = 1 << tableBits
	maxWindow = 12
)

func slot(a, b, c byte) uint {
	return (uint(a)*0x9E5 ^ uint(b)*0x13B ^ uint(c)) & (tableSize - 1)
}

// newFilter makes a filter for words of three letters or more.
func newFilter(texts []string) *filter {
	f := &filter{window: maxWindow}
	for _, t := range texts {
		f.window = min(f.window, len(t))
	}
	for i := range f.shift {
		f.shift[i] = uint8(f.window - 2) //nolint:gosec // at most maxWindow
	}
	f.next = make([]uint16, len(texts))
	for i, t := range texts {
		w := word{text: []byte(t), from: rarest(t, f.window)}
		f.words = append(f.words, w)
		view := w.text[w.from : w.from+f.window]
		for at := 2; at < f.window; at++ {
			s := slot(view[at-2], view[at-1], view[at])
			f.shift[s] = min(f.shift[s], uint8(f.window-1-at)) //nolint:gosec // at most maxWindow
		}
		end := slot(view[f.window-3], view[f.window-2], view[f.window-1])
		f.next[i] = f.first[end]
		f.first[end] = uint16(i + 1) //nolint:gosec // a catalogue has some thousand words
	}
	return f
}

// rarest is where the window of a word begins: capitals, digits and signs are rarer than small letters.
func rarest(text string, window int) int {
	best, at := -1, 0
	for from := 0; from+window <= len(text); from++ {
		rare := 0
		for _, c := range []byte(text[from : from+window]) {
			switch {
			case c >= 'a' && c <= 'z', c == ' ', c == '/', c == '.':
			default:
				rare++
			}
		}
		if rare > best {
			best, at = rare, from
		}
	}
	return at
}

// find calls found with the number of each word and the place where it stands, in the order of the places of their
// windows.
func (f *filter) find(text []byte, found func(word, at int)) {
	if len(f.words) == 0 {
		return
	}
	m := f.window
	for end := m - 1; end < len(text); {
		s := slot(text[end-2], text[end-1], text[end])
		if skip := f.shift[s]; skip > 0 {
			end += int(skip)
			continue
		}
		for n := f.first[s]; n > 0; n = f.next[n-1] {
			w := &f.words[n-1]
			at := end - m + 1 - w.from
			if at >= 0 && at+len(w.text) <= len(text) && bytes.Equal(text[at:at+len(w.text)], w.text) {
				found(int(n-1), at)
			}
		}
		end++
	}
}
