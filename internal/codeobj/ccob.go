package codeobj

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A compressed bundle is a header, and a bundle behind it that is compressed as a whole. Versions 2 and 3 say how long
// it is; in version 1 only the end of the compressed stream tells (LLVM's OffloadBundler).
const (
	methodZlib, methodZstd = 0, 1

	leastCCOB, mostCCOB = 20, 32
)

// lengthsCCOB are those of the headers, by version.
var lengthsCCOB = [...]uint64{20, 24, 32}

// A ccob is the header of a compressed bundle.
type ccob struct {
	method int
	data   part   // behind the header, to the end of the bundle, or of all there is where the header does not tell
	whole  int64  // with the header; 0 where the header does not tell
	size   uint64 // after decompression
	hash   uint64 // the first eight bytes of the MD5 of what was compressed
}

// readCCOB reads the header that a part begins with, and of which the head may have been read already.
func readCCOB(p part, head []byte) (ccob, error) {
	h := head
	if len(h) < mostCCOB {
		read, err := p.upTo(0, mostCCOB)
		if err != nil {
			return ccob{}, err
		}
		h = read
	}
	if len(h) < leastCCOB {
		return ccob{}, fmt.Errorf("%w: in the header of a compressed bundle", errCutShort)
	}
	if !bytes.HasPrefix(h, []byte(magicCCOB)) {
		return ccob{}, fmt.Errorf("it is no compressed bundle")
	}
	version := binary.LittleEndian.Uint16(h[4:])
	if version < 1 || int(version) > len(lengthsCCOB) {
		return ccob{}, fmt.Errorf("a compressed bundle of version %d, which we cannot read", version)
	}
	length := lengthsCCOB[version-1]
	if uint64(len(h)) < length {
		return ccob{}, fmt.Errorf("%w: in the header of a compressed bundle", errCutShort)
	}
	c := ccob{method: int(binary.LittleEndian.Uint16(h[6:])), hash: binary.LittleEndian.Uint64(h[length-8:])}
	if c.method != methodZlib && c.method != methodZstd {
		return ccob{}, fmt.Errorf("compressed by method %d, which we cannot read", c.method)
	}
	total := uint64(p.size) //nolint:gosec // a size is never negative
	switch version {
	case 1:
		c.size = uint64(binary.LittleEndian.Uint32(h[8:]))
	case 2:
		total, c.size = uint64(binary.LittleEndian.Uint32(h[8:])), uint64(binary.LittleEndian.Uint32(h[12:]))
	case 3:
		total, c.size = binary.LittleEndian.Uint64(h[8:]), binary.LittleEndian.Uint64(h[16:])
	}
	if total < length {
		return ccob{}, fmt.Errorf("a compressed bundle of %d bytes", total)
	}
	data, err := p.cut(length, total-length)
	if err != nil {
		return ccob{}, err
	}
	c.data = data
	if version > 1 {
		c.whole = c.data.start + c.data.size - p.start
	}
	return c, nil
}

// compressed lists the compressed bundle that a part begins with, and returns its length; 0 where it cannot be read.
func (s *scan) compressed(p part, head []byte) int64 {
	doing := fmt.Sprintf("the compressed bundle at %d", p.start)
	c, err := readCCOB(p, head)
	if err != nil {
		s.failed(p.where, doing, err)
		return 0
	}
	whole := c.whole
	if whole == 0 {
		if whole, err = s.streamEnd(c); err != nil {
			s.failed(p.where, doing, err)
			return 0
		}
		c.data.size = whole
		whole += c.data.start - p.start
	}
	begin, entries, err := s.compressedTable(c)
	if err != nil {
		s.failed(p.where, doing, err)
		return whole
	}
	s.file.Bundles++
	compressed := Object{Compressed: true, Where: p.where, Offset: p.start, Size: whole}
	if s.deep {
		s.unpack(c, entries, compressed)
		return whole
	}
	for _, e := range entries {
		s.compressedEntry(c, e, at(begin, e.offset), compressed)
	}
	return whole
}

// at returns the bytes of an entry, as far as they were unpacked.
func at(head []byte, offset uint64) []byte {
	if offset > uint64(len(head)) || uint64(len(head))-offset < elfHeader {
		return nil
	}
	return head[offset:][:elfHeader]
}

// compressedEntry lists an entry whose first bytes may not be known: only the first block was unpacked.
func (s *scan) compressedEntry(c ccob, e entry, head []byte, o Object) {
	id := s.entryID(e.id)
	switch {
	case id.host || id.other || s.stopped:
	case e.size == 0:
		s.problem(o.Where, "the entry %s at %d is empty", quoted(e.id), o.Offset)
	case e.offset > c.size || e.size > c.size-e.offset:
		s.problem(o.Where, "the entry %s of the compressed bundle at %d ends behind the bundle", quoted(e.id), o.Offset)
	case head != nil:
		s.add(s.object(o.Where, e.id, head, o))
	default:
		if id.err != nil {
			s.problem(o.Where, "the entry at %d: %v", o.Offset, id.err)
		}
		o.Target, o.Text, o.Form = id.target, id.text, FormUnseen
		s.add(o)
	}
}

// compressedTable unpacks the first block, which nearly always holds the table, or as much as the table needs.
func (s *scan) compressedTable(c ccob) (head []byte, entries []entry, err error) {
	if c.method == methodZstd {
		for count := 1; count <= mostBlocks; count *= 8 {
			head, err = s.firstBlocks(c.data, count)
			if err != nil {
				return nil, nil, err
			}
			entries, _, more, err := parseTable(head)
			if !more {
				return head, entries, err
			}
		}
		return nil, nil, fmt.Errorf("%w: in the table of the compressed bundle", errCutShort)
	}
	stream, err := s.stream(c)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = stream.Close() }()
	return unpackTable(stream)
}

func unpackTable(stream io.Reader) (head []byte, entries []entry, err error) {
	for {
		piece := make([]byte, maxBlock) // as much as the first block of zstd holds
		n, err := io.ReadFull(stream, piece)
		head = append(head, piece[:n]...)
		entries, _, more, wrong := parseTable(head)
		switch {
		case wrong != nil || !more:
			return head, entries, wrong
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, nil, fmt.Errorf("%w: in the table of the compressed bundle", errCutShort)
		case err != nil:
			return nil, nil, err
		case len(head) >= maxTable:
			return nil, nil, fmt.Errorf("%w: a table of more than %d bytes", errTooMuch, maxTable)
		}
	}
}
