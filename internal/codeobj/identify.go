package codeobj

import (
	"bytes"
	"encoding/binary"
)

// Magic numbers.
const (
	magicELF     = "\x7fELF"
	magicBundle  = "__CLANG_OFFLOAD_BUNDLE__"
	magicCCOB    = "CCOB"
	magicArchive = "!<arch>\n"
	magicThin    = "!<thin>\n"
	magicOffload = "\x10\xff\x10\xad"
	magicSPIRV   = "\x03\x02\x23\x07"
	magicBitcode = "BC\xc0\xde"
	magicWrapped = "\xde\xc0\x17\x0b" // bitcode with a header before it
	magicKpack   = "KPAK"
)

const machineAMDGPU = 224

// identify says what a file is, from its first bytes. Names decide only where bytes cannot: the ending .co is given to
// raw code, to bundles and to compressed bundles alike.
func identify(base string, head []byte) Kind {
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case is(magicELF) && isAMDGPU(head):
		return KindCodeObject
	case is(magicELF):
		return KindELF
	case is(magicBundle), is(magicCCOB):
		return KindBundle
	case is(magicArchive), is(magicThin):
		return KindArchive
	case is(magicOffload):
		return KindOffloadBinary
	case is(magicSPIRV):
		return KindSPIRV
	case is(magicBitcode), is(magicWrapped):
		return KindBitcode
	case is(magicKpack):
		return KindKpack
	case is("MZ"):
		return KindPE
	case isTensile(head):
		return KindTensile
	case isMIOpen(base, head):
		return KindMIOpen
	case isCOFF(head):
		return KindCOFF
	}
	return KindNone
}

func isAMDGPU(head []byte) bool {
	return len(head) >= 20 && head[4] == 2 && head[5] == 1 && binary.LittleEndian.Uint16(head[18:]) == machineAMDGPU
}

// look reads one file, or one member of an archive.
func (s *scan) look(kind Kind, p part, depth int) {
	switch kind {
	case KindCodeObject:
		s.raw(p)
	case KindELF:
		s.hostELF(p)
	case KindBundle:
		s.bundles(p)
	case KindPE, KindCOFF:
		s.windows(p, kind)
	case KindArchive:
		s.archive(p, depth)
	case KindOffloadBinary:
		s.offloadBinaries(p)
	case KindKpack:
		s.kpack(p)
	case KindSPIRV, KindBitcode, KindTensile, KindMIOpen, KindNone:
		// By themselves they name no target.
	}
}
