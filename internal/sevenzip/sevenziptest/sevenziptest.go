// Package sevenziptest writes small .7z archives for tests, odd ones included.
package sevenziptest

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"unicode/utf16"
)

// A File is what an archive holds; one without data has no content at all.
type File struct {
	Name       string
	Data       []byte
	Attributes uint32 // of Windows, in the upper half those of Unix
	Folder     bool
	Anti       bool // to be deleted
}

// SymbolicLink are the attributes of one, as 7-Zip writes them on Linux.
const SymbolicLink = 0xa1ff<<16 | 0x8000

// A Coder is a step of unpacking.
type Coder struct {
	ID         []byte
	Properties []byte
	Size       int // what it writes, where that is not what the files have in all
}

// Stored is an archive of files as they are.
func Stored(files ...File) []byte {
	return Packed(func(data []byte) []byte { return data }, []Coder{{ID: []byte{0}}}, files...)
}

// Packed is an archive of files in one folder. The first coder writes the files, and
// each reads what the next one writes.
func Packed(pack func([]byte) []byte, coders []Coder, files ...File) []byte {
	var all []byte
	for _, f := range files {
		all = append(all, f.Data...)
	}
	packed := pack(all)
	return Seal(packed, List(len(packed), coders, files...))
}

// Seal puts packed bytes and a list of files together, with their checksums.
func Seal(packed, list []byte) []byte {
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(packed)))
	start = binary.LittleEndian.AppendUint64(start, uint64(len(list)))
	start = binary.LittleEndian.AppendUint32(start, crc32.ChecksumIEEE(list))
	out := binary.LittleEndian.AppendUint32([]byte("7z\xbc\xaf\x27\x1c\x00\x04"), crc32.ChecksumIEEE(start))
	return slices.Concat(out, start, packed, list)
}

// Number is a number as a list has it, in the longest form where it is not short.
func Number[N int | int64 | uint64](n N) []byte {
	if uint64(n) < 0x80 {
		return []byte{byte(n)}
	}
	return binary.LittleEndian.AppendUint64([]byte{0xff}, uint64(n))
}

// List is a list of files that are packed in one folder.
func List(packed int, coders []Coder, files ...File) []byte {
	var full []File
	for _, f := range files {
		if f.Data != nil {
			full = append(full, f)
		}
	}
	list := []byte{0x01}
	if len(full) > 0 {
		list = slices.Concat(list, []byte{0x04}, Streams(packed, coders, full...))
	}
	return slices.Concat(list, []byte{0x05}, entries(files), []byte{0})
}

// Streams tells how files are packed.
func Streams(packed int, coders []Coder, files ...File) []byte {
	total := 0
	var sizes, sums []byte
	for i, f := range files {
		total += len(f.Data)
		if i < len(files)-1 {
			sizes = append(sizes, Number(len(f.Data))...)
		}
		sums = binary.LittleEndian.AppendUint32(sums, crc32.ChecksumIEEE(f.Data))
	}
	out := slices.Concat([]byte{0x06, 0, 1, 0x09}, Number(packed), []byte{0, 0x07, 0x0b, 1, 0}, Number(len(coders)))
	for _, c := range coders {
		out = slices.Concat(out, []byte{byte(len(c.ID)) | 0x20}, c.ID, Number(len(c.Properties)), c.Properties)
	}
	for i := range len(coders) - 1 {
		out = append(out, byte(i), byte(i+1))
	}
	out = append(out, 0x0c)
	for _, c := range coders {
		if c.Size == 0 {
			c.Size = total
		}
		out = append(out, Number(c.Size)...)
	}
	out = slices.Concat(out, []byte{0, 0x08, 0x0d}, Number(len(files)))
	if len(files) > 1 {
		out = slices.Concat(out, []byte{0x09}, sizes)
	}
	return slices.Concat(out, []byte{0x0a, 1}, sums, []byte{0, 0})
}

func entries(files []File) []byte {
	var empty, plain, anti []bool
	names, attributes := []byte{0}, []byte{1, 0}
	for _, f := range files {
		empty = append(empty, f.Data == nil)
		if f.Data == nil {
			plain, anti = append(plain, !f.Folder), append(anti, f.Anti)
		}
		for _, unit := range append(utf16.Encode([]rune(f.Name)), 0) {
			names = binary.LittleEndian.AppendUint16(names, unit)
		}
		attributes = binary.LittleEndian.AppendUint32(attributes, f.Attributes)
	}
	out := Number(len(files))
	for _, block := range []struct {
		id   byte
		data []byte
	}{{0x0e, bits(empty)}, {0x0f, bits(plain)}, {0x10, bits(anti)}, {0x11, names}, {0x15, attributes}, {0x19, nil}, {0x19, nil}} {
		out = slices.Concat(out, []byte{block.id}, Number(len(block.data)), block.data)
	}
	return append(out, 0)
}

func bits(set []bool) []byte {
	out := make([]byte, (len(set)+7)/8)
	for i, set := range set {
		if set {
			out[i/8] |= 0x80 >> (i % 8)
		}
	}
	return out
}
