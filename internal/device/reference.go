package device

import (
	"math"
	"slices"
)

// rowStep is how far apart the rows of a product are that are computed again on
// the CPU, all their columns each. It is odd and less than the smallest tile of
// a GPU's kernel in use, so that every tile has rows that are looked at.
const rowStep = 13

// rowsToCheck are every rowStep-th row and the last.
func rowsToCheck(m int) []int {
	var rows []int
	for i := 0; i < m; i += rowStep {
		rows = append(rows, i)
	}
	if last := m - 1; rows[len(rows)-1] != last {
		rows = append(rows, last)
	}
	return rows
}

// multiplied is the product of a batch on the CPU, in those rows only.
func multiplied(p product, a, b []float32, rows []int) reference {
	r := reference{terms: p.k, values: make([]float64, 0, p.batch*len(rows)*p.n)}
	for batch := range p.batch {
		a, b := a[batch*p.m*p.k:][:p.m*p.k], b[batch*p.k*p.n:][:p.k*p.n]
		for _, i := range rows {
			sums, masses := rowTimes(p, a[i*p.k:][:p.k], b)
			for j, sum := range sums {
				r.values = append(r.values, sum*float64(p.alpha))
				r.mass = max(r.mass, masses[j]*math.Abs(float64(p.alpha)))
			}
		}
	}
	return r
}

// rowTimes multiplies a row with a matrix.
func rowTimes(p product, row, b []float32) (sums, masses []float64) {
	sums, masses = make([]float64, p.n), make([]float64, p.n)
	if p.transposeB {
		for j := range p.n {
			for l, v := range b[j*p.k:][:p.k] {
				term := float64(row[l]) * float64(v)
				sums[j] += term
				masses[j] += math.Abs(term)
			}
		}
		return sums, masses
	}
	for l, x := range row {
		for j, v := range b[l*p.n:][:p.n] {
			term := float64(x) * float64(v)
			sums[j] += term
			masses[j] += math.Abs(term)
		}
	}
	return sums, masses
}

// pick takes rows out of a batch of matrices.
func (p product) pick(values []float32, rows []int) []float32 {
	var picked []float32
	for batch := range p.batch {
		for _, i := range rows {
			picked = append(picked, values[(batch*p.m+i)*p.n:][:p.n]...)
		}
	}
	return picked
}

// channelsToCheck are those that a convolution puts out, or some of many.
func (v convolution) channelsToCheck() []int {
	if v.k > 64 {
		return rowsToCheck(v.k)
	}
	all := make([]int, v.k)
	for k := range all {
		all[k] = k
	}
	return all
}

// pick takes channels out of what a convolution put out.
func (v convolution) pick(y []float32, channels []int) []float32 {
	area := v.outH() * v.outW()
	var picked []float32
	for n := range v.n {
		for _, k := range channels {
			picked = append(picked, y[(n*v.k+k)*area:][:area]...)
		}
	}
	return picked
}

// convolved is a convolution on the CPU, of those channels only.
func convolved(v convolution, x, w []float32, channels []int) reference {
	r := reference{terms: v.c * v.kh * v.kw, values: make([]float64, 0, v.n*len(channels)*v.outH()*v.outW())}
	for n := range v.n {
		for _, k := range channels {
			for oh := range v.outH() {
				for ow := range v.outW() {
					sum, mass := v.at(x[n*v.c*v.h*v.w:], w[k*v.c*v.kh*v.kw:], oh, ow)
					r.values = append(r.values, sum)
					r.mass = max(r.mass, mass)
				}
			}
		}
	}
	return r
}

// at is one value of a convolution.
func (v convolution) at(x, w []float32, oh, ow int) (sum, mass float64) {
	for c := range v.c {
		for i := range v.kh {
			h := oh*v.strideH + i - v.padH
			if h < 0 || h >= v.h {
				continue
			}
			for j := range v.kw {
				col := ow*v.strideW + j - v.padW
				if col < 0 || col >= v.w {
					continue
				}
				term := float64(x[(c*v.h+h)*v.w+col]) * float64(w[(c*v.kh+i)*v.kw+j])
				sum += term
				mass += math.Abs(term)
			}
		}
	}
	return sum, mass
}

// softmaxed is the softmax of numbers that lie a step apart.
func softmaxed(values []float32, count, step int, out []float64) {
	largest := math.Inf(-1)
	for i := range count {
		largest = max(largest, float64(values[i*step]))
	}
	var sum float64
	for i := range count {
		out[i*step] = math.Exp(float64(values[i*step]) - largest)
		sum += out[i*step]
	}
	for i := range count {
		out[i*step] /= sum
	}
}

// softmaxOver is a softmax over the middle of three dimensions.
func softmaxOver(x []float32, outer, count, inner int) reference {
	r := reference{values: make([]float64, len(x)), terms: count}
	for o := range outer {
		for i := range inner {
			at := o*count*inner + i
			softmaxed(x[at:], count, inner, r.values[at:])
		}
	}
	r.mass = slices.Max(r.values)
	return r
}

// layerNormed normalises rows.
func layerNormed(x, weight, bias []float32, columns int) reference {
	r := reference{values: make([]float64, len(x)), terms: columns}
	for at := 0; at < len(x); at += columns {
		row := x[at:][:columns]
		var mean, variance float64
		for _, v := range row {
			mean += float64(v) / float64(columns)
		}
		for _, v := range row {
			variance += (float64(v) - mean) * (float64(v) - mean) / float64(columns)
		}
		for i, v := range row {
			scaled := (float64(v) - mean) / math.Sqrt(variance+epsilon) * float64(weight[i])
			r.values[at+i] = scaled + float64(bias[i])
			r.mass = max(r.mass, math.Abs(scaled)+math.Abs(float64(bias[i])))
		}
	}
	return r
}

// batchNormed normalises channels.
func batchNormed(shape [4]int, x, scale, bias, mean, variance []float32) reference {
	r := reference{values: make([]float64, len(x)), terms: 2}
	area := shape[2] * shape[3]
	for i, v := range x {
		c := i / area % shape[1]
		scaled := (float64(v) - float64(mean[c])) / math.Sqrt(float64(variance[c])+epsilon) * float64(scale[c])
		r.values[i] = scaled + float64(bias[c])
		r.mass = max(r.mass, math.Abs(scaled)+math.Abs(float64(bias[c])))
	}
	return r
}
