package device

import (
	_ "embed"
)

// kernelSource is what is compiled on the spot.
//
//go:embed data/kernels.cu
var kernelSource string

const blockThreads = 256 // more than any wavefront has

var kernelWork = map[string]func(*bench) error{
	"compile/vector-add":   addVectors,
	"compile/block-reduce": reduceBlocks,
	"compile/transpose":    transpose,
	"softmax/compiled":     compiledSoftmax,
	"layernorm/compiled":   compiledLayerNorm,
}

// compiled compiles the kernels for the GPU in use and loads one.
func (b *bench) compiled(name string) (kernel, error) {
	compiler, err := with(b, b.backend.compiler)
	if err != nil {
		return 0, err
	}
	id, err := b.run.identity(b.device)
	if err != nil {
		return 0, err
	}
	code, err := compiler.compile(kernelSource, id.target)
	if err != nil {
		return 0, err
	}
	return b.run.load(code, name)
}

// launched runs a kernel over fp32 inputs and fetches what it puts out. The
// numbers are its last arguments.
func (b *bench) launched(name string, blocks, results int, inputs [][]float32, numbers ...int) ([]float32, error) {
	k, err := b.compiled(name)
	if err != nil {
		return nil, err
	}
	var data [][]byte
	for _, in := range inputs {
		data = append(data, fp32.encode(in))
	}
	places, err := b.place(data...)
	if err != nil {
		return nil, err
	}
	out, err := b.room(results * fp32.size())
	if err != nil {
		return nil, err
	}
	var arguments []uint64
	for _, p := range append(places, out) {
		arguments = append(arguments, uint64(p))
	}
	for _, n := range numbers {
		arguments = append(arguments, uint64(n))
	}
	if err := b.run.launch(k, blocks, blockThreads, arguments...); err != nil {
		return nil, err
	}
	return b.fetch(out, results, fp32)
}

func addVectors(b *bench) error {
	const n = 1_000_003 // ends within a block
	x, y := random(n, 1, fp32), random(n, 2, fp32)
	got, err := b.launched("rocsmith_add", (n+blockThreads-1)/blockThreads, n, [][]float32{x, y}, n)
	if err != nil {
		return err
	}
	want := make([]float32, n)
	for i := range want {
		want[i] = x[i] + y[i]
	}
	return b.reportExact(got, want)
}

func (b *bench) reportExact(got, want []float32) error {
	c, _ := exact(got, want)
	return b.report(c)
}

func reduceBlocks(b *bench) error {
	const blocks = 1000
	x := random(blocks*blockThreads, 3, fp32)
	got, err := b.launched("rocsmith_reduce", blocks, blocks, [][]float32{x}, len(x))
	if err != nil {
		return err
	}
	want := multiplied(product{m: blocks, n: 1, k: blockThreads, batch: 1, alpha: 1}, x, ones(blockThreads), every(blocks))
	return b.report(compare(got, want, want.tolerance(fp32)))
}

func ones(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = 1
	}
	return values
}

func every(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func transpose(b *bench) error {
	const rows, columns = 1500, 389 // neither is a multiple of a tile
	x := random(rows*columns, 4, fp32)
	tiles := (rows + 15) / 16 * ((columns + 15) / 16)
	got, err := b.launched("rocsmith_transpose", tiles, len(x), [][]float32{x}, rows, columns)
	if err != nil {
		return err
	}
	want := make([]float32, len(x))
	for i := range rows {
		for j := range columns {
			want[j*rows+i] = x[i*columns+j]
		}
	}
	return b.reportExact(got, want)
}

func compiledSoftmax(b *bench) error {
	const rows, columns = 64, 1500
	x := scaled(random(rows*columns, 5, fp32), 8)
	got, err := b.launched("rocsmith_softmax", rows, len(x), [][]float32{x}, columns)
	if err != nil {
		return err
	}
	want := softmaxOver(x, rows, columns, 1)
	return b.report(compare(got, want, want.tolerance(fp32)))
}

func scaled(values []float32, by float32) []float32 {
	for i := range values {
		values[i] *= by
	}
	return values
}

func compiledLayerNorm(b *bench) error {
	const rows, columns = 100, 384
	x, weight, bias := random(rows*columns, 6, fp32), random(columns, 7, fp32), random(columns, 8, fp32)
	got, err := b.launched("rocsmith_layernorm", rows, len(x), [][]float32{x, weight, bias}, columns)
	if err != nil {
		return err
	}
	want := layerNormed(x, weight, bias, columns)
	return b.report(compare(got, want, want.tolerance(fp32)))
}
