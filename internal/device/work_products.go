package device

import (
	_ "embed"
	"fmt"
	"sync"
	"time"
)

var productWork = map[string]func(*bench) error{
	"gemm/identity":        timesIdentity,
	"gemm/fp32":            randomProduct(fp32, backend.blas),
	"gemm/fp16":            randomProduct(fp16, backend.blas),
	"gemm/bf16":            randomProduct(bf16, backend.blas),
	"gemm/strided-batched": batchedProduct,
	"gemm/whisper":         whisperProducts,
	"gemm-lt/fp32":         randomProduct(fp32, backend.blasLt),
	"gemm-lt/fp16":         randomProduct(fp16, backend.blasLt),
}

// multiplied has the GPU multiply and gives the result, the buffers still held.
func (b *bench) multiplied(lib multiplier, p *product, x, y []float32) ([]float32, error) {
	places, err := b.place(p.kind.encode(x), p.kind.encode(y))
	if err != nil {
		return nil, err
	}
	count := p.batch * p.m * p.n
	if p.c, err = b.room(count * p.kind.size()); err != nil {
		return nil, err
	}
	p.a, p.b = places[0], places[1]
	if err := lib.multiply(*p); err != nil {
		return nil, err
	}
	return b.fetch(p.c, count, p.kind)
}

// timesIdentity multiplies with the identity: no rounding can excuse a
// difference.
func timesIdentity(b *bench) error {
	const size = 128
	lib, err := with(b, b.backend.blas)
	if err != nil {
		return err
	}
	x, identity := random(size*size, 9, fp32), make([]float32, size*size)
	for i := range size {
		identity[i*size+i] = 1
	}
	got, err := b.multiplied(lib, &product{m: size, n: size, k: size, batch: 1, alpha: 1}, x, identity)
	if err != nil {
		return err
	}
	return b.reportExact(got, x)
}

// checked multiplies random matrices and compares with the CPU.
func (b *bench) checked(lib multiplier, p *product, seed uint64) (comparison, error) {
	x, y := random(p.batch*p.m*p.k, seed, p.kind), random(p.batch*p.k*p.n, seed+1, p.kind)
	got, err := b.multiplied(lib, p, x, y)
	if err != nil {
		return comparison{}, err
	}
	rows := rowsToCheck(p.m)
	want := multiplied(*p, x, y, rows)
	return compare(p.pick(got, rows), want, want.tolerance(p.kind)), nil
}

func randomProduct(kind element, library func(backend) (multiplier, error)) func(*bench) error {
	const size = 1024
	return func(b *bench) error {
		lib, err := with(b, func() (multiplier, error) { return library(b.backend) })
		if err != nil {
			return err
		}
		p := product{m: size, n: size, k: size, batch: 1, alpha: 1, kind: kind}
		c, err := b.checked(lib, &p, 10)
		if err != nil {
			return err
		}
		if err := b.report(c); err != nil {
			return err
		}
		return b.timed(lib, p)
	}
}

// timed repeats a product, now that whatever had to be loaded is.
func (b *bench) timed(lib multiplier, p product) error {
	start := time.Now()
	if err := lib.multiply(p); err != nil {
		return err
	}
	if err := b.run.wait(); err != nil {
		return err
	}
	if seconds := time.Since(start).Seconds(); seconds > 0 {
		b.number("tflop_per_s", 2*float64(p.m)*float64(p.n)*float64(p.k)/seconds/1e12)
	}
	return nil
}

// batchedProduct is the attention of Whisper tiny: six heads, queries times
// keys, with shorter sequences.
func batchedProduct(b *bench) error {
	lib, err := with(b, b.backend.blas)
	if err != nil {
		return err
	}
	c, err := b.checked(lib, &product{m: 300, n: 300, k: 64, batch: 6, transposeB: true, alpha: 0.125}, 12)
	if err != nil {
		return err
	}
	return b.report(c)
}

// A shape is a row of shapes.yaml.
type shape struct {
	Name  string  `yaml:"name"`
	M     int     `yaml:"m"`
	N     int     `yaml:"n"`
	K     int     `yaml:"k"`
	Alpha float32 `yaml:"alpha"`
}

//go:embed data/shapes.yaml
var shapeData []byte

var whisperShapes = sync.OnceValue(func() []shape { return mustParse[[]shape](shapeData) })

func whisperProducts(b *bench) error {
	lib, err := with(b, b.backend.blas)
	if err != nil {
		return err
	}
	var all comparison
	var which string
	for i, s := range whisperShapes() {
		c, err := b.checked(lib, &product{m: s.M, n: s.N, k: s.K, batch: 1, alpha: s.Alpha}, uint64(20+2*i))
		if err != nil {
			return fmt.Errorf("%s, %d×%d×%d: %w", s.Name, s.M, s.N, s.K, err)
		}
		if all = worst(all, c); all == c {
			which = s.Name
		}
		b.clear()
	}
	b.fact("worst_shape", which)
	if err := b.report(all); err != nil {
		return fmt.Errorf("%s: %w", which, err)
	}
	return nil
}
