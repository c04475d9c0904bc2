package codeobj

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// headSize holds every magic number and most headers.
const headSize = 512

// A meter counts what is read, so that no file can make us read without end.
type meter struct {
	src  io.ReaderAt
	left int64
}

// A read costs a system call and a page, however small it is.
const leastCost = 512

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	m.left -= max(int64(len(p)), leastCost)
	if m.left < 0 {
		return 0, fmt.Errorf("%w, and %w", errTooMuch, errStop)
	}
	return m.src.ReadAt(p, off)
}

// mostAtOnce is what is asked for at once: a source may refuse more, and a size in a file may be a lie.
const mostAtOnce = 1 << 20

// A part is a range of a file: all of it, a section, a member of an archive.
type part struct {
	src   io.ReaderAt
	start int64 // in the file
	size  int64
	where string // the file, and the member after an exclamation mark
}

// upTo returns at most n bytes; fewer at the end of the part, and where the file has become shorter.
func (p part) upTo(off int64, n int) ([]byte, error) {
	return p.into(nil, off, n)
}

// into is upTo with space that may be used again.
func (p part) into(space []byte, off int64, n int) ([]byte, error) {
	if off < 0 || off >= p.size || n <= 0 {
		return nil, nil
	}
	data, want := space[:0], int(min(int64(n), p.size-off))
	for len(data) < want {
		step := min(want-len(data), mostAtOnce)
		data = slices.Grow(data, step)
		got, err := p.src.ReadAt(data[len(data):len(data)+step], p.start+off+int64(len(data)))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if data = data[:len(data)+got]; got < step {
			break
		}
	}
	return data, nil
}

// exactly returns n bytes.
func (p part) exactly(off int64, n int) ([]byte, error) {
	data, err := p.upTo(off, n)
	if err == nil && len(data) < n {
		err = fmt.Errorf("%w: %d bytes were expected at %d, and %d are there", errCutShort, n, off, len(data))
	}
	return data, err
}

// cut returns a range of the part. Offset and size come from a file and may be anything.
func (p part) cut(off, size uint64) (part, error) {
	if off > uint64(p.size) || size > uint64(p.size)-off { //nolint:gosec // a size is never negative
		return part{}, fmt.Errorf("%w: %d bytes are said to stand at %d, and the whole has %d", errCutShort, size, off, p.size)
	}
	return part{src: p.src, start: p.start + int64(off), size: int64(size), where: p.where}, nil //nolint:gosec // both are within the part
}

// from returns what begins at an offset within the part.
func (p part) from(off int64) part {
	off = min(off, p.size)
	return part{src: p.src, start: p.start + off, size: p.size - off, where: p.where}
}

// reader reads the part from its beginning.
func (p part) reader() io.Reader { return io.NewSectionReader(p.src, p.start, p.size) }
