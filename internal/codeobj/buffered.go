package codeobj

import "io"

// Buffered makes a source of a file. Magic numbers, the headers that they begin and the tables behind those are asked
// for one by one, and cost one question. The first bytes of code cost one each: nobody asks for what is behind them, and
// to copy a page of a gigabyte, which is in no cache of the processor, takes as long as the question. It is not for
// several goroutines.
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
	if len(p) >= len(b.page) || len(p) == elfHeader && off > 0 {
		return b.src.ReadAt(p, off)
	}
	n, err := b.src.ReadAt(b.page[:], off)
	b.at, b.data = off, b.page[:n]
	if n = copy(p, b.data); n == len(p) {
		return n, nil
	}
	return n, err
}
