package linkage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"testing"
)

// makeCache writes a cache as ldconfig does since glibc 2.33.
func makeCache(order binary.AppendByteOrder, entries []cacheEntry) []byte {
	var names, rows, levels []byte
	const extension = 8 + 16 + 3*4
	start := cacheHeader + len(entries)*cacheRow + extension
	text := func(s string) uint32 {
		at := start + len(names)
		names = append(append(names, s...), 0)
		return uint32(at)
	}
	for i := range allLevels {
		levels = order.AppendUint32(levels, text(allLevels[i]))
	}
	for _, e := range entries {
		hwcap := uint64(0)
		for i, l := range allLevels {
			if l == e.level {
				hwcap = hwcapExtension | uint64(i) | 1<<33 // marked as needing level 2
			}
		}
		if e.level == "haswell" { // as before glibc 2.33
			hwcap = 1 << 50
		}
		rows = order.AppendUint32(rows, uint32(e.flags))
		rows = order.AppendUint32(order.AppendUint32(rows, text(e.name)), text(e.path))
		rows = order.AppendUint64(order.AppendUint32(rows, 0), hwcap)
	}
	out := order.AppendUint32([]byte(newMagic), uint32(len(entries)))
	out = order.AppendUint32(out, uint32(len(names)))
	endian := byte(2)
	if order == binary.AppendByteOrder(binary.BigEndian) {
		endian = 3
	}
	out = append(out, endian, 0, 0, 0)
	at := uint32(cacheHeader + len(rows))
	out = append(order.AppendUint32(out, at), make([]byte, 12)...)
	out = append(out, rows...)
	out = order.AppendUint32(order.AppendUint32(out, extensionMagic), 1)
	for _, n := range []uint32{extensionLevels, 0, at + 24, uint32(len(levels))} {
		out = order.AppendUint32(out, n)
	}
	return append(append(out, levels...), names...)
}

var cached = []cacheEntry{
	{"libz.so.1", "/usr/lib/glibc-hwcaps/x86-64-v3/libz.so.1", 0x303, "x86-64-v3"},
	{"libz.so.1", "/usr/lib/libz.so.1", 0x303, ""},
	{"libz.so.1", "/usr/lib32/libz.so.1", 3, ""},
}

func TestParseCache(t *testing.T) {
	t.Parallel()
	withOld := append(slices.Clone(cached), cacheEntry{"libz.so.1", "/usr/lib/haswell/libz.so.1", 0x303, "haswell"})
	old := append([]byte(oldMagic+"\x00"), 1, 0, 0, 0) // one row of the old format, then the new one
	old = append(old, make([]byte, 12)...)
	old = append(old, make([]byte, 4)...)
	for name, data := range map[string][]byte{
		"little endian":  makeCache(binary.LittleEndian, cached),
		"big endian":     makeCache(binary.BigEndian, cached),
		"old processors": makeCache(binary.LittleEndian, withOld),
		"after the old":  append(bytes.Clone(old), makeCache(binary.LittleEndian, cached)...),
	} {
		got, err := parseCache(data)
		if err != nil || !reflect.DeepEqual(got, cached) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestParseCacheRefuses(t *testing.T) {
	t.Parallel()
	good := makeCache(binary.LittleEndian, cached)
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, ErrOtherFormat},
		{"only the old format", append([]byte(oldMagic), make([]byte, 100)...), ErrOtherFormat},
		{"header cut short", good[:30], ErrCutShort},
		{"rows cut short", good[:60], ErrCutShort},
	} {
		if _, err := parseCache(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzParseCache(f *testing.F) {
	f.Add(makeCache(binary.LittleEndian, cached))
	f.Add(makeCache(binary.BigEndian, cached))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseCache(data)
		if err == nil && len(entries) > len(data) {
			t.Errorf("%d entries in %d bytes", len(entries), len(data))
		}
	})
}
