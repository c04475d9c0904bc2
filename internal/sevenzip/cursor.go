package sevenzip

import (
	"encoding/binary"
	"math/bits"
)

// A cursor reads a list of files. After the first mistake it reads nothing but
// zeros, and err says what it was.
type cursor struct {
	data []byte
	err  error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = damaged(format, args...)
	}
	c.data = nil
}

// take is the next n bytes.
func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.data)) {
		c.fail("its list of files ends too early")
		return nil
	}
	taken := c.data[:n]
	c.data = c.data[n:]
	return taken
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// number reads a number of one to nine bytes: ones at the top of the first byte
// count those behind it, and what the first has left are the highest digits.
func (c *cursor) number() uint64 {
	first := c.byte()
	more := bits.LeadingZeros8(^first)
	var low [8]byte
	copy(low[:], c.take(uint64(more)))
	n := binary.LittleEndian.Uint64(low[:])
	if more < 7 {
		n |= uint64(first&(0x7f>>more)) << (8 * more)
	}
	return n
}

// count reads how many there are of something, of which each takes a byte or more
// of the list, and no more are read than most.
func (c *cursor) count(of string, most int) int {
	n := c.number()
	if n > uint64(most) { //nolint:gosec // a limit of ours
		c.fail("it is said to have %d %s, and %d at most are read", n, of, most)
		return 0
	}
	return int(n) //nolint:gosec // at most most
}

// size reads how large something is.
func (c *cursor) size() int64 {
	n := c.number()
	if n > largest {
		c.fail("something in it is said to have %d bytes", n)
		return 0
	}
	return int64(n)
}

// bits reads one bit for each of n things.
func (c *cursor) bits(n int) []bool {
	packed := c.take(uint64(n+7) / 8) //nolint:gosec // a count
	out := make([]bool, n)
	if c.err != nil {
		return out
	}
	for i := range out {
		out[i] = packed[i/8]&(0x80>>(i%8)) != 0
	}
	return out
}

// defined reads which of n things have a value: all of them, or those with a bit.
func (c *cursor) defined(n int) []bool {
	if c.byte() == 0 {
		return c.bits(n)
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

// inside wants that what is described stands in the list itself; nobody writes it
// elsewhere.
func (c *cursor) inside() {
	if c.byte() != 0 {
		c.fail("part of its list of files is stored elsewhere")
	}
}

// want reads a byte that can only be one.
func (c *cursor) want(id byte) {
	if got := c.byte(); got != id {
		c.fail("its list of files says %#x where %#x has to stand", got, id)
	}
}

// A checksum is the CRC-32 of something, if it is known.
type checksum struct {
	value uint32
	known bool
}

func (c *cursor) checksums(n int) []checksum {
	out := make([]checksum, n)
	for i, known := range c.defined(n) {
		if known {
			out[i] = checksum{c.uint32(), true}
		}
	}
	return out
}

// compare wants a checksum, and the right one: no archiver leaves it out.
func (s checksum) compare(got uint32) error {
	switch {
	case !s.known:
		return damaged("a file has no checksum")
	case s.value != got:
		return damaged("the checksum of a file is %08x and not %08x", got, s.value)
	}
	return nil
}
