package codeobj

import (
	"encoding/binary"

	"github.com/ulikunitz/xz/lzma"
)

// XZWindow is how much memory an xz file asks for in the header of its first block
// (The .xz File Format, 3.1); 0 where that cannot be read, which its decoder will say.
func XZWindow(head []byte) uint64 {
	const block, flags, lzma2 = 12, 13, 0x21
	if len(head) < block+flags {
		return 0
	}
	rest := head[block+2:]
	for _, given := range []byte{0x40, 0x80} { // sizes that may stand before the filters
		if head[flags]&given != 0 {
			_, n := binary.Uvarint(rest)
			rest = rest[max(n, 0):]
		}
	}
	if len(rest) < 3 || rest[0] != lzma2 {
		return 0
	}
	window, err := lzma.DecodeDictCap(rest[2])
	if err != nil || window < 0 {
		return 0
	}
	return uint64(window)
}
