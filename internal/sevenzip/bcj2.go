package sevenzip

import (
	"bufio"
	"encoding/binary"
	"io"
)

// bcj2 undoes the filter BCJ2, which 7-Zip takes for programs when it is asked for the
// best. The targets of calls (0xe8) and jumps (0xe9, 0x0f 0x80 to 0x8f) are taken out of
// the code into streams of their own, made absolute. A fourth stream tells by one bit,
// packed by a range coder, whether that was done with what looks like a call or jump.
type bcj2 struct {
	code, calls, jumps, bits *bufio.Reader

	chances [chances]uint16
	width   uint32 // of the range
	value   uint32 // within the range
	started bool

	before byte   // the last byte that was written
	at     uint32 // bytes that were written
	rest   []byte // of a distance, to be read
	later  error  // of what follows
	err    error
}

const (
	bcj2Inputs  = 4
	chances     = 256 + 2 // of a call, by the byte before it; of 0xe9; of the others
	chanceBits  = 11
	evenChance  = 1 << chanceBits / 2
	chanceSpeed = 5 // bits by which a chance adapts
	leastWidth  = 1 << 24
)

func unBCJ2(in []*bufio.Reader, _ coder, _, _ int64) (io.Reader, error) {
	b := &bcj2{code: in[0], calls: in[1], jumps: in[2], bits: in[3], width: 0xffffffff}
	for i := range b.chances {
		b.chances[i] = evenChance
	}
	return b, nil
}

// Read reads code with its distances.
func (b *bcj2) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && b.err == nil {
		if len(b.rest) > 0 {
			copied := copy(p[n:], b.rest)
			b.rest = b.rest[copied:]
			n += copied
			continue
		}
		p[n], b.err = b.next()
		if b.err == nil {
			n++
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// next is the next byte of the code. Behind a call or jump, the distance is put ready;
// where that cannot be, the byte itself is right, and the error is that of the next.
func (b *bcj2) next() (byte, error) {
	if b.later != nil {
		return 0, noEOF(b.later)
	}
	c, err := b.code.ReadByte()
	if err != nil {
		return 0, err
	}
	before := b.before
	b.before, b.at = c, b.at+1
	if c&^1 == 0xe8 || before == 0x0f && c&0xf0 == 0x80 {
		b.later = b.distance(before, c)
	}
	return c, nil
}

// distance puts back what was taken out behind a call or jump, if it was.
func (b *bcj2) distance(before, opcode byte) error {
	chance, from := &b.chances[257], b.jumps
	switch opcode {
	case 0xe8:
		chance, from = &b.chances[before], b.calls
	case 0xe9:
		chance = &b.chances[256]
	}
	taken, err := b.bit(chance)
	if err != nil || !taken {
		return err
	}
	var target [4]byte
	if _, err := io.ReadFull(from, target[:]); err != nil {
		return err
	}
	b.at += uint32(len(target))
	b.rest = binary.LittleEndian.AppendUint32(nil, binary.BigEndian.Uint32(target[:])-b.at)
	b.before = b.rest[3]
	return nil
}

// bit unpacks one, and makes what it was a little more likely the next time.
func (b *bcj2) bit(chance *uint16) (bool, error) {
	if err := b.widen(); err != nil {
		return false, err
	}
	bound := b.width >> chanceBits * uint32(*chance)
	if b.value < bound {
		b.width = bound
		*chance += (1<<chanceBits - *chance) >> chanceSpeed
		return false, nil
	}
	b.width -= bound
	b.value -= bound
	*chance -= *chance >> chanceSpeed
	return true, nil
}

// widen reads on where the range became narrow; at the start it takes five bytes.
func (b *bcj2) widen() error {
	if !b.started {
		b.started = true
		var first [5]byte
		_, err := io.ReadFull(b.bits, first[:])
		b.value = binary.BigEndian.Uint32(first[1:])
		return err
	}
	if b.width < leastWidth {
		c, err := b.bits.ReadByte()
		b.width, b.value = b.width<<8, b.value<<8|uint32(c)
		return err
	}
	return nil
}
