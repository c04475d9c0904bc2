package linkage

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReadPE reads which libraries a program or library of Windows imports, at once
// and when first called. It reads a few kilobytes, however big the file is.
func ReadPE(r io.ReaderAt, name string) (Binary, error) {
	b, err := readPE(r, name)
	if err != nil {
		return Binary{}, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// The layout is that of Microsoft's "PE Format"; all numbers are little-endian.
const (
	coffSize                       = 24 // with the signature before it
	magic32, magic64               = 0x10b, 0x20b
	directoryImport, directoryLate = 1, 13
	importRow, lateRow             = 20, 32
	sectionRow                     = 40
	isLibrary                      = 0x2000
	maxSections                    = 96
	maxOptional                    = 4096
	maxImports                     = 1024
)

var peMachines = map[uint16]string{0x14c: "i386", 0x8664: "x86-64", 0xaa64: "aarch64"}

type peFile struct {
	*ranges
	base     uint64
	sections []peSection
}

// A peSection says where a part of the image stands in the file.
type peSection struct{ addr, size, rawSize, offset uint32 }

func readPE(r io.ReaderAt, name string) (Binary, error) {
	parts, err := openRanges(r)
	if err != nil {
		return Binary{}, err
	}
	f := &peFile{ranges: parts}
	coff, at, err := f.coff()
	if err != nil {
		return Binary{}, err
	}
	machine := binary.LittleEndian.Uint16(coff[4:])
	b := Binary{Path: name, Format: PE, Machine: peMachines[machine], Program: binary.LittleEndian.Uint16(coff[22:])&isLibrary == 0}
	if b.Machine == "" {
		b.Machine = fmt.Sprintf("machine %#x", machine)
	}
	directories, bits, err := f.optional(at+coffSize, int(binary.LittleEndian.Uint16(coff[20:])))
	if err != nil {
		return Binary{}, err
	}
	b.Bits = bits
	if err := f.readSections(at+coffSize+int64(binary.LittleEndian.Uint16(coff[20:])), int(binary.LittleEndian.Uint16(coff[6:]))); err != nil {
		return Binary{}, err
	}
	if b.Needs, err = f.imports(directories, directoryImport); err != nil {
		return Binary{}, err
	}
	b.Delayed, err = f.imports(directories, directoryLate)
	return b, err
}

// coff finds the header behind the program for DOS that every file begins with.
func (f *peFile) coff() (header []byte, at int64, err error) {
	if len(f.head) >= 2 && string(f.head[:2]) != "MZ" {
		return nil, 0, fmt.Errorf("%w: it is no program or library of Windows", ErrOtherFormat)
	}
	dos, err := f.exactly(0, 64)
	if err != nil {
		return nil, 0, err
	}
	at = int64(binary.LittleEndian.Uint32(dos[60:]))
	header, err = f.exactly(at, coffSize)
	if err != nil {
		return nil, 0, err
	}
	if string(header[:4]) != "PE\x00\x00" {
		return nil, 0, fmt.Errorf("%w: it is a program for DOS", ErrOtherFormat)
	}
	return header, at, nil
}

// optional reads the header that says where the tables are; for images it is not
// optional.
func (f *peFile) optional(at int64, size int) (directories []byte, bits int, err error) {
	if size > maxOptional {
		return nil, 0, fmt.Errorf("%w: a header of %d bytes", ErrTooMuch, size)
	}
	h, err := f.exactly(at, size)
	if err != nil {
		return nil, 0, err
	}
	if len(h) < 2 {
		return nil, 0, fmt.Errorf("%w: it is an object file", ErrNotLoadable)
	}
	magic, start := binary.LittleEndian.Uint16(h), 96
	bits = 32
	switch {
	case magic == magic64:
		bits, start = 64, 112
	case magic != magic32:
		return nil, 0, damaged("its magic number is %#x", magic)
	}
	if len(h) < start {
		return nil, 0, damaged("a header of %d bytes", len(h))
	}
	f.base = uint64(binary.LittleEndian.Uint32(h[28:]))
	if bits == 64 {
		f.base = binary.LittleEndian.Uint64(h[24:])
	}
	count := int(min(binary.LittleEndian.Uint32(h[start-4:]), 16))
	return h[start:min(start+count*8, len(h))], bits, nil
}

func (f *peFile) readSections(at int64, count int) error {
	if count > maxSections {
		return fmt.Errorf("%w: %d sections", ErrTooMuch, count)
	}
	table, err := f.exactly(at, count*sectionRow)
	if err != nil {
		return err
	}
	for row := range slices.Chunk(table, sectionRow) {
		u := func(at int) uint32 { return binary.LittleEndian.Uint32(row[at:]) }
		f.sections = append(f.sections, peSection{size: u(8), addr: u(12), rawSize: u(16), offset: u(20)})
	}
	return nil
}

// offsetOf says where in the file an address of the image stands.
func (f *peFile) offsetOf(addr uint32) (int64, error) {
	for _, s := range f.sections {
		if addr >= s.addr && addr-s.addr < s.rawSize {
			return int64(s.offset) + int64(addr-s.addr), nil
		}
	}
	return 0, damaged("no section holds the address %#x", addr)
}

// imports reads one table of imports: the names of the libraries.
func (f *peFile) imports(directories []byte, which int) ([]string, error) {
	if len(directories) < which*8+8 {
		return nil, nil
	}
	addr := binary.LittleEndian.Uint32(directories[which*8:])
	if addr == 0 {
		return nil, nil
	}
	start, err := f.offsetOf(addr)
	if err != nil {
		return nil, fmt.Errorf("the imports: %w", err)
	}
	offsets, err := f.importNames(start, which)
	if err != nil {
		return nil, err
	}
	read, err := f.strings(offsets)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, off := range offsets {
		if name := read[off]; !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// importNames returns where the names of one table stand. A row without a name
// ends it.
func (f *peFile) importNames(start int64, which int) ([]int64, error) {
	size, nameAt := importRow, 12
	if which == directoryLate {
		size, nameAt = lateRow, 4
	}
	const rows = 32
	var offsets []int64
	for n := 0; n < maxImports; n += rows {
		data, err := f.upTo(start+int64(n*size), rows*size)
		if err != nil {
			return nil, err
		}
		for row := range slices.Chunk(data, size) {
			if len(row) < size {
				return nil, fmt.Errorf("%w: in the imports", ErrCutShort)
			}
			name := binary.LittleEndian.Uint32(row[nameAt:])
			if name == 0 {
				return offsets, nil
			}
			at, err := f.nameOffset(name, which == directoryLate && row[0]&1 == 0)
			if err != nil {
				return nil, fmt.Errorf("the imports: %w", err)
			}
			offsets = append(offsets, at)
		}
		if len(data) < rows*size {
			return nil, fmt.Errorf("%w: in the imports", ErrCutShort)
		}
	}
	return nil, fmt.Errorf("%w: %d imports", ErrTooMuch, len(offsets))
}

// nameOffset knows that Visual C++ 6 wrote whole addresses into the table of
// delayed imports, before there was a bit that says otherwise.
func (f *peFile) nameOffset(name uint32, whole bool) (int64, error) {
	if !whole {
		return f.offsetOf(name)
	}
	if uint64(name) < f.base || f.base > 1<<32 {
		return 0, damaged("a name before the image, at %#x", name)
	}
	return f.offsetOf(name - uint32(f.base)) //nolint:gosec // at most 2^32
}
