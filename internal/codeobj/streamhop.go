package codeobj

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// A hop is something whose payload is not needed.
type hop struct {
	length int64
	keep   []span // within it
}

const (
	mostFailures = 1000    // of magic numbers with nothing behind them, each of which costs time
	farthest     = 1 << 40 // no bundle is longer
	zlibHead     = 160 << 10
)

// find returns how many of the bytes that are ready stand before the next hop, and the hop.
func (s *stream) find(ready int) (int, hop) {
	switch {
	case !s.hopping || s.failed > mostFailures || s.kind == KindCodeObject:
		return ready, hop{}
	case s.kind == KindELF:
		return s.findEvery(page, ready, hopBundle)
	case s.kind == KindKpack:
		return s.findBlob(ready)
	}
	return s.search(ready)
}

// findEvery looks at every multiple of a size.
func (s *stream) findEvery(step int, ready int, at func([]byte) (hop, bool)) (int, hop) {
	first := (step - int(s.at%int64(step))) % step
	for i := first; i < ready; i += step {
		if h, ok := at(s.ahead()[i:]); ok {
			return i, h
		}
	}
	return ready, hop{}
}

// search looks everywhere: in archives and programs of Windows, bundles begin where they like.
func (s *stream) search(ready int) (int, hop) {
	data := s.ahead()
	for from := 0; s.failed <= mostFailures; from++ {
		i := nearest(data[from:min(ready+len(magicBundle), len(data))])
		if i < 0 || from+i >= ready {
			break
		}
		from += i
		if h, ok := hopBundle(data[from:]); ok {
			return from, h
		}
		s.failed++
	}
	return ready, hop{}
}

// findBlob follows the compressed blobs of a kpack archive, or finds code objects at multiples of 64, where its writer
// puts them.
func (s *stream) findBlob(ready int) (int, hop) {
	if s.blob >= s.at && s.blob < s.at+int64(ready) {
		i := int(s.blob - s.at)
		if h, ok := hopBlob(s.ahead()[i:]); ok {
			s.blob += h.length
			return i, h
		}
		s.blob = -1
	}
	return s.findEvery(elfHeader, ready, hopCode)
}

// hopBundle goes over the bundle that bytes begin with, where its table is sound.
func hopBundle(data []byte) (hop, bool) {
	switch {
	case bytes.HasPrefix(data, []byte(magicBundle)):
		return hopPlain(data)
	case bytes.HasPrefix(data, []byte(magicCCOB)):
		return hopCompressed(data)
	}
	return hop{}, false
}

func hopPlain(data []byte) (hop, bool) {
	entries, length, more, err := parseTable(data)
	if err != nil || more || len(entries) == 0 {
		return hop{}, false
	}
	table := int64(tableGuess) // as much as is read at once
	for table < length {
		table *= 4
	}
	h := hop{length: length, keep: []span{{0, table}}}
	for _, e := range entries {
		if e.offset > farthest || e.size > farthest {
			return hop{}, false
		}
		from, size := int64(e.offset), int64(e.size)
		h.length = max(h.length, from+size)
		h.keep = append(h.keep, span{from, from + min(size, elfHeader)})
	}
	h.keep = merged(h.keep)
	return h, true
}

// merged puts spans in order and joins those that touch.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.from <= last.to {
			last.to = max(last.to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// hopCompressed keeps the first block. Version 1 does not say how long it is, and its blocks are kept like other bytes.
func hopCompressed(data []byte) (hop, bool) {
	c, err := readCCOB(part{src: bytes.NewReader(data), size: farthest}, nil)
	if err != nil || c.whole == 0 {
		return hop{}, false
	}
	header := c.data.start
	head := header + zlibHead
	if c.method == methodZstd {
		end, ok := firstBlockEnd(data[header:])
		if !ok {
			return hop{}, false
		}
		head = header + end
	}
	return hop{c.whole, []span{{0, max(head, page)}}}, true // who looks behind zeros reads a page
}

// firstBlockEnd says where the first block of a zstd frame ends.
func firstBlockEnd(data []byte) (int64, bool) {
	p := part{src: bytes.NewReader(data), size: int64(len(data))}
	at, _, err := frameStart(p)
	if err != nil {
		return 0, false
	}
	b, err := readBlock(p, at)
	if err != nil {
		return 0, false
	}
	return at + blockHeader + int64(b.stored), true
}

// hopBlob goes over a compressed blob and the length before it.
func hopBlob(data []byte) (hop, bool) {
	const before = 4
	if len(data) < before {
		return hop{}, false
	}
	end, ok := firstBlockEnd(data[before:])
	if !ok {
		return hop{}, false
	}
	return hop{before + int64(binary.LittleEndian.Uint32(data)), []span{{0, before + end}}}, true
}

// hopCode goes over a code object: its section headers are its end.
func hopCode(data []byte) (hop, bool) {
	if _, ok := readGPUELF(data[:min(len(data), elfHeader)]); !ok {
		return hop{}, false
	}
	at := binary.LittleEndian.Uint64(data[40:])
	rows := int64(binary.LittleEndian.Uint16(data[58:])) * int64(binary.LittleEndian.Uint16(data[60:]))
	if at < elfHeader || at > farthest {
		return hop{}, false
	}
	return hop{int64(at) + rows, []span{{0, elfHeader}}}, true
}
