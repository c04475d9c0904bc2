package codeobj

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// elfHeader is the size of the header of a 64-bit ELF file, which is all that is needed to name the target.
const elfHeader = 64

// newest is the version of code objects that clang 23 writes. A later one may lay its flags out differently.
const newest = 6

// A gpuELF is what the header of a code object says.
type gpuELF struct {
	version int // of the code object format
	target  rocm.TargetID
	generic int    // version of a generic target
	err     error  // why there is no target
	machine string // the number of a processor that we do not know
}

// readGPUELF reads e_ident and e_flags as LLVM's AMDGPUUsage lays them out.
func readGPUELF(h []byte) (gpuELF, bool) {
	if len(h) < elfHeader || !bytes.HasPrefix(h, []byte(magicELF)) || !isAMDGPU(h) {
		return gpuELF{}, false
	}
	flags := binary.LittleEndian.Uint32(h[48:])
	g := gpuELF{version: int(h[8]) + 2}
	switch {
	case g.version == 2:
		g.err = fmt.Errorf("code objects of version 2 do not name their target in the header")
		return g, true
	case g.version > newest:
		g.err = fmt.Errorf("the code object has version %d, which we do not know", g.version)
		return g, true
	}
	processor, ok := rocm.ProcessorOfELF(uint8(flags)) //nolint:gosec // the low eight bits are the processor
	if !ok {
		g.machine = fmt.Sprintf("processor %#x", flags&0xff)
		g.err = fmt.Errorf("%s is not known", g.machine)
		return g, true
	}
	g.target.Processor = processor
	if g.version == 3 {
		g.target.XNACK, g.target.SRAMECC = setIf(flags&0x100 != 0), setIf(flags&0x200 != 0)
		return g, true
	}
	g.target.XNACK, g.target.SRAMECC = setting(flags>>8), setting(flags>>10)
	if g.version == newest {
		g.generic = int(flags >> 24)
	}
	return g, true
}

// setting reads two bits: 0 the processor has no such feature, 1 any, 2 off, 3 on.
func setting(bits uint32) rocm.Setting {
	switch bits & 3 {
	case 2:
		return rocm.Off
	case 3:
		return rocm.On
	}
	return rocm.Any
}

// setIf reads the one bit of version 3, where "off" and "has no such feature" look alike.
func setIf(on bool) rocm.Setting {
	if on {
		return rocm.On
	}
	return rocm.Any
}

// agrees says whether a name in a table is that of the code behind it. Version 3 does not tell off from any.
func (g gpuELF) agrees(t rocm.TargetID) bool {
	if g.version == 3 {
		return g.target.Processor == t.Processor
	}
	return g.target == t
}

// raw reads a code object that stands by itself.
func (s *scan) raw(p part) {
	h, err := p.exactly(0, elfHeader)
	if err != nil {
		s.failed(p.where, "the code object", err)
		return
	}
	g, ok := readGPUELF(h)
	if !ok {
		return
	}
	o := Object{
		Target: g.target, Text: g.target.String(), Form: FormELF, CodeObject: g.version, GenericVersion: g.generic,
		Where: p.where, Offset: p.start, Size: p.size,
	}
	if g.err != nil {
		o.Text = g.machine
		s.problem(p.where, "the code object at %d: %v", p.start, g.err)
	}
	s.checkExtent(p, h)
	s.add(o)
}

// checkExtent notices a code object that was cut off: its section headers are its end.
func (s *scan) checkExtent(p part, h []byte) {
	at, count := binary.LittleEndian.Uint64(h[40:]), uint64(binary.LittleEndian.Uint16(h[60:]))*uint64(binary.LittleEndian.Uint16(h[58:]))
	if _, err := p.cut(at, count); err != nil && at != 0 {
		s.problem(p.where, "the code object at %d: %v", p.start, err)
	}
}
