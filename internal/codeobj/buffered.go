package codeobj

import "io"

// Buffered makes a source of a file. Small reads that lie near each other cost one question: a magic number, the header
// that it begins and the table behind that are asked for one by one. It is not for several goroutines.
func Buffered(src io.ReaderAt, size int64) Source { return &buffered{src: src, size: size} }

type buffered struct {
	src  io.ReaderAt
	size int64
	at   int64
	data []byte
	page [page]byte
}

func (b *buffered) Size() int64 { return b.size }

func (b *buffered) ReadAt(p []byte, off int64) (int, error) {
	if off >= b.at && off+int64(len(p)) <= b.at+int64(len(b.data)) {
		return copy(p, b.data[off-b.at:]), nil
	}
	if len(p) >= len(b.page) {
		return b.src.ReadAt(p, off)
	}
	n, err := b.src.ReadAt(b.page[:], off)
	b.at, b.data = off, b.page[:n]
	if n = copy(p, b.data); n == len(p) {
		return n, nil
	}
	return n, err
}
