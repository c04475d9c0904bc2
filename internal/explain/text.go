package explain

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
)

// textOf returns a reader of plain bytes: PowerShell writes UTF-16, and old logs are compressed.
func textOf(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		return z, nil
	case bytes.HasPrefix(head, []byte("\xff\xfe")), everySecondIsZero(head, 1):
		return &utf16Reader{src: b, order: binary.LittleEndian}, nil
	case bytes.HasPrefix(head, []byte("\xfe\xff")), everySecondIsZero(head, 0):
		return &utf16Reader{src: b, order: binary.BigEndian}, nil
	}
	return b, nil
}

// everySecondIsZero knows UTF-16 without a mark at its beginning, as far as it is written in Latin letters.
func everySecondIsZero(head []byte, from int) bool {
	const enough = 16
	if len(head) < enough {
		return false
	}
	for i := range enough {
		if (head[i] == 0) != (i%2 == from) {
			return false
		}
	}
	return true
}

// utf16Reader turns UTF-16 into UTF-8.
type utf16Reader struct {
	src   io.Reader
	order binary.ByteOrder
	raw   [8 << 10]byte
	left  int // bytes of raw that are half a letter
	ready []byte
	err   error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.ready) == 0 && u.err == nil {
		n, err := u.src.Read(u.raw[u.left:])
		u.err = err
		u.decode(u.left + n)
	}
	n := copy(p, u.ready)
	u.ready = u.ready[n:]
	if n > 0 {
		return n, nil
	}
	return 0, u.err
}

func (u *utf16Reader) decode(n int) {
	end := n &^ 1
	units := make([]uint16, 0, end/2)
	for i := 0; i < end; i += 2 {
		units = append(units, u.order.Uint16(u.raw[i:]))
	}
	if k := len(units); k > 0 && u.err == nil && utf16.IsSurrogate(rune(units[k-1])) && units[k-1] < 0xdc00 {
		units, end = units[:k-1], end-2
	}
	u.ready = []byte(string(utf16.Decode(units)))
	u.ready = bytes.ReplaceAll(u.ready, []byte("\ufeff"), nil)
	u.left = copy(u.raw[:], u.raw[end:n])
}
