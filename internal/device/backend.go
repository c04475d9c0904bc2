// Package device loads the libraries of a GPU's maker, has them do real work and compares it with a CPU reference.
package device

// A pointer is an address in the memory of a GPU.
type pointer uintptr

// A backend reaches the GPUs of one maker. Each library is loaded when it is
// first asked for, so that one which is missing or broken costs no more than
// its own tasks.
type backend interface {
	runtime() (runtimeAPI, error)
	compiler() (compilerAPI, error)
	blas() (multiplier, error)   // rocBLAS, cuBLAS
	blasLt() (multiplier, error) // hipBLASLt, cuBLASLt
	layers() (layerAPI, error)   // MIOpen, cuDNN
}

// A namer tells which file does the work, with its version.
type namer interface{ name() string }

// A runtimeAPI starts the GPU, and moves memory and kernels there.
type runtimeAPI interface {
	namer
	count() (int, error)
	use(device int) error
	identity(device int) (identity, error)
	alloc(bytes int) (pointer, error)
	free(pointer)
	fill(p pointer, value byte, bytes int) error
	toDevice(to pointer, from []byte) error
	toHost(to []byte, from pointer) error
	within(to, from pointer, bytes int) error
	wait() error
	// lastError is what went wrong on the GPU since it was last asked.
	lastError() error
	load(code []byte, kernel string) (kernel, error)
	launch(k kernel, blocks, threads int, arguments ...uint64) error
}

// A kernel is a function on the GPU.
type kernel uintptr

// An identity is what the runtime says of a GPU.
type identity struct {
	name, target, bus, runtime, driver string
	free, total                        uint64 // bytes
}

// A compilerAPI turns source into code for one target.
type compilerAPI interface {
	namer
	compile(source, target string) ([]byte, error)
}

// An element is how a number is stored.
type element int

const (
	fp32 element = iota
	fp16
	bf16
)

// A product is C = alpha·A·B, or alpha·A·Bᵀ, row by row in memory, several of them one
// after the other where there is a batch.
type product struct {
	m, n, k    int
	batch      int
	transposeB bool // B is stored as n rows of k
	kind       element
	alpha      float32
	a, b, c    pointer
}

// widthB is how many elements lie between two rows of B as it is stored.
func (p product) widthB() int {
	if p.transposeB {
		return p.k
	}
	return p.n
}

// A multiplier multiplies matrices.
type multiplier interface {
	namer
	multiply(product) error
}

// A convolution is one of a batch of images, NCHW, without dilation.
type convolution struct {
	n, c, h, w       int // the input
	k, kh, kw        int // k kernels of c×kh×kw
	padH, padW       int
	strideH, strideW int
}

func (v convolution) outH() int { return (v.h+2*v.padH-v.kh)/v.strideH + 1 }
func (v convolution) outW() int { return (v.w+2*v.padW-v.kw)/v.strideW + 1 }

// A layerAPI computes the layers of a network.
type layerAPI interface {
	namer
	convolve(v convolution, x, w, y pointer) error
	// batchNorm normalises n images of c channels with given means and variances.
	batchNorm(shape [4]int, x, scale, bias, mean, variance, y pointer) error
	// softmax goes over the channels.
	softmax(shape [4]int, x, y pointer) error
	// layerNorm goes over the columns.
	layerNorm(rows, columns int, x, weight, bias, y pointer) error
}

// epsilon is what normalisations add to a variance, as frameworks do.
const epsilon = 1e-5
