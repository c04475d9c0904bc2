package codeobj

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// magicHSA is how a code object for ROCm begins: ELF, 64 bits, little-endian, version 1, AMDGPU_HSA.
const magicHSA = "\x7fELF\x02\x01\x01\x40"

// carve looks for code objects in the data of a program, outside of what was listed. The HSA runtime carries its own
// kernels that way.
func (s *scan) carve(p part, listed []part) {
	slices.SortFunc(listed, func(a, b part) int { return cmp.Compare(a.start, b.start) })
	at := int64(0)
	for _, l := range listed {
		if from := l.start - p.start; from > at {
			s.carveObjects(part{src: p.src, start: p.start + at, size: from - at, where: p.where})
		}
		at = max(at, l.start+l.size-p.start)
	}
	s.carveObjects(p.from(at))
}

// carveObjects goes through all bytes of a part.
func (s *scan) carveObjects(p part) {
	for at := int64(0); at < p.size && !s.stopped; {
		data, err := p.upTo(at, batch)
		if err != nil {
			s.failed(p.where, "the search for code objects", err)
			return
		}
		next := s.carveBatch(p, at, data)
		if len(data) < batch && next <= at+int64(len(data)) {
			return
		}
		at = next
	}
}

// carveBatch lists the code objects that begin in some bytes of a part, and returns where to go on.
func (s *scan) carveBatch(p part, at int64, data []byte) int64 {
	for from := 0; !s.stopped; {
		i := bytes.Index(data[from:], []byte(magicHSA))
		if i < 0 {
			break
		}
		length := max(s.carved(p.from(at+int64(from+i))), 1)
		if int64(from+i)+length > int64(len(data)) {
			return at + int64(from+i) + length
		}
		from += i + int(length)
	}
	return at + int64(max(len(data)-len(magicHSA)+1, 1)) // the next one may begin in the last bytes
}

// carved lists the code object that a part begins with, and returns its length: the section headers are its end.
func (s *scan) carved(p part) int64 {
	h, err := p.upTo(0, elfHeader)
	if err != nil || len(h) < elfHeader {
		return 0
	}
	g, ok := readGPUELF(h)
	if !ok || g.err != nil {
		return 0
	}
	rows := uint64(binary.LittleEndian.Uint16(h[58:])) * uint64(binary.LittleEndian.Uint16(h[60:]))
	body, err := p.cut(binary.LittleEndian.Uint64(h[40:]), rows)
	if err != nil {
		return 0
	}
	length := max(body.start+body.size-p.start, elfHeader)
	s.raw(part{src: p.src, start: p.start, size: length, where: p.where})
	return length
}
