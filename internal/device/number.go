package device

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// random gives numbers between -1 and 1, the same in every run, each rounded to
// what the element can hold.
func random(n int, seed uint64, kind element) []float32 {
	source := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // must be the same in every run
	values := make([]float32, n)
	for i := range values {
		values[i] = kind.round(2*source.Float32() - 1)
	}
	return values
}

func (e element) size() int {
	if e == fp32 {
		return 4
	}
	return 2
}

// step is the distance between 1 and the next number, the unit of rounding.
func (e element) step() float64 {
	return map[element]float64{fp32: 0x1p-23, fp16: 0x1p-10, bf16: 0x1p-7}[e]
}

// round gives the nearest number that the element can hold.
func (e element) round(v float32) float32 {
	switch e {
	case fp16:
		return fromHalf(toHalf(v))
	case bf16:
		return math.Float32frombits(uint32(toBrain(v)) << 16)
	default:
		return v
	}
}

// encode writes numbers as the GPU stores them.
func (e element) encode(values []float32) []byte {
	data := make([]byte, 0, len(values)*e.size())
	for _, v := range values {
		switch e {
		case fp16:
			data = binary.LittleEndian.AppendUint16(data, toHalf(v))
		case bf16:
			data = binary.LittleEndian.AppendUint16(data, toBrain(v))
		default:
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	return data
}

func (e element) decode(data []byte) []float32 {
	values := make([]float32, len(data)/e.size())
	for i := range values {
		switch e {
		case fp16:
			values[i] = fromHalf(binary.LittleEndian.Uint16(data[2*i:]))
		case bf16:
			values[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
		default:
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	}
	return values
}

// toBrain rounds to the nearest, ties to even.
func toBrain(v float32) uint16 {
	bits := math.Float32bits(v)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// toHalf rounds to the nearest, ties to even. Random numbers between -1 and 1
// never reach its largest; what does becomes infinite.
func toHalf(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	size := math.Abs(float64(v))
	switch {
	case size >= 65520:
		return sign | 0x7c00
	case size < 0x1p-14: // no exponent of its own: multiples of 2^-24
		return sign | uint16(math.RoundToEven(size*0x1p24))
	}
	exponent := math.Floor(math.Log2(size))
	if math.Ldexp(1, int(exponent)) > size {
		exponent--
	}
	// A fraction that rounds up to 1024 carries into the exponent, as it should.
	fraction := math.RoundToEven((math.Ldexp(size, -int(exponent)) - 1) * 1024)
	return sign | uint16(int(exponent)+15)<<10 + uint16(fraction)
}

func fromHalf(h uint16) float32 {
	exponent, fraction := int(h>>10&0x1f), float64(h&0x3ff)
	var size float64
	switch exponent {
	case 0:
		size = fraction * 0x1p-24
	case 0x1f:
		size = math.Inf(1)
		if fraction != 0 {
			size = math.NaN()
		}
	default:
		size = math.Ldexp(1+fraction/1024, exponent-15)
	}
	if h&0x8000 != 0 {
		size = -size
	}
	return float32(size)
}
