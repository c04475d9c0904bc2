package codeobj

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A program registers each bundle with the runtime through a wrapper of 24 bytes: a magic number, the version, a pointer
// to the bundle, and a pointer that is not used. Where the code was split off, the magic number is another one.
const (
	wrapperSize  = 24
	magicWrapper = "FPIH\x01\x00\x00\x00"
	magicSplit   = "HIPK\x01\x00\x00\x00"
	maxWrappers  = 1 << 16
)

// wrappers are numbers of wrappers.
type wrappers struct {
	bundles int // that point to a bundle
	kpack   int // whose code was split off
}

func (w wrappers) plus(o wrappers) wrappers {
	return wrappers{w.bundles + o.bundles, w.kpack + o.kpack}
}

// countWrappers counts the wrappers of a section.
func (s *scan) countWrappers(p part) wrappers {
	var w wrappers
	if p.size > maxWrappers*wrapperSize {
		s.problem(p.where, "the wrappers: %v: %d bytes", errTooMuch, p.size)
		return w
	}
	data, err := p.upTo(0, int(p.size))
	if err != nil {
		s.failed(p.where, "the wrappers", err)
		return w
	}
	for ; len(data) >= wrapperSize; data = data[8:] {
		switch {
		case bytes.HasPrefix(data, []byte(magicWrapper)):
			w.bundles++
		case bytes.HasPrefix(data, []byte(magicSplit)):
			w.kpack++
		default:
			continue // padding
		}
		data = data[wrapperSize-8:]
	}
	return w
}

// settle holds what a program registers against what was found in it. An object file made with -fgpu-rdc by clang's older
// driver registers the bundle that the linker will make of its bitcode.
func (s *scan) settle(where string, before File) {
	registered, found := s.file.Wrappers-before.Wrappers, s.file.Bundles-before.Bundles
	linked := slices.ContainsFunc(s.file.Objects[len(before.Objects):], func(o Object) bool { return o.Form == FormBitcode })
	if registered > 0 && registered != found && (found > 0 || !linked) {
		s.problem(where, "the program registers %s, and %s there", counted(registered, "bundle"), are(found))
	}
}

// wrapperPointers finds wrappers in the data of a program without section headers. The result maps the address of the
// pointer to what stands there, which is 0 where the loader fills it in.
func wrapperPointers(data []byte, addr uint64, magic string) map[uint64]uint64 {
	found := map[uint64]uint64{}
	for ; len(data) >= wrapperSize; data, addr = data[8:], addr+8 {
		if bytes.HasPrefix(data, []byte(magic)) {
			found[addr+8] = binary.LittleEndian.Uint64(data[8:])
		}
	}
	return found
}
