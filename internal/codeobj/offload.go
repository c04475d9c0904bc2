package codeobj

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// An offload binary is what clang's newer driver puts into object files (llvm/Object/OffloadBinary.h). Version 1 holds
// one image, version 2 several; offsets count from its beginning.
const (
	offloadHeader  = 32
	offloadRow     = 40
	maxImages      = 4096
	maxStrings     = 64
	maxStringBytes = 1024
	offloadAlign   = 8
)

// offloadBinaries lists the offload binaries of a section, which the linker puts one after the other.
func (s *scan) offloadBinaries(p part) {
	for at := int64(0); at < p.size && !s.stopped; {
		here := p.from(at)
		whole, err := s.offloadBinary(here)
		if err != nil {
			s.failed(p.where, fmt.Sprintf("the offload binary at %d", here.start), err)
			return
		}
		at += (whole + offloadAlign - 1) / offloadAlign * offloadAlign
		if at < p.size {
			at += s.zeros(p, at)
		}
	}
}

// offloadBinary lists one, and returns its length.
func (s *scan) offloadBinary(p part) (int64, error) {
	h, err := p.exactly(0, offloadHeader)
	if err != nil {
		return 0, err
	}
	u := func(at int) uint64 { return binary.LittleEndian.Uint64(h[at:]) }
	version := binary.LittleEndian.Uint32(h[4:])
	if string(h[:4]) != magicOffload || version < 1 || version > 2 {
		return 0, fmt.Errorf("it has no header of version 1 or 2")
	}
	whole, err := p.cut(0, u(8))
	if err != nil {
		return 0, err
	}
	if whole.size < offloadHeader {
		return 0, fmt.Errorf("it has %d bytes", whole.size)
	}
	count := uint64(1)
	if version == 2 {
		count = u(24)
	}
	if count > maxImages {
		return 0, fmt.Errorf("%w: %d images", errTooMuch, count)
	}
	table, err := whole.cut(u(16), count*offloadRow)
	if err != nil {
		return 0, err
	}
	rows, err := table.exactly(0, int(table.size))
	if err != nil {
		return 0, err
	}
	for ; len(rows) > 0; rows = rows[offloadRow:] {
		if err := s.image(whole, rows[:offloadRow], version); err != nil {
			return 0, err
		}
	}
	return whole.size, nil
}

// image lists one image under the name that a bundle would give it.
func (s *scan) image(whole part, row []byte, version uint32) error {
	u := func(at int) uint64 { return binary.LittleEndian.Uint64(row[at:]) }
	texts, err := imageStrings(whole, u(8), u(16), version)
	if err != nil {
		return err
	}
	body, err := whole.cut(u(24), u(32))
	if err != nil {
		return err
	}
	s.entry(body, "hip-"+strings.TrimRight(texts["triple"], "-")+"--"+texts["arch"], body)
	return nil
}

// imageStrings reads the words about an image: triple and arch. In version 1 a value ends with a zero, in version 2
// its length is given too.
func imageStrings(whole part, at, count uint64, version uint32) (map[string]string, error) {
	if count > maxStrings {
		return nil, fmt.Errorf("%w: %d strings", errTooMuch, count)
	}
	width := uint64(16)
	if version == 2 {
		width = 24
	}
	table, err := whole.cut(at, count*width)
	if err != nil {
		return nil, err
	}
	rows, err := table.exactly(0, int(table.size))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for ; len(rows) > 0; rows = rows[width:] {
		key, err := text(whole, binary.LittleEndian.Uint64(rows))
		if err != nil {
			return nil, err
		}
		if texts[key], err = text(whole, binary.LittleEndian.Uint64(rows[8:])); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// text reads a text that ends with a zero.
func text(p part, at uint64) (string, error) {
	if at >= uint64(p.size) { //nolint:gosec // a size is never negative
		return "", fmt.Errorf("%w: a text is said to stand at %d", errCutShort, at)
	}
	data, err := p.upTo(int64(at), maxStringBytes) //nolint:gosec // within the part
	if err != nil {
		return "", err
	}
	out, _, found := strings.Cut(string(data), "\x00")
	if !found {
		return "", fmt.Errorf("a text at %d has no end", at)
	}
	return out, nil
}
