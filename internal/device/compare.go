package device

import (
	"math"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// A reference is what the CPU computed: the values, and for each how much was
// summed up on the way, signs aside. Rounding errors grow with the latter.
type reference struct {
	values []float64
	mass   float64 // the largest
	terms  int     // how many were summed up for one value
}

// A tolerance is how far a result may be from the reference.
type tolerance struct {
	most        float64 // of the differences
	correlation float64 // at least
}

// Correlations below which a result is wrong. That of fp32 has told right from
// wrong on a GPU whose kernels were built for another wavefront (0.133).
var leastCorrelation = map[element]float64{fp32: 0.999999, fp16: 0.99999, bf16: 0.9999}

// tolerance allows for sums in fp32 in any order, whose error grows with the
// root of their length, and for the rounding of the result. The factor leaves
// room for algorithms such as Winograd's that add and subtract more.
func (r reference) tolerance(kind element) tolerance {
	const room = 4
	var largest float64
	for _, v := range r.values {
		largest = max(largest, math.Abs(v))
	}
	sums := room * fp32.step() * math.Sqrt(float64(r.terms)) * r.mass
	return tolerance{sums + kind.step()*largest, leastCorrelation[kind]}
}

// A comparison is what a result looks like beside its reference.
type comparison struct {
	tolerance
	difference float64 // the largest
	similarity float64 // the correlation
	broken     int     // values that are no numbers
	at         int     // of the largest difference
	values     int
}

// compare holds a result to its reference. They are of one length.
func compare(got []float32, want reference, t tolerance) comparison {
	c := comparison{tolerance: t, values: len(got)}
	var sums moments
	for i, g := range got {
		v, w := float64(g), want.values[i]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			c.broken++
			continue
		}
		if d := math.Abs(v - w); d > c.difference {
			c.difference, c.at = d, i
		}
		sums.add(v, w)
	}
	c.similarity = sums.correlation()
	return c
}

// moments are what a correlation is made of.
type moments struct{ n, x, y, xx, yy, xy float64 }

func (m *moments) add(x, y float64) {
	m.n++
	m.x += x
	m.y += y
	m.xx += x * x
	m.yy += y * y
	m.xy += x * y
}

// correlation is 0 where one side is constant: then nothing is shown.
func (m *moments) correlation() float64 {
	spread := (m.n*m.xx - m.x*m.x) * (m.n*m.yy - m.y*m.y)
	if m.n == 0 || spread <= 0 {
		return 0
	}
	return (m.n*m.xy - m.x*m.y) / math.Sqrt(spread)
}

func (c comparison) right() bool {
	return c.broken == 0 && c.values > 0 && c.difference <= c.most && c.similarity >= c.correlation
}

func (c comparison) numbers() map[string]float64 {
	return map[string]float64{
		"max_abs_diff": c.difference, "threshold": c.most,
		"correlation": c.similarity, "correlation_threshold": c.correlation,
		"not_finite": float64(c.broken), "values": float64(c.values),
	}
}

// judge turns a comparison into the error that says what is wrong.
func (c comparison) judge() error {
	switch {
	case c.right():
		return nil
	case c.broken > 0:
		return refuse(operation.WrongResult, "%d of %d values are no numbers or were never written", c.broken, c.values)
	default:
		return refuse(operation.WrongResult, "the largest difference from the CPU is %.3g (allowed: %.3g, at value %d), the correlation %.6f (at least %g)",
			c.difference, c.most, c.at, c.similarity, c.correlation)
	}
}

// exact wants equal bits.
func exact(got, want []float32) (comparison, error) {
	r := reference{values: make([]float64, len(want))}
	for i, w := range want {
		r.values[i] = float64(w)
	}
	c := compare(got, r, tolerance{0, leastCorrelation[fp32]})
	return c, c.judge()
}

// worst keeps the comparison that says most: a wrong one, else the one that is
// nearest to its limit.
func worst(a, b comparison) comparison {
	if a.values == 0 || a.right() && (!b.right() || nearness(b) > nearness(a)) {
		return b
	}
	return a
}

func nearness(c comparison) float64 {
	if c.most == 0 {
		return 0
	}
	return c.difference / c.most
}
