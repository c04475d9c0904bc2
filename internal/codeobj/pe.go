package codeobj

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The layout is that of Microsoft's "PE Format".
const (
	machineX64, machineARM64 = 0x8664, 0xaa64
	dosHeader                = 64
	coffHeader               = 20
	bigHeader                = 56
	symbolRow, bigSymbolRow  = 18, 20
	peSectionRow             = 40
	maxPESections            = 1 << 16
)

// errNoNames is what a program that was stripped says of its long names: that it has none.
var errNoNames = errors.New("there are no long names")

// A coff is where the tables of an object file, or of a program, stand.
type coff struct {
	sectionsAt int64
	sections   int
	symbolsAt  int64
	symbols    int64
	symbolSize int64
	program    bool
}

// isCOFF is careful: an object file has no magic number, only the number of a machine, and no optional header.
func isCOFF(head []byte) bool {
	if len(head) < coffHeader {
		return false
	}
	if isBigObject(head) {
		return true
	}
	machine := binary.LittleEndian.Uint16(head)
	return (machine == machineX64 || machine == machineARM64) && binary.LittleEndian.Uint16(head[16:]) == 0 &&
		binary.LittleEndian.Uint16(head[2:]) > 0 && binary.LittleEndian.Uint16(head[18:])&0x2 == 0
}

// isBigObject knows object files with more than 65279 sections (cl /bigobj).
func isBigObject(head []byte) bool {
	return len(head) >= bigHeader && string(head[:4]) == "\x00\x00\xff\xff" && binary.LittleEndian.Uint16(head[4:]) >= 2 &&
		string(head[12:28]) == "\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8"
}

func (s *scan) windows(p part, kind Kind) {
	c, err := readCOFF(p, kind)
	if err != nil {
		s.failed(p.where, "the headers", err)
		return
	}
	before, listed := s.file, len(s.listed)
	found, err := s.peSections(p, c)
	if err != nil {
		s.failed(p.where, "the section headers", err)
		return
	}
	s.sections(p.where, found)
	s.settle(p.where, before)
	if s.deep {
		s.carve(p, s.listed[listed:])
	}
}

func readCOFF(p part, kind Kind) (coff, error) {
	at := int64(0)
	if kind == KindPE {
		if p.size < dosHeader {
			return coff{}, nil // a program for DOS, or a text that begins as one
		}
		dos, err := p.exactly(0, dosHeader)
		if err != nil {
			return coff{}, err
		}
		at = int64(binary.LittleEndian.Uint32(dos[60:]))
		if signature, err := p.exactly(at, 4); err != nil || string(signature) != "PE\x00\x00" {
			return coff{}, err
		}
		at += 4
	}
	h, err := p.upTo(at, bigHeader)
	if err != nil {
		return coff{}, err
	}
	if kind == KindCOFF && isBigObject(h) {
		return coff{
			sectionsAt: bigHeader, sections: int(binary.LittleEndian.Uint32(h[44:])), symbolSize: bigSymbolRow,
			symbolsAt: int64(binary.LittleEndian.Uint32(h[48:])), symbols: int64(binary.LittleEndian.Uint32(h[52:])),
		}, nil
	}
	if len(h) < coffHeader {
		return coff{}, fmt.Errorf("%w: it has %d bytes", errCutShort, p.size)
	}
	return coff{
		sectionsAt: at + coffHeader + int64(binary.LittleEndian.Uint16(h[16:])), sections: int(binary.LittleEndian.Uint16(h[2:])),
		symbolsAt: int64(binary.LittleEndian.Uint32(h[8:])), symbols: int64(binary.LittleEndian.Uint32(h[12:])),
		symbolSize: symbolRow, program: kind == KindPE,
	}, nil
}

// names returns the table of long names, which stands behind the symbols and begins with its own length.
func (c coff) names(p part) (nameTable, error) {
	if c.symbolsAt == 0 {
		return nameTable{}, errNoNames
	}
	at := c.symbolsAt + c.symbols*c.symbolSize
	size, err := p.exactly(at, 4)
	if err != nil {
		return nameTable{}, err
	}
	body, err := p.cut(uint64(at), uint64(binary.LittleEndian.Uint32(size))) //nolint:gosec // an offset is never negative
	if err != nil {
		return nameTable{}, err
	}
	return newNames(body)
}

func (s *scan) peSections(p part, c coff) ([]section, error) {
	if c.sections > maxPESections {
		return nil, fmt.Errorf("%w: %d sections", errTooMuch, c.sections)
	}
	table, err := p.exactly(c.sectionsAt, c.sections*peSectionRow)
	if err != nil {
		return nil, err
	}
	names := sync.OnceValues(func() (nameTable, error) { return c.names(p) })
	var found []section
	for row := range slices.Chunk(table, peSectionRow) {
		size, at := binary.LittleEndian.Uint32(row[16:]), binary.LittleEndian.Uint32(row[20:])
		if virtual := binary.LittleEndian.Uint32(row[8:]); c.program && virtual != 0 {
			size = min(size, virtual) // the rest is padding
		}
		if at == 0 {
			continue
		}
		body, cut := p.cut(uint64(at), uint64(size))
		if cut != nil {
			body = p.from(int64(at))
		}
		name, err := longName(strings.TrimRight(string(row[:8]), "\x00"), names)
		if err != nil {
			name = nameByContent(body)
		}
		if err != nil && !errors.Is(err, errNoNames) {
			s.failed(p.where, "the name of a section", err)
		}
		if !holdsCode(name) {
			continue
		}
		if cut != nil {
			s.failed(p.where, "the section "+quoted(name), cut)
		}
		found = append(found, section{name, body})
	}
	return found, nil
}

// nameByContent tells a section whose name is lost by its first bytes; others are not looked at.
func nameByContent(p part) string {
	head, err := p.upTo(0, len(magicBundle))
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case err != nil:
		return ""
	case is(magicBundle), is(magicCCOB):
		return nameFatbin
	case is(magicWrapper), is(magicSplit):
		return nameWrappers
	case is(magicOffload):
		return nameOffloading
	}
	return ""
}

// longName resolves a name such as /175, which stands in the table of long names.
func longName(short string, names func() (nameTable, error)) (string, error) {
	off, ok := longNameAt(short)
	if !ok {
		return short, nil
	}
	table, err := names()
	if err != nil {
		return "", err
	}
	return table.at(off)
}

// longNameAt reads the offset in a name: a decimal number behind a slash, or where seven digits are not enough, one of
// base 64 behind two (llvm/Object/COFFObjectFile.cpp).
func longNameAt(short string) (uint32, bool) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	text, ok := strings.CutPrefix(short, "//")
	if !ok {
		text, ok = strings.CutPrefix(short, "/")
		off, err := strconv.ParseUint(text, 10, 32)
		return uint32(off), ok && err == nil
	}
	off := uint64(0)
	for _, c := range []byte(text) {
		digit := strings.IndexByte(digits, c)
		if digit < 0 {
			return 0, false
		}
		off = off<<6 | uint64(digit)
	}
	return uint32(off), text != "" && off <= math.MaxUint32 //nolint:gosec // at most 36 bits, and looked at
}
