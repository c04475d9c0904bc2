package explain

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// A matcher knows the forms of all signatures. It compiles a pattern when a line first holds its words.
type matcher struct {
	long       *filter // of most words
	short      *filter // of those that are too short for it
	ofWord     [][]int // signatures by the number of a word, the long ones first
	signatures []cause.Signature
	patterns   [][]pattern
}

// Words are looked for in two ways: long ones by longer pieces, which stand by chance in fewer places.
const (
	longWord   = 10
	longPiece  = longWord - maxStride + 1
	shortPiece = 4
)

func newMatcher(c cause.Catalogue) (*matcher, error) {
	m := &matcher{signatures: c.Signatures}
	m.patterns = make([][]pattern, len(c.Signatures))
	total := 0
	for i, s := range c.Signatures {
		m.patterns[i] = make([]pattern, len(s.Match))
		total += len(s.Anchors)
	}
	long, short := newWordList(total), newWordList(0)
	for i, s := range c.Signatures {
		for _, text := range s.Anchors {
			if len(text) < longWord {
				short.add(text, i)
			} else {
				long.add(text, i)
			}
		}
	}
	if n := max(len(long.words), len(short.words)); n > maxWords {
		return nil, fmt.Errorf("the catalogue has %d words to look for, and %d are the most", n, maxWords)
	}
	m.long, m.short = newFilter(long.words, longPiece), newFilter(short.words, shortPiece)
	m.ofWord = slices.Concat(long.signatures, short.signatures)
	return m, nil
}

// A wordList holds words, each once, and the signatures that have them.
type wordList struct {
	words      []string
	signatures [][]int
	number     map[string]int
	single     []int // where the signatures of most words stand: they have one
}

func newWordList(size int) *wordList {
	return &wordList{words: make([]string, 0, size), signatures: make([][]int, 0, size), number: make(map[string]int, size), single: make([]int, 0, size)}
}

func (l *wordList) add(text string, signature int) {
	n, known := l.number[text]
	if !known {
		n = len(l.words)
		l.number[text] = n
		l.words = append(l.words, text)
		l.single = append(l.single, signature)
		l.signatures = append(l.signatures, l.single[len(l.single)-1:len(l.single):len(l.single)])
		return
	}
	l.signatures[n] = append(l.signatures[n], signature)
}

// A pattern is compiled when it is first needed.
type pattern struct {
	once sync.Once
	re   *regexp.Regexp
}

func (p *pattern) compiled(text string) *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(text) })
	return p.re
}

// try holds a line to one signature.
func (m *matcher) try(i int, text string) (from, to int, values map[string]string, ok bool) {
	s := &m.signatures[i]
	for _, t := range s.Text {
		if at := strings.Index(text, t); at >= 0 {
			return at, at + len(t), nil, true
		}
	}
	for n := range s.Match {
		re := m.patterns[i][n].compiled(s.Match[n])
		found := re.FindStringSubmatchIndex(text)
		if found == nil {
			continue
		}
		values = map[string]string{}
		for n, name := range re.SubexpNames() {
			if name != "" && found[2*n] >= 0 {
				values[name] = text[found[2*n]:found[2*n+1]]
			}
		}
		return found[0], found[1], values, true
	}
	return 0, 0, nil, false
}

// A line holds words of signatures. One like an earlier line has no matches: it is counted with that one.
type line struct {
	key     uint64 // the same for lines that differ in numbers only
	number  int64
	matches []Match
}

// A searcher searches chunks for one goroutine.
type searcher struct {
	*matcher
	seed maphash.Seed
	hits []place
	seen map[uint64]bool // whether lines like it have matches
}

// seed makes lines comparable between searchers.
var seed = maphash.MakeSeed()

func (m *matcher) searcher() *searcher {
	return &searcher{matcher: m, seed: seed, seen: map[uint64]bool{}}
}

func (s *searcher) search(c *chunk) []line {
	s.hits = s.hits[:0]
	s.long.find(c.data, func(word, at int) { s.hits = append(s.hits, place{at, word}) })
	s.short.find(c.data, func(word, at int) { s.hits = append(s.hits, place{at, len(s.long.words) + word}) })
	slices.SortFunc(s.hits, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	var out []line
	counted, number := c.from, c.lines // lines that end before counted
	for rest := s.hits; len(rest) > 0; {
		from, to := around(c.data, rest[0].at)
		n := 1
		for n < len(rest) && rest[n].at < to {
			n++
		}
		here := rest[:n]
		rest = rest[n:]
		if to <= c.from {
			continue // of the line before
		}
		number += int64(bytes.Count(c.data[counted:max(from, counted)], []byte{'\n'}))
		counted = max(from, counted)
		if l, ok := s.line(c.data, from, to, here); ok {
			l.number = number + 1
			out = append(out, l)
		}
	}
	return out
}

// A place is where a word stands.
type place struct{ at, word int }

// around returns the line in which a word stands. Progress bars are written over with a carriage return, and what
// follows one is a line of its own.
func around(data []byte, at int) (from, to int) {
	lowest, highest := max(at-maxLine, 0), min(at+maxLine, len(data))
	from = lowest
	if i := bytes.LastIndexAny(data[lowest:at], "\r\n"); i >= 0 {
		from = lowest + i + 1
	}
	to = highest
	if i := bytes.IndexAny(data[at:highest], "\r\n"); i >= 0 {
		to = at + i
	}
	return from, to
}

// line holds a line to the signatures whose words it has.
func (s *searcher) line(data []byte, from, to int, hits []place) (line, bool) {
	const most = 100_000
	answer := answerTo(data, from, to)
	key := s.key(data[from : to+len(answer)])
	l := line{key: key}
	if matched, seen := s.seen[key]; seen {
		return l, matched
	}
	text := clean(data[from:to])
	if len(answer) > 0 {
		text += " " + clean(answer)
	}
	frame := isFrame(data[:from], text)
	stamp := stampOf(text)
	tried := map[int]bool{}
	for _, h := range hits {
		for _, i := range s.ofWord[h.word] {
			if tried[i] {
				continue
			}
			tried[i] = true
			if a, b, values, ok := s.try(i, text); ok {
				l.matches = append(l.matches, Match{Signature: s.signatures[i], Text: text, Values: values, from: a, to: b, frame: frame, stamp: stamp})
			}
		}
	}
	if len(s.seen) < most {
		s.seen[key] = len(l.matches) > 0
	}
	return l, len(l.matches) > 0
}

// key is the same for lines that differ in numbers only.
func (s *searcher) key(text []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	start := 0
	for i, c := range text {
		if c >= '0' && c <= '9' {
			_, _ = h.Write(text[start:i])
			start = i + 1
		}
	}
	_, _ = h.Write(text[start:])
	return h.Sum64()
}
