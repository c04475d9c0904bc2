package codeobj

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	blockHeader = 3
	maxBlock    = 128 << 10
	mostBlocks  = 64        // that are unpacked to read a table
	maxWindow   = 512 << 20 // frames are written in one segment, so the window is all of the content
)

// A zstdDecoder is made when first needed: most files are not compressed.
type zstdDecoder struct {
	decoder *zstd.Decoder
	space   []byte // for what it decodes; used again and again
}

func (z *zstdDecoder) get() (*zstd.Decoder, error) {
	if z.decoder != nil {
		return z.decoder, nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(2*mostBlocks*maxBlock), zstd.IgnoreChecksum(true))
	if err != nil {
		return nil, fmt.Errorf("make a zstd decoder: %w", err)
	}
	z.decoder = d
	return d, nil
}

// frameStart says where the blocks of a zstd frame begin, and whether a checksum follows them (RFC 8878, 3.1.1.1).
func frameStart(p part) (at int64, checksum bool, err error) {
	h, err := p.exactly(0, 5)
	if err != nil {
		return 0, false, err
	}
	if string(h[:4]) != "\x28\xb5\x2f\xfd" {
		return 0, false, fmt.Errorf("there is no zstd frame")
	}
	d := h[4]
	single := d&0x20 != 0
	at = 5 + []int64{0, 1, 2, 4}[d&3] + []int64{0, 2, 4, 8}[d>>6]
	if !single {
		at++ // the window
	} else if d>>6 == 0 {
		at++ // the size of the content, in one byte
	}
	return at, d&4 != 0, nil
}

// A block is one block of a zstd frame.
type block struct {
	header []byte
	last   bool
	stored int // bytes in the frame, without the header
}

func readBlock(p part, at int64) (block, error) {
	h, err := p.exactly(at, blockHeader)
	if err != nil {
		return block{}, err
	}
	bits := uint32(h[0]) | uint32(h[1])<<8 | uint32(h[2])<<16
	b := block{header: h, last: bits&1 != 0, stored: int(bits >> 3)}
	switch kind := bits >> 1 & 3; {
	case kind == 3 || b.stored > maxBlock:
		return block{}, fmt.Errorf("a zstd block that cannot be")
	case kind == 1:
		b.stored = 1 // one byte, many times
	}
	return b, nil
}

// firstBlocks unpacks the first blocks of a zstd frame alone. A decoder for the whole frame would set memory aside for
// all of its content, up to 171 MB for one bundle of hipBLASLt. First blocks refer to nothing before them, so they are
// whole in a frame of their own, with a window of 8 MiB. What is returned is good until the next call.
func (s *scan) firstBlocks(p part, count int) ([]byte, error) {
	at, _, err := frameStart(p)
	if err != nil {
		return nil, err
	}
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68}
	for i := 1; i <= count; i++ {
		b, err := readBlock(p, at)
		if err != nil {
			return nil, err
		}
		data, err := p.exactly(at+blockHeader, b.stored)
		if err != nil {
			return nil, err
		}
		if i == count {
			b.header[0] |= 1 // the last one
		}
		frame = append(append(frame, b.header...), data...)
		if at += blockHeader + int64(b.stored); b.last {
			break
		}
	}
	decoder, err := s.zstd.get()
	if err != nil {
		return nil, err
	}
	out, err := decoder.DecodeAll(frame, s.zstd.space[:0])
	if err != nil {
		return nil, fmt.Errorf("decompress the first %d blocks: %w", count, err)
	}
	s.zstd.space = out
	return out, s.spend(int64(len(out)))
}

// spend counts what is decompressed.
func (s *scan) spend(n int64) error {
	if s.inflate -= n; s.inflate < 0 {
		return fmt.Errorf("%w after decompression, and %w", errTooMuch, errStop)
	}
	return nil
}

// stream decompresses from the beginning; no more than the header says, and no more than is allowed in all.
func (s *scan) stream(c ccob) (io.ReadCloser, error) {
	var from io.ReadCloser
	switch c.method {
	case methodZlib:
		z, err := zlib.NewReader(bufio.NewReader(c.data.reader()))
		if err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		from = z
	default:
		d, err := zstd.NewReader(c.data.reader(), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		from = d.IOReadCloser()
	}
	return &spending{ReadCloser: from, scan: s, left: c.size}, nil
}

// spending is a stream that ends where its header said it would.
type spending struct {
	io.ReadCloser
	scan *scan
	left uint64
}

func (r *spending) Read(p []byte) (int, error) {
	if r.left == 0 {
		return r.behind()
	}
	n, err := r.ReadCloser.Read(p[:min(uint64(len(p)), r.left)])
	r.left -= uint64(n) //nolint:gosec // at most what was left
	if spent := r.scan.spend(int64(n)); spent != nil {
		return n, spent
	}
	return n, err
}

// behind looks whether the stream ends where it should; only at its end are checksums compared.
func (r *spending) behind() (int, error) {
	var one [1]byte
	n, err := r.ReadCloser.Read(one[:])
	if n > 0 {
		return 0, fmt.Errorf("it is longer after decompression than its header says")
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return 0, err
}

// streamEnd says how long the compressed stream is. Frames of zstd are hopped through block by block; zlib has to be
// decompressed.
func (s *scan) streamEnd(c ccob) (int64, error) {
	if c.method == methodZlib {
		return s.zlibEnd(c)
	}
	at, checksum, err := frameStart(c.data)
	if err != nil {
		return 0, err
	}
	for {
		b, err := readBlock(c.data, at)
		if err != nil {
			return 0, err
		}
		if at += blockHeader + int64(b.stored); b.last {
			break
		}
	}
	if checksum {
		at += 4
	}
	if at > c.data.size {
		return 0, fmt.Errorf("%w: in the compressed stream", errCutShort)
	}
	return at, nil
}

// A counter hands out single bytes, so that what decompresses takes no more than it needs.
type counter struct {
	*bufio.Reader
	taken int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.taken += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.taken++
	}
	return b, err
}

func (s *scan) zlibEnd(c ccob) (int64, error) {
	from := &counter{Reader: bufio.NewReaderSize(c.data.reader(), 64<<10)}
	z, err := zlib.NewReader(from)
	if err != nil {
		return 0, fmt.Errorf("decompress: %w", err)
	}
	_, err = io.Copy(io.Discard, &spending{ReadCloser: z, scan: s, left: c.size})
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("decompress: %w", err)
	}
	return from.taken, nil
}
