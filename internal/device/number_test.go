package device

import (
	"math"
	"slices"
	"testing"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// Values of IEEE 754's binary16, and of bfloat16 as the upper half of a float.
func TestRounding(t *testing.T) {
	t.Parallel()
	for v, want := range map[float32]uint16{
		0: 0, 1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65520: 0x7c00, 0x1p-14: 0x0400, 0x1p-24: 0x0001, 0x1p-25: 0, 1.0 / 3: 0x3555,
		1 + 0x1p-11: 0x3c00, 1 + 3*0x1p-11: 0x3c02, 0.99999: 0x3c00, 0x1.ff8p-15: 0x03ff, 0x1.fffp-15: 0x0400,
	} {
		if got := toHalf(v); got != want {
			t.Errorf("toHalf(%g) is %#04x, want %#04x", v, got, want)
		}
	}
	for v, want := range map[float32]uint16{0: 0, 1: 0x3f80, -2: 0xc000, 1 + 0x1p-8: 0x3f80, 1 + 3*0x1p-8: 0x3f82} {
		if got := toBrain(v); got != want {
			t.Errorf("toBrain(%g) is %#04x, want %#04x", v, got, want)
		}
	}
}

func TestHalvesComeBack(t *testing.T) {
	t.Parallel()
	for h := range 0x7c00 { // all finite, positive ones
		if got := toHalf(fromHalf(uint16(h))); got != uint16(h) {
			t.Fatalf("%#04x comes back as %#04x", h, got)
		}
	}
	if !math.IsNaN(float64(fromHalf(0xffff))) || !math.IsInf(float64(fromHalf(0xfc00)), -1) {
		t.Error("0xffff and 0xfc00 are not NaN and minus infinity")
	}
}

func TestPoisonIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, kind := range []element{fp32, fp16, bf16} {
		if v := kind.decode([]byte{poison, poison, poison, poison})[0]; !math.IsNaN(float64(v)) {
			t.Errorf("element %d reads poison as %g", kind, v)
		}
		x := random(100, 1, kind)
		for i, v := range kind.decode(kind.encode(x)) {
			if v != x[i] || v < -1 || v > 1 {
				t.Errorf("element %d: %g comes back as %g", kind, x[i], v)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	want := reference{values: []float64{1, 2, 3, 4}, mass: 4, terms: 4}
	limits := want.tolerance(fp32)
	for _, test := range []struct {
		name string
		got  []float32
		ok   bool
	}{
		{"equal", []float32{1, 2, 3, 4}, true},
		{"rounded otherwise", []float32{1, 2, 3, 4.000001}, true},
		{"one is off", []float32{1, 2, 3, 4.001}, false},
		{"all are off, in step", []float32{2, 4, 6, 8}, false},
		{"another order", []float32{4, 3, 2, 1}, false},
		{"constant", []float32{2.5, 2.5, 2.5, 2.5}, false},
		{"no number", []float32{1, 2, float32(math.NaN()), 4}, false},
		{"infinite", []float32{1, 2, 3, float32(math.Inf(1))}, false},
	} {
		c := compare(test.got, want, limits)
		if err := c.judge(); (err == nil) != test.ok || (err != nil && verdict(err) != operation.WrongResult) {
			t.Errorf("%s: %v", test.name, err)
		}
		for name, v := range c.numbers() {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %s is %g, which JSON has no word for", test.name, name, v)
			}
		}
	}
	if compare(nil, reference{}, limits).right() {
		t.Error("nothing at all is right")
	}
}

func TestWorst(t *testing.T) {
	t.Parallel()
	limit := tolerance{1, 0.9}
	near := comparison{tolerance: limit, difference: 0.9, similarity: 1, values: 1}
	far := comparison{tolerance: limit, difference: 0.1, similarity: 1, values: 1}
	wrong := comparison{tolerance: limit, difference: 0.2, similarity: 0.1, values: 1}
	for _, test := range [][3]comparison{{{}, far, far}, {far, near, near}, {near, far, near}, {near, wrong, wrong}, {wrong, near, wrong}} {
		if got := worst(test[0], test[1]); got != test[2] {
			t.Errorf("worst of %+v and %+v is %+v", test[0], test[1], got)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	// 2×3 times 3×2 by hand, plain and with B stored transposed.
	a, b, turned := []float32{1, 2, 3, 4, 5, 6}, []float32{7, 8, 9, 10, 11, 12}, []float32{7, 9, 11, 8, 10, 12}
	p := product{m: 2, n: 2, k: 3, batch: 1, alpha: 0.5}
	q := p
	q.transposeB = true
	for name, got := range map[string]reference{"plain": multiplied(p, a, b, every(2)), "transposed": multiplied(q, a, turned, every(2))} {
		if want := []float64{29, 32, 69.5, 77}; !slices.Equal(got.values, want) || got.mass != 77 {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
	// A 1×2 kernel over a row of three with a zero on either side.
	v := convolution{n: 1, c: 1, h: 1, w: 3, k: 1, kh: 1, kw: 2, padW: 1, strideH: 1, strideW: 1}
	if got, want := convolved(v, []float32{1, 2, 3}, []float32{10, 1}, every(1)), []float64{1, 12, 23, 30}; !slices.Equal(got.values, want) {
		t.Errorf("convolution: %v, want %v", got.values, want)
	}
	if got := softmaxOver([]float32{0, 5, float32(math.Log(3)), 5}, 1, 2, 2).values; math.Abs(got[0]-0.25) > 1e-7 || math.Abs(got[2]-0.75) > 1e-7 || got[1] != 0.5 {
		t.Errorf("softmax: %v", got)
	}
	if got := layerNormed([]float32{1, 3}, []float32{1, 2}, []float32{0, 10}, 2).values; math.Abs(got[0]+1) > 1e-4 || math.Abs(got[1]-12) > 1e-4 {
		t.Errorf("layer norm: %v", got)
	}
	if got := batchNormed([4]int{1, 2, 1, 1}, []float32{3, 3}, []float32{2, 1}, []float32{1, 0}, []float32{1, 3}, []float32{4, 1}).values; math.Abs(got[0]-3) > 1e-4 || got[1] != 0 {
		t.Errorf("batch norm: %v", got)
	}
}

func TestRowsToCheck(t *testing.T) {
	t.Parallel()
	for _, m := range []int{1, 13, 14, 64, 1500} {
		rows := rowsToCheck(m)
		if rows[0] != 0 || rows[len(rows)-1] != m-1 {
			t.Errorf("of %d rows: %v", m, rows)
		}
	}
}

// The data is part of the program; here is who reads it.
func TestData(t *testing.T) {
	t.Parallel()
	verdicts := []operation.Verdict{operation.NoMemory, operation.NoKernel, operation.NoDevice, operation.GPUFault}
	for table, c := range codes() {
		if c.Source == "" || len(c.Codes) == 0 {
			t.Errorf("%s: no source or no codes", table)
		}
		for code, v := range c.Codes {
			if code == 0 || !slices.Contains(verdicts, v) {
				t.Errorf("%s: %d is %q", table, code, v)
			}
		}
	}
	for backend, libraries := range libraryFiles() {
		for _, which := range []string{"runtime", "compiler", "blas", "blaslt", "layers"} {
			for _, os := range []string{"linux", "windows"} {
				if len(libraries[which][os]) == 0 {
					t.Errorf("%s: no %s for %s", backend, which, os)
				}
			}
		}
	}
	if shapes := whisperShapes(); len(shapes) != 10 {
		t.Errorf("%d shapes", len(shapes))
	}
	for _, s := range whisperShapes() {
		if s.Name == "" || s.M*s.N*s.K == 0 || s.Alpha == 0 {
			t.Errorf("shape %+v", s)
		}
	}
}
