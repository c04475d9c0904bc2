package linkage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ranges reads parts of a file. Every part that is read is kept by a recorder, so
// few and small ones are asked for: the string table alone of a big library has
// tens of megabytes.
type ranges struct {
	r    io.ReaderAt
	head []byte // what was read at the beginning
}

// headSize holds the headers of nearly every ELF and PE file.
const headSize = 1024

func openRanges(r io.ReaderAt) (*ranges, error) {
	head, err := readUpTo(r, 0, headSize)
	if err != nil {
		return nil, err
	}
	return &ranges{r: r, head: head}, nil
}

// upTo returns at most n bytes; fewer at the end of the file.
func (f *ranges) upTo(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 {
		return nil, damaged("a range begins at %d and has %d bytes", off, n)
	}
	if off+int64(n) <= int64(len(f.head)) || len(f.head) < headSize {
		from := min(off, int64(len(f.head)))
		return f.head[from:min(from+int64(n), int64(len(f.head)))], nil
	}
	return readUpTo(f.r, off, n)
}

// exactly returns n bytes.
func (f *ranges) exactly(off int64, n int) ([]byte, error) {
	data, err := f.upTo(off, n)
	if err == nil && len(data) < n {
		err = fmt.Errorf("%w: %d bytes were expected at %d, and %d are there", ErrCutShort, n, off, len(data))
	}
	return data, err
}

func readUpTo(r io.ReaderAt, off int64, n int) ([]byte, error) {
	data := make([]byte, n)
	got, err := r.ReadAt(data, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:got], nil
}

const (
	stringSize = 128      // most names are shorter
	stringGap  = 4 << 10  // names nearer than this are read at once
	stringMax  = 64 << 10 // the longest name, and the most that is read for several at once
	stringsMax = 1 << 20  // all names of one file together
)

// strings returns the names that begin at the offsets and end with a zero.
func (f *ranges) strings(offsets []int64) (map[int64]string, error) {
	sorted := slices.Clone(offsets)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	out, total := map[int64]string{}, 0
	for len(sorted) > 0 {
		first, count := sorted[0], together(sorted)
		length := int(sorted[count-1]-first) + stringSize
		data, err := f.upTo(first, length)
		if err != nil {
			return nil, err
		}
		if total += len(data); total > stringsMax {
			return nil, fmt.Errorf("%w: names of %d bytes", ErrTooMuch, total)
		}
		for _, off := range sorted[:count] {
			if out[off], err = f.stringIn(data, first, off); err != nil {
				return nil, err
			}
		}
		sorted = sorted[count:]
	}
	return out, nil
}

// together counts the offsets at the beginning that one range serves.
func together(sorted []int64) int {
	for i := 1; i < len(sorted); i++ {
		if sorted[i]-sorted[i-1] > stringGap || sorted[i]-sorted[0] > stringMax-stringSize {
			return i
		}
	}
	return len(sorted)
}

// stringIn cuts one name out of what was read from first on, and reads on where
// it does not end there.
func (f *ranges) stringIn(data []byte, first, off int64) (string, error) {
	rest := data[min(off-first, int64(len(data))):]
	for size := stringSize * 8; ; size *= 8 {
		if end := bytes.IndexByte(rest, 0); end >= 0 {
			return string(rest[:end]), nil
		}
		if size > stringMax {
			return "", fmt.Errorf("%w: a name at %d has no end", ErrDamaged, off)
		}
		more, err := f.upTo(off, size)
		if err != nil {
			return "", err
		}
		if len(more) <= len(rest) {
			return "", fmt.Errorf("%w: in the name at %d", ErrCutShort, off)
		}
		rest = more
	}
}
