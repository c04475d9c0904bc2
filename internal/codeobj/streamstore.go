package codeobj

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

const (
	blockSize = 64 << 10
	frontSize = 64 << 10
	frontELF  = 8 << 20  // symbols and their names, among them those of the libraries that it asks for
	nearTable = 64 << 10 // before the section headers, where most linkers put their names
)

// An extent is a range that was kept. Without data it is all zeros.
type extent struct {
	at, size int64
	data     []byte
	gone     bool // not kept after all
}

func (e extent) end() int64 { return e.at + e.size }

func (e extent) copyTo(p []byte, at int64) int {
	p = p[:min(int64(len(p)), e.end()-at)]
	if e.data == nil {
		clear(p)
		return len(p)
	}
	return copy(p, e.data[at-e.at:])
}

// A span is a range.
type span struct{ from, to int64 }

// A store keeps ranges of a stream: what was chosen, and of the rest what came last.
type store struct {
	budget  Budget
	pins    []span
	extents []extent
	recent  []int // those that may go, the oldest first
	gone    int
	chosen  int64 // bytes
	kept    int64 // bytes that may go
	rest    int64 // of an ELF file: behind all that is loaded
	open    bool  // the last extent is a block that is not full
	free    [][]byte
}

// pin chooses a range before it has come.
func (t *store) pin(from, to int64) {
	if from < to {
		t.pins = append(t.pins, span{from, to})
	}
}

// pinELF chooses what the loader reads, and the section headers.
func (t *store) pinELF(head []byte) {
	t.pin(0, frontELF)
	if len(head) < elfHeader || head[4] != 2 || head[5] != 1 {
		return
	}
	if at := binary.LittleEndian.Uint64(head[40:]); at < math.MaxInt64/2 {
		t.pin(int64(at)-nearTable, int64(at)+int64(binary.LittleEndian.Uint16(head[60:]))*sectionRow)
	}
	// What a header says is taken as it is: that the file is shorter shows later.
	segments, err := readSegments(part{src: bytes.NewReader(head), size: math.MaxInt64 / 4}, head)
	if err != nil {
		return
	}
	for _, g := range segments {
		t.rest = max(t.rest, g.part.start+g.part.size)
		if g.kind == segmentDynamic || g.flags&flagWrite != 0 {
			t.pin(g.part.start, g.part.start+g.part.size)
		}
	}
}

// pinPE chooses all sections but machine code and GPU code: names of libraries stand in one of them.
func (t *store) pinPE(head []byte) {
	const most = 96 // that Windows loads
	all := part{src: bytes.NewReader(head), size: int64(len(head))}
	c, err := readCOFF(all, KindPE)
	if err != nil || c.sections > most {
		return
	}
	table, err := all.exactly(c.sectionsAt, c.sections*peSectionRow)
	if err != nil {
		return
	}
	for row := range slices.Chunk(table, peSectionRow) {
		name := string(bytes.TrimRight(row[:8], "\x00"))
		if at := int64(binary.LittleEndian.Uint32(row[20:])); name != ".text" && name != nameFatbinPE {
			t.pin(at, at+int64(binary.LittleEndian.Uint32(row[16:])))
		}
	}
}

// pinKpack chooses the table at the end of an archive, and says where its first compressed blob begins.
func (t *store) pinKpack(head []byte) (blob int64) {
	const first = 64 // where the writer puts the blobs, behind their number
	if len(head) < first+12 {
		return 0
	}
	if at := binary.LittleEndian.Uint64(head[8:]); at < math.MaxInt64 {
		t.pin(int64(at), math.MaxInt64)
	}
	return first + 4
}

func (t *store) pinned(e extent) bool {
	return slices.ContainsFunc(t.pins, func(p span) bool { return p.from < e.end() && e.at < p.to })
}

// choose keeps bytes, as far as the budget goes.
func (t *store) choose(data []byte, at int64) {
	t.seal()
	if t.chosen += int64(len(data)); t.chosen <= t.budget.Chosen {
		t.extents = append(t.extents, extent{at: at, size: int64(len(data)), data: slices.Clone(data)})
	}
}

// keep keeps bytes until newer ones need the place. Blocks begin at multiples of their size.
func (t *store) keep(data []byte, at int64) {
	for len(data) > 0 {
		if t.open && t.extents[len(t.extents)-1].end() != at {
			t.seal()
		}
		if !t.open {
			t.extents = append(t.extents, extent{at: at, data: t.block()})
			t.open = true
		}
		e := &t.extents[len(t.extents)-1]
		n := int(min(int64(len(data)), blockSize-at%blockSize))
		e.data = append(e.data, data[:n]...)
		e.size += int64(n)
		data, at = data[n:], at+int64(n)
		if at%blockSize == 0 {
			t.seal()
		}
	}
}

func (t *store) block() []byte {
	if n := len(t.free); n > 0 {
		b := t.free[n-1]
		t.free = t.free[:n-1]
		return b[:0]
	}
	return make([]byte, 0, blockSize)
}

var zeroBlock = make([]byte, blockSize)

// seal decides what becomes of a block that is complete.
func (t *store) seal() {
	if !t.open {
		return
	}
	t.open = false
	last := len(t.extents) - 1
	e := &t.extents[last]
	switch {
	case bytes.Equal(e.data, zeroBlock[:len(e.data)]):
		t.zeros(e)
	case t.chosen+e.size <= t.budget.Chosen && (t.pinned(*e) || t.hasNames(*e)):
		t.chosen += e.size
	default:
		t.kept += e.size
		t.recent = append(t.recent, last)
		t.evict()
	}
}

// hasNames knows the names of sections. Some linkers put the names of all symbols behind them.
func (t *store) hasNames(e extent) bool {
	return t.rest > 0 && e.end() > t.rest && bytes.Contains(e.data, []byte(".shstrtab\x00"))
}

// zeros makes one extent of zeros that follow each other; they take no place.
func (t *store) zeros(e *extent) {
	t.free, e.data = append(t.free, e.data), nil
	if last := len(t.extents) - 1; last > 0 {
		if before := &t.extents[last-1]; before.data == nil && !before.gone && before.end() == e.at {
			before.size += e.size
			t.extents = t.extents[:last]
		}
	}
}

// evict lets the oldest go.
func (t *store) evict() {
	for t.kept > t.budget.Recent {
		e := &t.extents[t.recent[0]]
		t.recent = t.recent[1:]
		t.kept -= e.size
		t.free, e.data, e.gone = append(t.free, e.data), nil, true
		t.gone++
	}
	if t.gone > 1024 && t.gone > len(t.extents)/2 {
		t.compact()
	}
}

// compact forgets extents that are gone.
func (t *store) compact() {
	next := 0
	moved := make(map[int]int, len(t.recent))
	for i, e := range t.extents {
		if !e.gone {
			t.extents[next], moved[i] = e, next
			next++
		}
	}
	t.extents, t.gone = t.extents[:next], 0
	recent := make([]int, len(t.recent))
	for i, old := range t.recent {
		recent[i] = moved[old]
	}
	t.recent = recent
}

// finish hands out what was kept of a stream of that size. The blocks can be used again by who comes next.
func (t *store) finish(size int64) *Gathered {
	t.seal()
	t.compact()
	for _, e := range t.extents {
		if cap(e.data) == blockSize {
			t.free = append(t.free, e.data)
		}
	}
	return &Gathered{extents: t.extents, size: size}
}
