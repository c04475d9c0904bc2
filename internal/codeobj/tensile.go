package codeobj

import "bytes"

// isTensile knows the tables of Tensile: a MessagePack map of two or three keys (hipBLASLt's has a version), the first
// of which is "solutions".
func isTensile(head []byte) bool {
	return len(head) > 0 && (head[0] == 0x82 || head[0] == 0x83) && bytes.HasPrefix(head[1:], []byte("\xa9solutions"))
}
