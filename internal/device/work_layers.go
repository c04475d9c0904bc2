package device

var layerWork = map[string]func(*bench) error{
	// 16→32 channels are right up to 42×42 and hang from 44×44 on where a GPU of the first RDNA generation runs code of
	// the second.
	"conv2d/small":    convolveRandom(convolution{n: 1, c: 16, h: 42, w: 42, k: 32, kh: 3, kw: 3, padH: 1, padW: 1, strideH: 1, strideW: 1}),
	"conv2d/boundary": convolveRandom(convolution{n: 1, c: 16, h: 44, w: 44, k: 32, kh: 3, kw: 3, padH: 1, padW: 1, strideH: 1, strideW: 1}),
	// Conv2d(1, 32, (64, 1)) on 16×1×64×256, which faults there.
	"conv2d/tall":      convolveRandom(convolution{n: 16, c: 1, h: 64, w: 256, k: 32, kh: 64, kw: 1, strideH: 1, strideW: 1}),
	"conv1d":           convolveRandom(convolution{n: 1, c: 80, h: 1, w: 3000, k: 384, kh: 1, kw: 3, padW: 1, strideH: 1, strideW: 1}),
	"softmax/miopen":   layerSoftmax,
	"batchnorm":        layerBatchNorm,
	"layernorm/miopen": layerLayerNorm,
}

func convolveRandom(v convolution) func(*bench) error {
	return func(b *bench) error {
		lib, err := with(b, b.backend.layers)
		if err != nil {
			return err
		}
		x, w := random(v.n*v.c*v.h*v.w, 40, fp32), random(v.k*v.c*v.kh*v.kw, 41, fp32)
		got, err := b.layer(v.n*v.k*v.outH()*v.outW(), func(p []pointer, y pointer) error { return lib.convolve(v, p[0], p[1], y) }, x, w)
		if err != nil {
			return err
		}
		channels := v.channelsToCheck()
		want := convolved(v, x, w, channels)
		return b.report(compare(v.pick(got, channels), want, want.tolerance(fp32)))
	}
}

// layer places inputs, does the work and fetches what it puts out.
func (b *bench) layer(results int, do func(inputs []pointer, output pointer) error, inputs ...[]float32) ([]float32, error) {
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
	if err := do(places, out); err != nil {
		return nil, err
	}
	return b.fetch(out, results, fp32)
}

func layerSoftmax(b *bench) error {
	lib, err := with(b, b.backend.layers)
	if err != nil {
		return err
	}
	shape := [4]int{4, 64, 16, 16}
	x := scaled(random(4*64*16*16, 42, fp32), 8)
	got, err := b.layer(len(x), func(p []pointer, y pointer) error { return lib.softmax(shape, p[0], y) }, x)
	if err != nil {
		return err
	}
	want := softmaxOver(x, shape[0], shape[1], shape[2]*shape[3])
	return b.report(compare(got, want, want.tolerance(fp32)))
}

func layerBatchNorm(b *bench) error {
	lib, err := with(b, b.backend.layers)
	if err != nil {
		return err
	}
	const channels = 32
	shape := [4]int{4, channels, 28, 28}
	x := random(4*channels*28*28, 43, fp32)
	scale, bias, mean, variance := random(channels, 44, fp32), random(channels, 45, fp32), random(channels, 46, fp32), random(channels, 47, fp32)
	for i := range variance {
		variance[i] = variance[i]*variance[i] + 0.1
	}
	got, err := b.layer(len(x), func(p []pointer, y pointer) error { return lib.batchNorm(shape, p[0], p[1], p[2], p[3], p[4], y) },
		x, scale, bias, mean, variance)
	if err != nil {
		return err
	}
	want := batchNormed(shape, x, scale, bias, mean, variance)
	return b.report(compare(got, want, want.tolerance(fp32)))
}

func layerLayerNorm(b *bench) error {
	lib, err := with(b, b.backend.layers)
	if err != nil {
		return err
	}
	const rows, columns = 100, 384
	x, weight, bias := random(rows*columns, 48, fp32), random(columns, 49, fp32), random(columns, 50, fp32)
	got, err := b.layer(len(x), func(p []pointer, y pointer) error { return lib.layerNorm(rows, columns, p[0], p[1], p[2], y) }, x, weight, bias)
	if err != nil {
		return err
	}
	want := layerNormed(x, weight, bias, columns)
	return b.report(compare(got, want, want.tolerance(fp32)))
}
