package codeobj

import (
	"bytes"
	"encoding/binary"
)

// magicHSA is how a code object for ROCm begins: ELF, 64 bits, little-endian, version 1, AMDGPU_HSA.
const magicHSA = "\x7fELF\x02\x01\x01\x40"

// carveObjects looks for code objects in the data of a library, outside of any bundle. The HSA runtime carries its own
// kernels that way.
func (s *scan) carveObjects(p part) {
	for at := int64(elfHeader); at < p.size && !s.stopped; {
		data, err := p.upTo(at, batch)
		if err != nil {
			s.failed(p.where, "the search for code objects", err)
			return
		}
		i := bytes.Index(data, []byte(magicHSA))
		if i < 0 {
			if len(data) < batch {
				return
			}
			at += int64(len(data) - len(magicHSA) + 1)
			continue
		}
		at += int64(i)
		at += max(s.carved(p.from(at)), 1)
	}
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
	s.raw(part{src: p.src, start: p.start, size: body.start + body.size - p.start, where: p.where})
	return body.start + body.size - p.start
}
