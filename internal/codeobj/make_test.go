package codeobj

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

var le = binary.LittleEndian

// An item is one entry of a bundle.
type item struct {
	id   string
	body []byte
}

// gpuCode is the header of a code object of version 4 or later, and nothing else.
func gpuCode(version int, flags uint32) []byte {
	h := make([]byte, elfHeader)
	copy(h, magicHSA)
	h[8] = byte(version - 2)
	le.PutUint16(h[16:], 3)
	le.PutUint16(h[18:], machineAMDGPU)
	le.PutUint32(h[48:], flags)
	return h
}

// makeBundle puts entries together as clang-offload-bundler does, at whole pages.
func makeBundle(items ...item) []byte {
	table := le.AppendUint64([]byte(magicBundle), uint64(len(items)))
	body, start := []byte{}, 4096
	for _, it := range items {
		for (start+len(body))%4096 != 0 {
			body = append(body, 0)
		}
		table = le.AppendUint64(table, uint64(start+len(body)))
		table = le.AppendUint64(table, uint64(len(it.body)))
		table = le.AppendUint64(table, uint64(len(it.id)))
		table = append(table, it.id...)
		body = append(body, it.body...)
	}
	return append(append(table, make([]byte, start-len(table))...), body...)
}

func zstded(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

func zlibbed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// makeCCOB puts a header of any version before compressed data.
func makeCCOB(version, method uint16, size int, hash uint64, data []byte) []byte {
	h := le.AppendUint16(le.AppendUint16([]byte(magicCCOB), version), method)
	switch version {
	case 1:
		h = le.AppendUint32(h, uint32(size))
	case 2:
		h = le.AppendUint32(le.AppendUint32(h, uint32(24+len(data))), uint32(size))
	default:
		h = le.AppendUint64(le.AppendUint64(h, uint64(32+len(data))), uint64(size))
	}
	return append(le.AppendUint64(h, hash), data...)
}

// makeELF makes an object file of sections.
func makeELF(sections ...item) []byte {
	names, out := []byte{0}, make([]byte, elfHeader)
	rows := make([]byte, sectionRow)
	add := func(body []byte) {
		row := make([]byte, sectionRow)
		le.PutUint32(row, uint32(len(names)))
		le.PutUint32(row[4:], 1)
		le.PutUint64(row[24:], uint64(len(out)))
		le.PutUint64(row[32:], uint64(len(body)))
		rows, out = append(rows, row...), append(out, body...)
	}
	for _, s := range sections {
		add(s.body)
		names = append(append(names, s.id...), 0)
	}
	add(append(names, ".strtab\x00"...))
	copy(out, "\x7fELF\x02\x01\x01\x00")
	le.PutUint16(out[18:], 62)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[58:], sectionRow)
	le.PutUint16(out[60:], uint16(len(sections)+2))
	le.PutUint16(out[62:], uint16(len(sections)+1))
	return append(out, rows...)
}

// makePE makes a library of Windows; names longer than eight letters are cut, as its linker does.
func makePE(sections ...item) []byte {
	const headers = 0x80 + 4 + coffHeader
	out := make([]byte, headers+len(sections)*peSectionRow)
	copy(out, "MZ")
	le.PutUint32(out[60:], 0x80)
	copy(out[0x80:], "PE\x00\x00")
	le.PutUint16(out[0x84:], machineX64)
	le.PutUint16(out[0x86:], uint16(len(sections)))
	for i, s := range sections {
		row := out[headers+i*peSectionRow:]
		copy(row[:8], s.id)
		le.PutUint32(row[8:], uint32(len(s.body)))
		le.PutUint32(row[16:], uint32(len(s.body)+100)) // padding to a block of the file
		le.PutUint32(row[20:], uint32(len(out)))
		out = append(append(out, s.body...), bytes.Repeat([]byte{0xcc}, 100)...)
	}
	return out
}

// makeArchive makes an archive; names are written as given.
func makeArchive(magic string, members ...item) []byte {
	out := []byte(magic)
	for _, m := range members {
		out = fmt.Appendf(out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.id, 0, 0, 0, 0o644, len(m.body))
		out = append(out, m.body...)
		if len(out)%2 == 1 {
			out = append(out, '\n')
		}
	}
	return out
}

func wrapper(magic string) []byte { return append([]byte(magic), make([]byte, wrapperSize-8)...) }

// Numbers of e_flags: gfx1100; gfx90a with xnack on and any sramecc; gfx11-generic of version 1.
const (
	flags1100    = 0x41
	flags90aX    = 0x73f
	flagsGeneric = 0x01000054
)

func hip(target string) string { return "hipv4-amdgcn-amd-amdhsa--" + target }

// host is the entry that every bundle begins with.
func host() item { return item{id: "host-x86_64-unknown-linux--"} }

// pair is a bundle for two targets.
func pair() []byte {
	return makeBundle(host(), item{hip("gfx1100"), gpuCode(6, flags1100)}, item{hip("gfx90a:xnack+"), gpuCode(4, flags90aX)})
}
