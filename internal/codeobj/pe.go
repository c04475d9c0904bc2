package codeobj

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The layout is that of Microsoft's "PE Format".
const (
	machineX64, machineARM64 = 0x8664, 0xaa64
	coffHeader               = 20
	bigHeader                = 56
	symbolRow, bigSymbolRow  = 18, 20
	peSectionRow             = 40
	maxPESections            = 1 << 16
)

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
	before := s.file
	found, err := s.peSections(p, c)
	if err != nil {
		s.failed(p.where, "the section headers", err)
		return
	}
	s.sections(p.where, found)
	s.settle(p.where, before)
}

func readCOFF(p part, kind Kind) (coff, error) {
	at := int64(0)
	if kind == KindPE {
		dos, err := p.upTo(0, 64)
		if err != nil || len(dos) < 64 {
			return coff{}, err // a program for DOS
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
	// Few programs have long names, and stripped ones have lost the table.
	names := sync.OnceValues(func() (nameTable, error) { return c.names(p) })
	var found []section
	for row := range slices.Chunk(table, peSectionRow) {
		name, err := longName(strings.TrimRight(string(row[:8]), "\x00"), names)
		if err != nil {
			s.failed(p.where, "the name of a section", err)
			continue
		}
		size, at := binary.LittleEndian.Uint32(row[16:]), binary.LittleEndian.Uint32(row[20:])
		if virtual := binary.LittleEndian.Uint32(row[8:]); c.program && virtual != 0 {
			size = min(size, virtual) // the rest is padding
		}
		if !holdsCode(name) || at == 0 {
			continue
		}
		body, err := p.cut(uint64(at), uint64(size))
		if err != nil {
			s.failed(p.where, "the section "+quoted(name), err)
			body = p.from(int64(at))
		}
		found = append(found, section{name, body})
	}
	return found, nil
}

// longName resolves a name such as /175, which stands in the table of long names.
func longName(short string, names func() (nameTable, error)) (string, error) {
	digits, ok := strings.CutPrefix(short, "/")
	if !ok {
		return short, nil
	}
	off, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return short, nil //nolint:nilerr // a name that happens to begin with a slash
	}
	table, err := names()
	if err != nil {
		return "", err
	}
	return table.at(uint32(off))
}
