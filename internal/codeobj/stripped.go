package codeobj

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

const (
	segmentRow                  = 56
	maxSegments                 = 1024
	segmentLoad, segmentDynamic = 1, 2
	flagWrite                   = 2
	tagRela, tagRelaSize        = 7, 8
	relaRow                     = 24
	maxData                     = 64 << 20 // of data that is searched for wrappers
	maxRela                     = 64 << 20
	batch                       = 64 << 10 // a multiple of 8, and far above a wrapper
)

// A segment is a range of a program that is loaded, or its dynamic section.
type segment struct {
	kind, flags uint32
	addr        uint64
	part        part
}

// stripped reads a program without section headers, as the loader does: wrappers stand in its data, and relocations
// say where they point.
func (s *scan) stripped(p part, h []byte) {
	segments, err := readSegments(p, h)
	if err != nil {
		s.failed(p.where, "the program headers", err)
		return
	}
	split, count := s.registered(p.where, segments, magicSplit)
	switch {
	case len(split) > 0:
		s.kpackRef(split[0]) // all name the same archives
	case count > 0:
		s.problem(p.where, "the program registers code that was split off, and does not say where it is")
	}
	before := s.file.Bundles
	bundles, count := s.registered(p.where, segments, magicWrapper)
	for _, body := range bundles {
		if !s.stopped {
			s.oneBundle(body)
		}
	}
	if s.file.Wrappers += count; count > 0 && s.file.Bundles == before {
		s.carveBundles(segments)
	}
}

// registered returns what the wrappers with a magic number point to, and how many wrappers there are.
func (s *scan) registered(where string, segments []segment, magic string) (bodies []part, count int) {
	pointers, err := findWrappers(segments, magic)
	if err != nil {
		s.failed(where, "the wrappers", err)
	}
	if len(pointers) == 0 {
		return nil, 0
	}
	if err := relocate(segments, pointers); err != nil {
		s.failed(where, "the relocations", err)
	}
	for _, addr := range slices.Compact(slices.Sorted(maps.Values(pointers))) {
		if body, ok := at64(segments, addr); ok && addr != 0 {
			bodies = append(bodies, body)
		}
	}
	return bodies, len(pointers)
}

func readSegments(p part, h []byte) ([]segment, error) {
	at, count := binary.LittleEndian.Uint64(h[32:]), binary.LittleEndian.Uint16(h[56:])
	if count == 0 {
		return nil, nil
	}
	if size := binary.LittleEndian.Uint16(h[54:]); size != segmentRow || count > maxSegments {
		return nil, fmt.Errorf("%d program headers of %d bytes", count, size)
	}
	table, err := p.cut(at, uint64(count)*segmentRow)
	if err != nil {
		return nil, err
	}
	rows, err := table.exactly(0, int(table.size))
	if err != nil {
		return nil, err
	}
	var out []segment
	for row := range slices.Chunk(rows, segmentRow) {
		g := segment{kind: binary.LittleEndian.Uint32(row), flags: binary.LittleEndian.Uint32(row[4:]), addr: binary.LittleEndian.Uint64(row[16:])}
		if g.kind != segmentLoad && g.kind != segmentDynamic {
			continue
		}
		if g.part, err = p.cut(binary.LittleEndian.Uint64(row[8:]), binary.LittleEndian.Uint64(row[32:])); err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// at64 returns what stands at an address of the loaded program.
func at64(segments []segment, addr uint64) (part, bool) {
	for _, g := range segments {
		if g.kind == segmentLoad && addr >= g.addr && addr-g.addr < uint64(g.part.size) { //nolint:gosec // a size is never negative
			return g.part.from(int64(addr - g.addr)), true //nolint:gosec // within the segment
		}
	}
	return part{}, false
}

func findWrappers(segments []segment, magic string) (map[uint64]uint64, error) {
	found, left := map[uint64]uint64{}, int64(maxData)
	for _, g := range segments {
		if g.kind != segmentLoad || g.flags&flagWrite == 0 {
			continue
		}
		for at := int64(0); at < g.part.size && left > 0; at += batch {
			data, err := g.part.upTo(at, batch+wrapperSize-8)
			if err != nil {
				return found, err
			}
			maps.Copy(found, wrapperPointers(data, g.addr+uint64(at), magic)) //nolint:gosec // an offset is never negative
			if left -= batch; len(found) > maxWrappers {
				return found, fmt.Errorf("%w: more than %d", errTooMuch, maxWrappers)
			}
		}
	}
	return found, nil
}

// relocate fills in the pointers that the loader would.
func relocate(segments []segment, pointers map[uint64]uint64) error {
	table, err := relocations(segments)
	if err != nil {
		return err
	}
	const rows = batch / relaRow * relaRow
	for at := int64(0); at < table.size; at += rows {
		data, err := table.upTo(at, rows)
		if err != nil {
			return err
		}
		for ; len(data) >= relaRow; data = data[relaRow:] {
			where := binary.LittleEndian.Uint64(data)
			if value, ok := pointers[where]; ok && value == 0 {
				pointers[where] = binary.LittleEndian.Uint64(data[16:])
			}
		}
	}
	return nil
}

func relocations(segments []segment) (part, error) {
	i := slices.IndexFunc(segments, func(g segment) bool { return g.kind == segmentDynamic })
	if i < 0 {
		return part{}, nil
	}
	data, err := segments[i].part.upTo(0, batch)
	if err != nil {
		return part{}, err
	}
	var addr, size uint64
	for ; len(data) >= 16; data = data[16:] {
		switch value := binary.LittleEndian.Uint64(data[8:]); binary.LittleEndian.Uint64(data) {
		case tagRela:
			addr = value
		case tagRelaSize:
			size = value
		}
	}
	table, ok := at64(segments, addr)
	if !ok || size == 0 {
		return part{}, nil
	}
	if size > maxRela {
		return part{}, fmt.Errorf("%w: %d bytes", errTooMuch, size)
	}
	return table.cut(0, size)
}

// oneBundle lists the bundle that a wrapper points to.
func (s *scan) oneBundle(p part) int64 {
	head, err := p.upTo(0, len(magicBundle))
	if err != nil {
		s.failed(p.where, fmt.Sprintf("the bundle at %d", p.start), err)
		return 0
	}
	length := int64(0)
	switch {
	case string(head) == magicBundle:
		length = s.bundle(p, head)
	case bytes.HasPrefix(head, []byte(magicCCOB)):
		length = s.compressed(p, head)
	}
	if length > 0 {
		s.listed = append(s.listed, part{start: p.start, size: length})
	}
	return length
}

// carveBundles is the last resort: it looks at the beginning of every page, where linkers put bundles.
func (s *scan) carveBundles(segments []segment) {
	for _, g := range segments {
		if g.kind != segmentLoad {
			continue
		}
		// Addresses and offsets agree within a page, so pages of the file are pages of the program.
		at := (page - g.part.start%page) % page
		for at < g.part.size && !s.stopped {
			length := s.oneBundle(g.part.from(at))
			at += (max(length, 1) + page - 1) / page * page
		}
	}
}
