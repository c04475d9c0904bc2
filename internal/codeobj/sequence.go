package codeobj

import (
	"bytes"
	"fmt"
)

const (
	page       = 4096
	zeroRun    = 16 * page // beyond it, bundles are looked for at the beginnings of pages only
	searchMost = 64 << 20  // what is searched behind something that is no bundle
	searchStep = 64 << 10
	maxUnsound = 1 << 17 // magic numbers without a bundle behind them
)

// A glance is what was read last of a part, so that the zeros behind a bundle, the magic number of the next one and its
// table cost one read.
type glance struct {
	part part
	at   int64
	data []byte
}

// from returns what stands at an offset: at least n bytes, or all there is. It is good until the next call. To the end of
// the page there are zeros, or the table is; a table on the next page is legal only if that holds all of it.
func (g *glance) from(at int64, n int) ([]byte, error) {
	if skip := at - g.at; skip >= 0 && skip <= int64(len(g.data)) && int64(len(g.data))-skip >= min(int64(n), g.part.size-at) {
		return g.data[skip:], nil
	}
	data, err := g.part.into(g.data, at, page+int((page-at%page)%page))
	if err != nil {
		return nil, err
	}
	g.at, g.data = at, data
	return data, nil
}

// bundles lists the bundles of a section or file. Each object file brings its own; the linker puts them one after the
// other at whole pages, plain ones and compressed ones mixed. Payloads are hopped over, never searched: magic numbers
// occur in them by chance.
func (s *scan) bundles(p part) {
	seen := glance{part: p}
	for at := int64(0); at < p.size && !s.stopped; {
		here := p.from(at)
		head, err := seen.from(at, len(magicBundle))
		if err != nil {
			s.failed(p.where, fmt.Sprintf("the bundles at %d", here.start), err)
			return
		}
		if len(head) == 0 {
			s.problem(p.where, "the bundles: %v", fmt.Errorf("%w: nothing is at %d", errCutShort, here.start))
			return
		}
		length := int64(0)
		switch {
		case bytes.HasPrefix(head, []byte(magicBundle)):
			length = s.bundle(here, head)
		case bytes.HasPrefix(head, []byte(magicCCOB)):
			length = s.compressed(here, head)
		case head[0] == 0:
			length = s.zerosIn(head, p, at)
		}
		if length == 0 && !s.stopped {
			length = s.search(here)
		}
		at += max(length, 1)
	}
}

// zerosIn returns how many zero bytes there are from an offset on, of which some were read already.
func (s *scan) zerosIn(head []byte, p part, at int64) int64 {
	if rest := bytes.TrimLeft(head, "\x00"); len(rest) > 0 {
		return int64(len(head) - len(rest))
	}
	return s.zeros(p, at)
}

// zeros returns how many zero bytes there are from an offset on. A long run, such as the place of code that was split
// off, is not read through: there a bundle can begin at a whole page of the section only.
func (s *scan) zeros(p part, from int64) int64 {
	n := page
	for at := from; at < p.size; at = (at/page + 1) * page {
		if at-from >= zeroRun {
			n = len(magicBundle)
		}
		data, err := p.upTo(at, min(n, page-int(at%page)))
		if err != nil {
			s.failed(p.where, fmt.Sprintf("the bytes at %d", p.start+at), err)
			break
		}
		if rest := bytes.TrimLeft(data, "\x00"); len(rest) > 0 {
			return at + int64(len(data)-len(rest)) - from
		}
		if len(data) == 0 {
			s.problem(p.where, "the bytes at %d: %v", p.start+at, errCutShort)
			break
		}
	}
	return p.size - from
}

// search looks for the next bundle behind something that is none, says what was passed over, and returns its length.
func (s *scan) search(p part) int64 {
	found := p.size
	for at := int64(1); at < p.size && at < searchMost; at += searchStep {
		data, err := p.upTo(at, searchStep+len(magicBundle))
		if err != nil {
			s.failed(p.where, fmt.Sprintf("the bytes at %d", p.start+at), err)
			return p.size
		}
		if i := s.nextBundle(data, p.from(at)); i >= 0 {
			found = at + int64(i)
			break
		}
		if s.unsound > maxUnsound {
			s.stop(p.where, "more than %d magic numbers stand before no bundle", maxUnsound)
			return p.size
		}
		if len(data) < searchStep {
			break
		}
	}
	if found == p.size && p.size > searchMost {
		s.stop(p.where, "%d bytes from %d on are no bundle", int64(searchMost), p.start)
		return p.size
	}
	s.problem(p.where, "%d bytes at %d are no bundle", found, p.start)
	return found
}

// nextBundle finds a magic number with a sound header behind it. Each kind is looked for by itself: to look for both from
// every place where one of them stands would take the square of the time.
func (s *scan) nextBundle(data []byte, p part) int {
	plain, packed := nextMagic(data, magicBundle, 0), nextMagic(data, magicCCOB, 0)
	for {
		at := min(plain, packed)
		switch {
		case at == len(data), s.unsound > maxUnsound:
			return -1
		case soundHeader(data[at:], p.from(int64(at))):
			return at
		case at == plain:
			plain = nextMagic(data, magicBundle, at+1)
		default:
			packed = nextMagic(data, magicCCOB, at+1)
		}
		s.unsound++
	}
}

// nextMagic returns where a magic number stands, and the length of the data where it does not.
func nextMagic(data []byte, magic string, from int) int {
	i := bytes.Index(data[from:], []byte(magic))
	if i < 0 {
		return len(data)
	}
	return from + i
}

// nearest returns where the first of both kinds stands, and -1 where there is none.
func nearest(data []byte) int {
	if at := min(nextMagic(data, magicBundle, 0), nextMagic(data, magicCCOB, 0)); at < len(data) {
		return at
	}
	return -1
}

// soundHeader reads no more than it must: a file can be full of magic numbers.
func soundHeader(head []byte, p part) bool {
	if !bytes.HasPrefix(head, []byte(magicBundle)) {
		if len(head) > 5 && (head[4] == 0 || int(head[4]) > len(lengthsCCOB) || head[5] != 0) {
			return false // no version that there is
		}
		_, err := readCCOB(p, head)
		return err == nil
	}
	entries, _, more, err := parseTable(head)
	if more && len(head) < tableGuess {
		if head, err = p.upTo(0, tableGuess); err != nil {
			return false
		}
		entries, _, more, err = parseTable(head)
	}
	// A longer table is read when it is listed.
	return err == nil && (len(entries) > 0 || more && len(head) >= tableGuess)
}
