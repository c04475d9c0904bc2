package linkage

import (
	"bytes"
	"encoding/binary"
)

// A peRecipe describes a tiny file of Windows: its headers and its imports.
type peRecipe struct {
	imports, delayed []string
	bits             int  // 0 is 64
	oldDelayed       bool // whole addresses, as Visual C++ 6 wrote them
	program          bool
	machine          uint16 // 0 is the usual one for the bits
}

const peBase, peSectionAddr, peSectionAt = 0x400000, 0x1000, 0x200

func (p peRecipe) bytes() []byte {
	var out bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&out, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	section := p.section()
	machine, optional, characteristics := p.machine, 112+16*8, uint16(0x22)
	if p.bits == 32 {
		optional = 96 + 16*8
	}
	if machine == 0 {
		machine = 0x8664
		if p.bits == 32 {
			machine = 0x14c
		}
	}
	if !p.program {
		characteristics |= isLibrary
	}
	out.WriteString("MZ")
	out.Write(make([]byte, 58))
	put(uint32(64))
	out.WriteString("PE\x00\x00")
	put([]uint16{machine, 1})
	put([]uint32{0, 0, 0})
	put([]uint16{uint16(optional), characteristics})
	start := out.Len()
	if p.bits == 32 {
		put(uint16(magic32))
		out.Write(make([]byte, 26))
		put(uint32(peBase))
		out.Write(make([]byte, 60))
	} else {
		put(uint16(magic64))
		out.Write(make([]byte, 22))
		put(uint64(peBase))
		out.Write(make([]byte, 76))
	}
	put(uint32(16))
	directories := make([]uint32, 32)
	if len(p.imports) > 0 {
		directories[2*directoryImport] = peSectionAddr
	}
	if len(p.delayed) > 0 {
		directories[2*directoryLate] = peSectionAddr + uint32((len(p.imports)+1)*importRow)
	}
	put(directories)
	if out.Len()-start != optional {
		panic("the optional header has another size")
	}
	out.WriteString(".idata\x00\x00")
	put([]uint32{uint32(len(section)), peSectionAddr, uint32(len(section)), peSectionAt, 0, 0, 0, 0})
	out.Write(make([]byte, peSectionAt-out.Len()))
	out.Write(section)
	return out.Bytes()
}

// section holds both tables and the names behind them.
func (p peRecipe) section() []byte {
	var names []byte
	start := uint32(peSectionAddr + (len(p.imports)+1)*importRow + (len(p.delayed)+1)*lateRow)
	name := func(s string) uint32 {
		at := start + uint32(len(names))
		names = append(append(names, s...), 0)
		return at
	}
	var out []byte
	row := func(size, nameAt int, attributes, at uint32) {
		r := make([]byte, size)
		binary.LittleEndian.PutUint32(r, attributes)
		binary.LittleEndian.PutUint32(r[nameAt:], at)
		out = append(out, r...)
	}
	for _, s := range p.imports {
		row(importRow, 12, 0, name(s))
	}
	row(importRow, 12, 0, 0)
	for _, s := range p.delayed {
		if p.oldDelayed {
			row(lateRow, 4, 0, name(s)+peBase)
		} else {
			row(lateRow, 4, 1, name(s))
		}
	}
	row(lateRow, 4, 0, 0)
	return append(out, names...)
}
