package linkage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// A cacheEntry is one library that ldconfig found.
type cacheEntry struct {
	name, path string
	flags      int32
	// level is the folder below glibc-hwcaps that the library is from, "" for one
	// for every processor.
	level string
}

// The layout is that of sysdeps/generic/dl-cache.h of glibc. The old format is
// skipped: since glibc 2.2 a new one follows it, and since 2.32 stands alone.
const (
	oldMagic = "ld.so-1.7.0"
	newMagic = "glibc-ld.so.cache1.1"

	cacheHeader = 48
	cacheRow    = 24
	oldHeader   = 16 // the magic, a byte of padding, and the count
	oldRow      = 12

	hwcapExtension  = 1 << 62   // the low half is an index into the names of levels
	isaMask         = 1<<10 - 1 // beside it, the level that the library itself is marked with
	extensionMagic  = 0xeaa42174
	extensionLevels = 1
	maxCacheRows    = 200_000
)

// parseCache reads /etc/ld.so.cache. Entries for processors that are named in
// the way of before glibc 2.33 are left out: ld.so no longer looks at them.
func parseCache(data []byte) ([]cacheEntry, error) {
	data, err := newFormat(data)
	if err != nil {
		return nil, err
	}
	order, err := cacheOrder(data)
	if err != nil {
		return nil, err
	}
	count := order.Uint32(data[20:])
	if count > maxCacheRows || cacheHeader+int(count)*cacheRow > len(data) {
		return nil, fmt.Errorf("%w: %d libraries in %d bytes", ErrCutShort, count, len(data))
	}
	c := cacheFile{data, order}
	levels := c.levels()
	entries := make([]cacheEntry, 0, count)
	for i := range int(count) {
		row := data[cacheHeader+i*cacheRow:]
		hwcap, level := order.Uint64(row[16:]), ""
		if hwcap != 0 {
			if hwcap>>32&^isaMask != hwcapExtension>>32 || int(uint32(hwcap)) >= len(levels) {
				continue
			}
			level = levels[uint32(hwcap)]
		}
		name, path := c.text(order.Uint32(row[4:])), c.text(order.Uint32(row[8:]))
		if name == "" || !strings.HasPrefix(path, "/") {
			continue
		}
		entries = append(entries, cacheEntry{name, path, int32(order.Uint32(row)), level}) //nolint:gosec // flags are bits
	}
	return entries, nil
}

// newFormat skips the old format, which the new one follows at a multiple of
// eight bytes.
func newFormat(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte(oldMagic)) && len(data) >= oldHeader {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			at := (oldHeader + uint64(order.Uint32(data[12:]))*oldRow + 7) &^ 7
			if at < uint64(len(data)) && bytes.HasPrefix(data[at:], []byte(newMagic)) {
				return data[at:], nil
			}
		}
	}
	if !bytes.HasPrefix(data, []byte(newMagic)) {
		return nil, fmt.Errorf("%w: it is no cache of ld.so that we know", ErrOtherFormat)
	}
	return data, nil
}

// cacheOrder tells the byte order. Before glibc 2.33 the field was zero, and the
// count of libraries tells: read the wrong way it is too big for the file.
func cacheOrder(data []byte) (binary.ByteOrder, error) {
	if len(data) < cacheHeader {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrCutShort, len(data))
	}
	const little, big = 2, 3
	switch data[28] & 3 {
	case little:
		return binary.LittleEndian, nil
	case big:
		return binary.BigEndian, nil
	}
	if uint64(binary.LittleEndian.Uint32(data[20:]))*cacheRow <= uint64(len(data)) {
		return binary.LittleEndian, nil
	}
	return binary.BigEndian, nil
}

type cacheFile struct {
	data  []byte
	order binary.ByteOrder
}

// text returns the string at an offset, or "" where there is none.
func (c cacheFile) text(at uint32) string {
	if uint64(at) >= uint64(len(c.data)) {
		return ""
	}
	text, _, found := bytes.Cut(c.data[at:], []byte{0})
	if !found {
		return ""
	}
	return string(text)
}

// levels reads the names of glibc-hwcaps folders from the cache's extension.
func (c cacheFile) levels() []string {
	at := uint64(c.order.Uint32(c.data[32:]))
	size := uint64(len(c.data))
	if at == 0 || at+8 > size || c.order.Uint32(c.data[at:]) != extensionMagic {
		return nil
	}
	var names []string
	for i := range uint64(c.order.Uint32(c.data[at+4:])) {
		row := at + 8 + i*16
		if row+16 > size {
			break
		}
		if c.order.Uint32(c.data[row:]) != extensionLevels {
			continue
		}
		from, length := uint64(c.order.Uint32(c.data[row+8:])), uint64(c.order.Uint32(c.data[row+12:]))
		for off := from; off+4 <= min(from+length, size); off += 4 {
			names = append(names, c.text(c.order.Uint32(c.data[off:])))
		}
	}
	return names
}
