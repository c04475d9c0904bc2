package linkage

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ReadELF reads what a program or library asks for, from its program headers:
// section headers may be stripped, and ld.so does not look at them either. It
// reads a few kilobytes, however big the file is.
func ReadELF(r io.ReaderAt, name string) (Binary, error) {
	f, err := openELF(r)
	if err != nil {
		return Binary{}, fmt.Errorf("read %s: %w", name, err)
	}
	b, err := f.binary(name)
	if err != nil {
		return Binary{}, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// The layout is that of the System V ABI, chapters 4 and 5 (gabi.xinuos.com).
const (
	typeExec, typeDyn                   = 2, 3
	segmentLoad, segmentDynamic, interp = 1, 2, 3
	maxSegments                         = 1024
)

type elfFile struct {
	*ranges
	order    binary.ByteOrder
	bits     int
	machine  uint16
	kind     uint16
	segments []segment
	dynamic  dynamic
	versions window // of the tables of versions
}

// A segment is one program header.
type segment struct {
	kind             uint32
	offset, addr     uint64
	fileSize, memory uint64
}

// machines are the names of e_machine that we use.
var machines = map[uint16]string{3: "i386", 62: "x86-64", 183: "aarch64"}

func machineName(n uint16) string {
	if name, ok := machines[n]; ok {
		return name
	}
	return "machine " + strconv.Itoa(int(n))
}

func openELF(r io.ReaderAt) (*elfFile, error) {
	parts, err := openRanges(r)
	if err != nil {
		return nil, err
	}
	f := &elfFile{ranges: parts}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	if err := f.readDynamic(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *elfFile) readHeader() error {
	ident := f.head[:min(len(f.head), 16)]
	if len(ident) >= 4 && string(ident[:4]) != "\x7fELF" {
		return fmt.Errorf("%w: it is no ELF file", ErrOtherFormat)
	}
	if len(ident) < 16 {
		return fmt.Errorf("%w: it has %d bytes", ErrCutShort, len(ident))
	}
	switch ident[5] {
	case 1:
		f.order = binary.LittleEndian
	case 2:
		f.order = binary.BigEndian
	default:
		return damaged("its byte order is %d", ident[5])
	}
	switch ident[4] {
	case 1:
		f.bits = 32
		return f.readHeaderFields(52, 28, 42)
	case 2:
		f.bits = 64
		return f.readHeaderFields(64, 32, 54)
	}
	return damaged("its class is %d", ident[4])
}

// readHeaderFields takes the size of the header and where the offset of the
// program headers and their size stand in it.
func (f *elfFile) readHeaderFields(size, phoffAt, phentAt int) error {
	h, err := f.exactly(0, size)
	if err != nil {
		return err
	}
	f.kind = f.order.Uint16(h[16:])
	if f.kind != typeExec && f.kind != typeDyn {
		return fmt.Errorf("%w: its type is %d", ErrNotLoadable, f.kind)
	}
	f.machine = f.order.Uint16(h[18:])
	entry, count := int(f.order.Uint16(h[phentAt:])), int(f.order.Uint16(h[phentAt+2:]))
	if want := f.word(32, 56); entry != want {
		return damaged("a program header has %d bytes, not %d", entry, want)
	}
	if count > maxSegments {
		return fmt.Errorf("%w: %d program headers", ErrTooMuch, count)
	}
	table, err := f.exactly(int64(f.number(h[phoffAt:])), entry*count) //nolint:gosec // a negative offset is refused
	if err != nil {
		return err
	}
	for row := range slices.Chunk(table, entry) {
		f.segments = append(f.segments, f.segment(row))
	}
	return nil
}

// word chooses between what a 32-bit and a 64-bit file has.
func (f *elfFile) word(in32, in64 int) int {
	if f.bits == 32 {
		return in32
	}
	return in64
}

// number reads an address or size.
func (f *elfFile) number(b []byte) uint64 {
	if f.bits == 32 {
		return uint64(f.order.Uint32(b))
	}
	return f.order.Uint64(b)
}

func (f *elfFile) segment(b []byte) segment {
	s := segment{kind: f.order.Uint32(b)}
	if f.bits == 32 {
		s.offset, s.addr, s.fileSize, s.memory = f.number(b[4:]), f.number(b[8:]), f.number(b[16:]), f.number(b[20:])
	} else {
		s.offset, s.addr, s.fileSize, s.memory = f.number(b[8:]), f.number(b[16:]), f.number(b[32:]), f.number(b[40:])
	}
	return s
}

// offsetOf says where in the file an address of the loaded image stands, and how
// many bytes follow it there.
func (f *elfFile) offsetOf(addr uint64) (off int64, left uint64, err error) {
	for _, s := range f.segments {
		if s.kind == segmentLoad && addr >= s.addr && addr-s.addr < s.fileSize {
			at := s.offset + addr - s.addr
			if at>>62 != 0 {
				break
			}
			return int64(at), s.fileSize - (addr - s.addr), nil //nolint:gosec // under 2^62
		}
	}
	return 0, 0, damaged("no segment holds the address %#x", addr)
}

func (f *elfFile) find(kind uint32) (segment, bool) {
	i := slices.IndexFunc(f.segments, func(s segment) bool { return s.kind == kind })
	if i < 0 {
		return segment{}, false
	}
	return f.segments[i], true
}

func (f *elfFile) binary(name string) (Binary, error) {
	b := Binary{Path: name, Format: ELF, Machine: machineName(f.machine), Bits: f.bits}
	b.NoDefaultLibs = f.dynamic.flags1&flagNoDefaultLibs != 0
	interpreter, err := f.interpreter()
	if err != nil {
		return Binary{}, err
	}
	b.Interpreter = interpreter
	err = f.fillNames(&b)
	// Some libraries name an interpreter too, and programs of before binutils 2.26
	// have no flag.
	b.Program = f.kind == typeExec || f.dynamic.flags1&flagPIE != 0 || interpreter != "" && b.Soname == ""
	return b, err
}

func (f *elfFile) interpreter() (string, error) {
	const longest = 4096
	s, ok := f.find(interp)
	if !ok {
		return "", nil
	}
	if s.fileSize == 0 || s.fileSize > longest || s.offset>>62 != 0 {
		return "", damaged("the name of the interpreter has %d bytes", s.fileSize)
	}
	data, err := f.exactly(int64(s.offset), int(s.fileSize)) //nolint:gosec // under 2^62
	if err != nil {
		return "", err
	}
	return string(data[:len(data)-1]), nil
}
