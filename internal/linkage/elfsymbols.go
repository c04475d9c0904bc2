package linkage

import (
	"fmt"
	"io"
	"slices"
)

// A symbol is one name of a binary's table.
type symbol struct {
	name    string
	version string
	library string // of an undefined one: the library that its version is wanted of
	defined bool
	weak    bool
}

// maxSymbolBytes bounds the table of symbols and its names together. What is
// bigger (libtorch_hip.so has 30 MB of names) is not read.
const maxSymbolBytes = 2 << 20

// readSymbols reads the dynamic symbols of a binary.
func readSymbols(r io.ReaderAt) ([]symbol, error) {
	f, err := openELF(r)
	if err != nil {
		return nil, err
	}
	if f.dynamic.symbols == 0 {
		return nil, nil
	}
	count, err := f.symbolCount()
	if err != nil {
		return nil, err
	}
	row := f.word(16, 24)
	if uint64(count)*uint64(row)+f.dynamic.stringsSize > maxSymbolBytes { //nolint:gosec // row is a small constant
		return nil, fmt.Errorf("%w: %d symbols with names of %d bytes", ErrTooMuch, count, f.dynamic.stringsSize)
	}
	table, err := f.loaded(f.dynamic.symbols, int(count)*row)
	if err != nil {
		return nil, err
	}
	names, err := f.loaded(f.dynamic.strings, int(f.dynamic.stringsSize)) //nolint:gosec // bounded above
	if err != nil {
		return nil, err
	}
	versions, err := f.symbolVersions(int(count), names)
	if err != nil {
		return nil, err
	}
	var out []symbol
	for i, entry := range slices.Collect(slices.Chunk(table, row)) {
		if s, ok := f.symbol(entry, names); ok {
			v := versions[i]
			s.version, s.library = v.version, v.library
			out = append(out, s)
		}
	}
	return out, nil
}

// loaded reads n bytes at an address of the loaded image.
func (f *elfFile) loaded(addr uint64, n int) ([]byte, error) {
	off, _, err := f.offsetOf(addr)
	if err != nil {
		return nil, err
	}
	return f.exactly(off, n)
}

// symbol reads one row; what is local is no business of others.
func (f *elfFile) symbol(row, names []byte) (symbol, bool) {
	const local, weak = 0, 2
	name := cstring(names, f.order.Uint32(row))
	info, section := row[f.word(12, 4)], f.order.Uint16(row[f.word(14, 6):])
	if name == "" || info>>4 == local {
		return symbol{}, false
	}
	return symbol{name: name, defined: section != 0, weak: info>>4 == weak}, true
}

func cstring(names []byte, at uint32) string {
	if uint64(at) >= uint64(len(names)) {
		return ""
	}
	rest := names[at:]
	if end := slices.Index(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

// symbolCount takes the length of the table from a hash table: the dynamic
// section does not tell it.
func (f *elfFile) symbolCount() (uint32, error) {
	if f.dynamic.hash != 0 {
		h, err := f.loaded(f.dynamic.hash, 8)
		if err != nil {
			return 0, err
		}
		return f.order.Uint32(h[4:]), nil
	}
	if f.dynamic.gnuHash == 0 {
		return 0, damaged("there are symbols and no hash table")
	}
	return f.gnuCount()
}

// gnuCount finds the last symbol of GNU's hash table: that of the highest bucket,
// and those that follow it up to a mark.
func (f *elfFile) gnuCount() (uint32, error) {
	h, err := f.loaded(f.dynamic.gnuHash, 16)
	if err != nil {
		return 0, err
	}
	buckets, first, bloom := f.order.Uint32(h), f.order.Uint32(h[4:]), f.order.Uint32(h[8:])
	if uint64(buckets)*4 > maxSymbolBytes {
		return 0, fmt.Errorf("%w: %d buckets", ErrTooMuch, buckets)
	}
	at := f.dynamic.gnuHash + 16 + uint64(bloom)*uint64(f.word(4, 8)) //nolint:gosec // a small constant
	table, err := f.loaded(at, int(buckets)*4)
	if err != nil {
		return 0, err
	}
	last := uint32(0)
	for b := range slices.Chunk(table, 4) {
		last = max(last, f.order.Uint32(b))
	}
	if last < first {
		return first, nil
	}
	at += uint64(buckets)*4 + uint64(last-first)*4
	for ; last < maxSymbolBytes; last, at = last+1, at+4 {
		mark, err := f.loaded(at, 4)
		if err != nil {
			return 0, err
		}
		if f.order.Uint32(mark)&1 != 0 {
			return last + 1, nil
		}
	}
	return 0, fmt.Errorf("%w: the hash table has no end", ErrTooMuch)
}

// A symbolVersion is a version by the number that the symbols carry.
type symbolVersion struct{ version, library string }

// symbolVersions returns the version of each symbol.
func (f *elfFile) symbolVersions(count int, names []byte) ([]symbolVersion, error) {
	out := make([]symbolVersion, count)
	if f.dynamic.versions == 0 {
		return out, nil
	}
	table, err := f.loaded(f.dynamic.versions, 2*count)
	if err != nil {
		return nil, err
	}
	wants, err := f.readWants()
	if err != nil {
		return nil, err
	}
	offers, err := f.offered()
	if err != nil {
		return nil, err
	}
	const own, hidden = 1, 0x8000
	byIndex := map[uint16]symbolVersion{}
	for _, w := range wants {
		byIndex[w.index] = symbolVersion{at(names, w.version), at(names, w.library)}
	}
	for _, o := range offers {
		if o.index > own {
			byIndex[o.index] = symbolVersion{version: at(names, o.name)}
		}
	}
	for i := range out {
		out[i] = byIndex[f.order.Uint16(table[2*i:])&^hidden]
	}
	return out, nil
}

func at(names []byte, off uint64) string {
	if off >= uint64(len(names)) {
		return ""
	}
	return cstring(names, uint32(off)) //nolint:gosec // less than the length of the names
}
