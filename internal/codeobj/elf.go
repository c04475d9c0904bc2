package codeobj

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// The layout is that of the System V ABI, chapters 4 and 5. Only 64-bit little-endian programs have HIP code.
const (
	sectionRow   = 64
	sectionBatch = 256
	maxSections  = 1 << 20
	wholeStrings = 1 << 20 // a table of names up to here is read at once
	maxName      = 256
	noBits       = 8 // SHT_NOBITS: a section without bytes in the file
)

// A section is a named range of a program or object file that can hold GPU code.
type section struct {
	name string
	part part
}

func (s *scan) hostELF(p part) {
	h, err := p.upTo(0, elfHeader)
	if err != nil || len(h) < elfHeader {
		if err == nil {
			err = errCutShort
		}
		s.failed(p.where, "the ELF header", err)
		return
	}
	if h[4] != 2 || h[5] != 1 {
		return
	}
	before, listed := s.file, len(s.listed)
	if binary.LittleEndian.Uint64(h[40:]) == 0 {
		s.stripped(p, h)
	} else if found, err := s.elfSections(p, h); err != nil {
		s.failed(p.where, "the section headers", err)
		s.stripped(p, h)
	} else {
		s.sections(p.where, found)
	}
	s.settle(p.where, before)
	if s.deep {
		s.carve(p.from(elfHeader), s.listed[listed:])
	}
}

// elfSections returns the sections that can hold GPU code.
func (s *scan) elfSections(p part, h []byte) ([]section, error) {
	at, count := binary.LittleEndian.Uint64(h[40:]), uint64(binary.LittleEndian.Uint16(h[60:]))
	names := uint64(binary.LittleEndian.Uint16(h[62:]))
	if size := binary.LittleEndian.Uint16(h[58:]); size != sectionRow {
		return nil, fmt.Errorf("a section header has %d bytes, not %d", size, sectionRow)
	}
	first, err := p.cut(at, sectionRow)
	if err != nil {
		return nil, err
	}
	zero, err := first.exactly(0, sectionRow)
	if err != nil {
		return nil, err
	}
	if count == 0 { // too many for the header
		count = binary.LittleEndian.Uint64(zero[32:])
	}
	if names == 0xffff {
		names = uint64(binary.LittleEndian.Uint32(zero[40:]))
	}
	if count > maxSections {
		return nil, fmt.Errorf("%w: %d sections", errTooMuch, count)
	}
	table, err := p.cut(at, count*sectionRow)
	if err != nil {
		return nil, err
	}
	if names >= count {
		return nil, fmt.Errorf("the names are said to stand in section %d of %d", names, count)
	}
	reader, err := openNames(p, table, names)
	if err != nil {
		return nil, fmt.Errorf("the names: %w", err)
	}
	return s.chooseSections(p, table, reader)
}

func (s *scan) chooseSections(p, table part, names nameTable) ([]section, error) {
	var found []section
	for at := int64(0); at < table.size; at += sectionBatch * sectionRow {
		rows, err := table.exactly(at, int(min(sectionBatch*sectionRow, table.size-at)))
		if err != nil {
			return nil, err
		}
		for ; len(rows) > 0; rows = rows[sectionRow:] {
			if kind := binary.LittleEndian.Uint32(rows[4:]); kind == 0 || kind == noBits {
				continue
			}
			name, err := names.at(binary.LittleEndian.Uint32(rows))
			if err != nil {
				return nil, err
			}
			if !holdsCode(name) {
				continue
			}
			body, err := p.cut(binary.LittleEndian.Uint64(rows[24:]), binary.LittleEndian.Uint64(rows[32:]))
			if err != nil {
				s.failed(p.where, "the section "+quoted(name), err)
				body = p.from(int64(min(binary.LittleEndian.Uint64(rows[24:]), uint64(p.size)))) //nolint:gosec // within the file
			}
			found = append(found, section{name, body})
		}
	}
	return found, nil
}

// A nameTable is a table of names. In object files it also holds those of all symbols and can be large.
type nameTable struct {
	part  part
	whole []byte
}

func openNames(p, table part, index uint64) (nameTable, error) {
	row, err := table.exactly(int64(index)*sectionRow, sectionRow) //nolint:gosec // within the table
	if err != nil {
		return nameTable{}, err
	}
	body, err := p.cut(binary.LittleEndian.Uint64(row[24:]), binary.LittleEndian.Uint64(row[32:]))
	if err != nil {
		return nameTable{}, err
	}
	return newNames(body)
}

func newNames(body part) (nameTable, error) {
	n := nameTable{part: body}
	if body.size > wholeStrings {
		return n, nil
	}
	whole, err := body.exactly(0, int(body.size))
	n.whole = whole
	return n, err
}

// at returns the name at an offset, or as much of it as matters.
func (n nameTable) at(off uint32) (string, error) {
	if int64(off) >= n.part.size && off > 0 {
		return "", fmt.Errorf("%w: a name is said to stand at %d, and the names have %d bytes", errCutShort, off, n.part.size)
	}
	data := n.whole[min(int64(off), int64(len(n.whole))):]
	if n.whole == nil {
		read, err := n.part.upTo(int64(off), maxName)
		if err != nil {
			return "", err
		}
		data = read
	}
	data = data[:min(len(data), maxName)]
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	}
	return string(data), nil
}

// The names of sections. Those of Windows are cut after eight letters when a program is linked.
const (
	nameFatbin, nameFatbinPE      = ".hip_fatbin", ".hip_fat"
	nameWrappers, nameWrappersPE  = ".hipFatBinSegment", ".hipFatB"
	nameOffloading, nameOffloadPE = ".llvm.offloading", ".llvm.of"
	nameKpack, nameKpackPE        = ".rocm_kpack_ref", ".kpackrf"
	prefixRDC                     = magicBundle // and the name of the entry, in object files made with -fgpu-rdc
)

func holdsCode(name string) bool {
	switch name {
	case nameFatbin, nameFatbinPE, nameWrappers, nameWrappersPE, nameOffloading, nameOffloadPE, nameKpack, nameKpackPE:
		return true
	}
	return strings.HasPrefix(name, prefixRDC)
}

// sections reads the sections of one program or object file. What is said of the code comes before the code: in a
// library whose code was split off, the place of the code is a gigabyte of zeros.
func (s *scan) sections(where string, found []section) {
	var w wrappers
	for _, sec := range found {
		switch sec.name {
		case nameWrappers, nameWrappersPE:
			w = w.plus(s.countWrappers(sec.part))
		case nameKpack, nameKpackPE:
			s.kpackRef(sec.part)
		}
	}
	s.file.Wrappers += w.bundles
	if w.kpack > 0 && s.file.Kpack == nil {
		s.problem(where, "the program registers code that was split off, and does not say where it is")
	}
	for _, sec := range s.apart(where, found) {
		switch sec.name {
		case nameFatbin, nameFatbinPE:
			if w.bundles > 0 || w.kpack == 0 {
				s.bundles(sec.part)
			}
		case nameOffloading, nameOffloadPE:
			s.offloadBinaries(sec.part)
		default:
			if id, ok := strings.CutPrefix(sec.name, prefixRDC); ok {
				s.entry(sec.part, id, sec.part)
			}
		}
		s.listed = append(s.listed, sec.part)
	}
}

// apart leaves out sections that stand within others: their code would be listed more than once.
func (s *scan) apart(where string, found []section) []section {
	slices.SortStableFunc(found, func(a, b section) int { return cmp.Compare(a.part.start, b.part.start) })
	var out []section
	end := int64(0)
	for _, sec := range found {
		if sec.part.start < end && sec.part.size > 0 {
			s.problem(where, "the section %s at %d stands within another one", quoted(sec.name), sec.part.start)
			continue
		}
		end = max(end, sec.part.start+sec.part.size)
		out = append(out, sec)
	}
	return out
}
