package linkage

import (
	"fmt"
	"slices"
	"strings"
)

// Tags of the dynamic section (System V ABI, chapter 5; those above 0x6fff are
// GNU's, from elf.h of glibc).
const (
	tagNull, tagNeeded, tagHash, tagStringTable, tagSymbols = 0, 1, 4, 5, 6
	tagStringSize, tagSoname, tagRPath, tagRunPath          = 10, 14, 15, 29
	tagGNUHash, tagVersions, tagFlags1                      = 0x6ffffef5, 0x6ffffff0, 0x6ffffffb
	tagOffers, tagOffersCount                               = 0x6ffffffc, 0x6ffffffd
	tagWants, tagWantsCount                                 = 0x6ffffffe, 0x6fffffff

	flagNoDefaultLibs = 0x800
	flagPIE           = 0x8000000
	maxDynamic        = 64 << 10
	maxNeeds          = 2048
)

// dynamic is the dynamic section, as far as we use it. Names are offsets into the
// string table.
type dynamic struct {
	present                bool
	strings, stringsSize   uint64
	needs                  []uint64
	soname, rpath, runpath *uint64
	flags1                 uint64
	wants, wantsCount      uint64
	offers, offersCount    uint64
	symbols, versions      uint64
	hash, gnuHash          uint64
}

func (f *elfFile) readDynamic() error {
	s, ok := f.find(segmentDynamic)
	if !ok {
		return nil // linked statically
	}
	if s.fileSize > maxDynamic || s.offset>>62 != 0 {
		return fmt.Errorf("%w: a dynamic section of %d bytes", ErrTooMuch, s.fileSize)
	}
	table, err := f.exactly(int64(s.offset), int(s.fileSize)) //nolint:gosec // under 2^62
	if err != nil {
		return err
	}
	f.dynamic.present = true
	half := f.word(4, 8)
	for row := range slices.Chunk(table, 2*half) {
		if len(row) < 2*half {
			break
		}
		tag, value := f.number(row), f.number(row[half:])
		if tag == tagNull {
			break
		}
		f.dynamic.set(tag, value)
	}
	if len(f.dynamic.needs) > maxNeeds {
		return fmt.Errorf("%w: %d libraries", ErrTooMuch, len(f.dynamic.needs))
	}
	return nil
}

func (d *dynamic) set(tag, value uint64) {
	switch tag {
	case tagNeeded:
		d.needs = append(d.needs, value)
	case tagSoname:
		d.soname = &value
	case tagRPath:
		d.rpath = &value
	case tagRunPath:
		d.runpath = &value
	case tagStringTable:
		d.strings = value
	case tagStringSize:
		d.stringsSize = value
	case tagFlags1:
		d.flags1 = value
	case tagWants:
		d.wants = value
	case tagWantsCount:
		d.wantsCount = value
	case tagOffers:
		d.offers = value
	case tagOffersCount:
		d.offersCount = value
	case tagSymbols:
		d.symbols = value
	case tagVersions:
		d.versions = value
	case tagHash:
		d.hash = value
	case tagGNUHash:
		d.gnuHash = value
	}
}

// fillNames collects where all names stand before it reads any, because most of
// them stand together.
func (f *elfFile) fillNames(b *Binary) error {
	if !f.dynamic.present {
		return nil
	}
	offers, err := f.offered() // they stand before the wanted ones
	if err != nil {
		return err
	}
	wants, err := f.readWants()
	if err != nil {
		return err
	}
	d := f.dynamic
	at := slices.Clone(d.needs)
	for _, o := range offers {
		at = append(at, o.name)
	}
	for _, w := range wants {
		at = append(at, w.library, w.version)
	}
	for _, p := range []*uint64{d.soname, d.rpath, d.runpath} {
		if p != nil {
			at = append(at, *p)
		}
	}
	name, err := f.names(at)
	if err != nil {
		return err
	}
	for _, n := range d.needs {
		b.Needs = append(b.Needs, name[n])
	}
	for _, o := range offers {
		b.Offers = append(b.Offers, name[o.name])
	}
	for _, w := range wants {
		b.Wants = append(b.Wants, VersionNeed{name[w.library], name[w.version], w.weak})
	}
	if d.soname != nil {
		b.Soname = name[*d.soname]
	}
	if d.runpath != nil {
		b.RunPath = folders(name[*d.runpath])
	} else if d.rpath != nil { // ld.so forgets it where both are set
		b.RPath = folders(name[*d.rpath])
	}
	return nil
}

// folders splits a search path; an empty one means nothing, while an empty
// element means the working directory.
func folders(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ":")
}

// names reads entries of the string table.
func (f *elfFile) names(at []uint64) (map[uint64]string, error) {
	if len(at) == 0 {
		return map[uint64]string{}, nil
	}
	start, left, err := f.offsetOf(f.dynamic.strings)
	if err != nil {
		return nil, fmt.Errorf("the string table: %w", err)
	}
	offsets := make([]int64, len(at))
	for i, n := range at {
		if n >= min(left, max(f.dynamic.stringsSize, 1)) {
			return nil, damaged("a name stands outside of the string table, at %d", n)
		}
		offsets[i] = start + int64(n) //nolint:gosec // less than the length of a segment
	}
	read, err := f.strings(offsets)
	if err != nil {
		return nil, err
	}
	out := make(map[uint64]string, len(at))
	for i, n := range at {
		out[n] = read[offsets[i]]
	}
	return out, nil
}
