package codeobj

import (
	"crypto/md5" //nolint:gosec // it is the format's checksum, not a secret
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// unpack decompresses a bundle to its end, holds the first bytes of each entry to its name, and the content to its
// hash. Nothing but those bytes is kept.
func (s *scan) unpack(c ccob, entries []entry, o Object) {
	heads, err := s.heads(c, entries)
	for i, e := range entries {
		s.compressedEntry(c, e, heads[i], o)
	}
	if err != nil {
		s.failed(o.Where, fmt.Sprintf("the compressed bundle at %d", o.Offset), err)
	}
}

func (s *scan) heads(c ccob, entries []entry) (map[int][]byte, error) {
	stream, err := s.stream(c)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	sum := md5.New() //nolint:gosec // it is the format's checksum, not a secret
	from := io.TeeReader(stream, sum)
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch x, y := entries[a].offset, entries[b].offset; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	heads, at := map[int][]byte{}, uint64(0)
	for _, i := range order {
		e := entries[i]
		if e.offset < at || e.size < elfHeader || e.offset > c.size || e.size > c.size-e.offset {
			continue // empty, within another one, or behind the end, which is said elsewhere
		}
		if _, err := io.CopyN(io.Discard, from, int64(e.offset-at)); err != nil { //nolint:gosec // within the bundle
			return heads, unpackError(err)
		}
		head := make([]byte, elfHeader)
		if _, err := io.ReadFull(from, head); err != nil {
			return heads, unpackError(err)
		}
		heads[i], at = head, e.offset+elfHeader
	}
	if _, err := io.Copy(io.Discard, from); err != nil {
		return heads, unpackError(err)
	}
	if got := binary.LittleEndian.Uint64(sum.Sum(nil)); got != c.hash {
		return heads, fmt.Errorf("its content has the hash %016x, and the header says %016x", got, c.hash)
	}
	return heads, nil
}

func unpackError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: in the compressed stream", errCutShort)
	}
	return fmt.Errorf("decompress: %w", err)
}
