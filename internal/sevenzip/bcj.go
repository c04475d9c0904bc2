package sevenzip

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// x86 undoes the filter BCJ. Before programs are packed, the targets of their calls
// and jumps (0xe8, 0xe9) are made absolute, because those repeat and distances do not.
// Whether five bytes are such a call is guessed from the highest byte of the distance,
// which is 00 or ff, and from what looked like a call within the three bytes before.
type x86 struct {
	from   io.Reader
	at     uint32 // of the first byte that is not undone, within the stream
	calls  uint8  // what looked like a call before it and was left alone: a bit each, the nearest is the lowest
	buffer [32 << 10]byte
	start  int // of what is undone and not read
	done   int // its end
	end    int // of what was read from below
	err    error
}

const callSize = 5

func unBCJ(in []*bufio.Reader, _ coder, _, _ int64) (io.Reader, error) {
	return &x86{from: in[0]}, nil
}

// Read reads what is undone.
func (x *x86) Read(p []byte) (int, error) {
	for x.start == x.done {
		if x.err != nil {
			return 0, x.err
		}
		x.fill()
	}
	n := copy(p, x.buffer[x.start:x.done])
	x.start += n
	return n, nil
}

// fill reads more behind what is left. The last bytes of a stream are no whole call.
func (x *x86) fill() {
	copy(x.buffer[:], x.buffer[x.done:x.end])
	x.start, x.end, x.done = 0, x.end-x.done, 0
	var n int
	n, x.err = io.ReadAtLeast(x.from, x.buffer[x.end:], callSize)
	if errors.Is(x.err, io.ErrUnexpectedEOF) {
		x.err = io.EOF
	}
	x.end += n
	x.done = x.undo(x.buffer[:x.end])
	if x.err != nil {
		x.done = x.end
	}
}

// undo works on all whole calls, and returns how far it came.
func (x *x86) undo(data []byte) int {
	i := 0
	for i+callSize <= len(data) {
		switch {
		case data[i]&^1 != 0xe8:
			x.calls = x.calls << 1 & 7
			i++
		case !x.isCall(data[i+1 : i+callSize]):
			x.calls = x.calls<<1&7 | 1
			i++
		default:
			x.relative(data[i+1:i+callSize], x.at+uint32(i)+callSize) //nolint:gosec // within the buffer
			x.calls = 0
			i += callSize
		}
	}
	x.at += uint32(i) //nolint:gosec // within the buffer
	return i
}

// overlap is where the highest byte of the one call before stands in this distance:
// 3, which is the highest itself, where there was none. More than one is no call.
func (x *x86) overlap() (int, bool) {
	switch x.calls {
	case 0:
		return 3, true
	case 1:
		return 2, true
	case 2:
		return 1, true
	case 4:
		return 0, true
	}
	return 0, false
}

func isHighest(b byte) bool { return b == 0 || b == 0xff }

func (x *x86) isCall(distance []byte) bool {
	byteOfOther, one := x.overlap()
	return one && isHighest(distance[3]) && (byteOfOther == 3 || !isHighest(distance[byteOfOther]))
}

// relative turns a target back into a distance from next, the byte behind the call. Where
// the highest byte of the call before would become one by which that is taken for a
// call, the filter turned the bits below around once more.
func (x *x86) relative(target []byte, next uint32) {
	distance := binary.LittleEndian.Uint32(target) - next
	if n, _ := x.overlap(); n < 3 && isHighest(byte(distance>>(8*n))) {
		distance = (distance ^ (1<<(8*(n+1)) - 1)) - next
	}
	binary.LittleEndian.PutUint32(target, distance)
	target[3] = 0
	if distance&(1<<24) != 0 {
		target[3] = 0xff
	}
}
