package device

import (
	"fmt"
	"unsafe"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// layers is MIOpen.
func (h *hip) layers() (layerAPI, error) {
	return h.miopen.get(func() (layerAPI, error) {
		run, err := h.runtime()
		if err != nil {
			return nil, err
		}
		lib, err := h.open("layers")
		if err != nil {
			return nil, err
		}
		m := &miopen{run: run}
		if err := lib.bind(&m.miopenFunctions); err != nil {
			return nil, err
		}
		m.library = lib
		return m, m.check("miopenCreate", m.Create(&m.handle))
	})
}

type miopenFunctions struct {
	Create           func(handle *uintptr) int32                                                                                                                                                                `symbol:"miopenCreate"`
	GetErrorString   func(code int32) string                                                                                                                                                                    `symbol:"miopenGetErrorString"`
	GetVersion       func(major, minor, patch *uintptr) int32                                                                                                                                                   `symbol:"miopenGetVersion"`
	CreateTensor     func(tensor *uintptr) int32                                                                                                                                                                `symbol:"miopenCreateTensorDescriptor"`
	DestroyTensor    func(tensor uintptr) int32                                                                                                                                                                 `symbol:"miopenDestroyTensorDescriptor"`
	SetTensor        func(tensor uintptr, kind, dimensions int32, lengths, strides *int32) int32                                                                                                                `symbol:"miopenSetTensorDescriptor"`
	CreateConv       func(conv *uintptr) int32                                                                                                                                                                  `symbol:"miopenCreateConvolutionDescriptor"`
	DestroyConv      func(conv uintptr) int32                                                                                                                                                                   `symbol:"miopenDestroyConvolutionDescriptor"`
	InitConv         func(conv uintptr, mode, padH, padW, strideH, strideW, dilationH, dilationW int32) int32                                                                                                   `symbol:"miopenInitConvolutionDescriptor"`
	GetWorkspaceSize func(handle, w, x, conv, y uintptr, bytes *uintptr) int32                                                                                                                                  `symbol:"miopenConvolutionForwardGetWorkSpaceSize"`
	FindForward      func(handle, x, xData, w, wData, conv, y, yData uintptr, wanted int32, found *int32, results *miopenPerf, workspace, bytes uintptr, exhaustive bool) int32                                 `symbol:"miopenFindConvolutionForwardAlgorithm"`
	Forward          func(handle uintptr, alpha *float32, x, xData, w, wData, conv uintptr, algorithm int32, beta *float32, y, yData, workspace, bytes uintptr) int32                                           `symbol:"miopenConvolutionForward"`
	Softmax          func(handle uintptr, alpha *float32, x, xData uintptr, beta *float32, y, yData uintptr, algorithm, mode int32) int32                                                                       `symbol:"miopenSoftmaxForward_V2,optional"`
	BatchNorm        func(handle uintptr, mode int32, alpha, beta *float32, x, xData, y, yData, parameters, scale, bias, mean, variance uintptr, epsilon float64) int32                                         `symbol:"miopenBatchNormalizationForwardInference,optional"`
	LayerNorm        func(handle uintptr, mode int32, x, xData, weight, weightData, bias, biasData uintptr, epsilon float32, dimension int32, y, yData, mean, meanData, deviation, deviationData uintptr) int32 `symbol:"miopenLayerNormForward,optional"`
}

// miopenPerf is miopenConvAlgoPerf_t.
type miopenPerf struct {
	algorithm int32
	_         float32 // its time
	_         uintptr // its workspace
}

// Numbers of miopen.h.
const (
	miopenFloat           = 1
	miopenCrossCorrelate  = 0 // miopenConvolution
	miopenBNSpatial       = 1
	miopenSoftmaxAccurate = 1
	miopenSoftmaxChannel  = 1
	miopenWeightBias      = 1
)

type miopen struct {
	miopenFunctions
	library library
	handle  uintptr
	run     runtimeAPI
}

func (m *miopen) name() string {
	var major, minor, patch uintptr
	if m.GetVersion(&major, &minor, &patch) != 0 {
		return m.library.file
	}
	return named(m.library.file, fmt.Sprintf("%d.%d.%d", major, minor, patch))
}

// check asks the runtime, too: MIOpen says "internal error" of what HIP has a
// name for.
func (m *miopen) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	err := &callError{"miopen", call, code, m.GetErrorString(code)}
	if below := m.run.lastError(); below != nil && verdict(err) == operation.Failed {
		return fmt.Errorf("%s: %w", err.Error(), below)
	}
	return err
}

// lacks is for functions that not every release has.
func (m *miopen) lacks(symbol string) error {
	return refuse(operation.Skipped, "this release of MIOpen has no %s", symbol)
}

// A desk holds descriptors until the work is done.
type desk struct {
	*miopen
	tensors []uintptr
	conv    uintptr
	err     error
}

func (d *desk) clear() {
	for _, t := range d.tensors {
		d.DestroyTensor(t)
	}
	if d.conv != 0 {
		d.DestroyConv(d.conv)
	}
}

// tensor describes fp32 numbers that lie one after the other.
func (d *desk) tensor(lengths ...int) uintptr {
	if d.err != nil {
		return 0
	}
	var t uintptr
	if d.err = d.check("miopenCreateTensorDescriptor", d.CreateTensor(&t)); d.err != nil {
		return 0
	}
	d.tensors = append(d.tensors, t)
	sizes, strides := make([]int32, len(lengths)), make([]int32, len(lengths))
	step := int32(1)
	for i := len(lengths) - 1; i >= 0; i-- {
		sizes[i], strides[i] = int32(lengths[i]), step
		step *= sizes[i]
	}
	d.err = d.check("miopenSetTensorDescriptor", d.SetTensor(t, miopenFloat, int32(len(lengths)), &sizes[0], &strides[0]))
	return t
}

func (d *desk) convolution(v convolution) {
	if d.err == nil {
		d.err = d.check("miopenCreateConvolutionDescriptor", d.CreateConv(&d.conv))
	}
	if d.err == nil {
		d.err = d.check("miopenInitConvolutionDescriptor",
			d.InitConv(d.conv, miopenCrossCorrelate, int32(v.padH), int32(v.padW), int32(v.strideH), int32(v.strideW), 1, 1))
	}
}

// convolve finds an algorithm and uses it, as frameworks do.
func (m *miopen) convolve(v convolution, x, w, y pointer) error {
	d := &desk{miopen: m}
	defer d.clear()
	in, weights, out := d.tensor(v.n, v.c, v.h, v.w), d.tensor(v.k, v.c, v.kh, v.kw), d.tensor(v.n, v.k, v.outH(), v.outW())
	d.convolution(v)
	if d.err != nil {
		return d.err
	}
	var size uintptr
	if err := m.check("miopenConvolutionForwardGetWorkSpaceSize", m.GetWorkspaceSize(m.handle, weights, in, d.conv, out, &size)); err != nil {
		return err
	}
	var workspace pointer
	if size > 0 {
		var err error
		if workspace, err = m.run.alloc(int(size)); err != nil {
			return err
		}
		defer m.run.free(workspace)
	}
	var best miopenPerf
	var found int32
	if err := m.check("miopenFindConvolutionForwardAlgorithm", m.FindForward(m.handle, in, uintptr(x), weights, uintptr(w), d.conv, out, uintptr(y),
		1, &found, &best, uintptr(workspace), size, false)); err != nil {
		return err
	}
	if found < 1 {
		return refuse(operation.NoKernel, "miopenFindConvolutionForwardAlgorithm finds no algorithm for this convolution on this GPU")
	}
	one, zero := float32(1), float32(0)
	return m.check("miopenConvolutionForward", m.Forward(m.handle, &one, in, uintptr(x), weights, uintptr(w), d.conv, best.algorithm, &zero, out, uintptr(y), uintptr(workspace), size))
}

func (m *miopen) softmax(shape [4]int, x, y pointer) error {
	if m.Softmax == nil {
		return m.lacks("miopenSoftmaxForward_V2")
	}
	d := &desk{miopen: m}
	defer d.clear()
	t := d.tensor(shape[:]...)
	if d.err != nil {
		return d.err
	}
	one, zero := float32(1), float32(0)
	return m.check("miopenSoftmaxForward_V2", m.Softmax(m.handle, &one, t, uintptr(x), &zero, t, uintptr(y), miopenSoftmaxAccurate, miopenSoftmaxChannel))
}

func (m *miopen) batchNorm(shape [4]int, x, scale, bias, mean, variance, y pointer) error {
	if m.BatchNorm == nil {
		return m.lacks("miopenBatchNormalizationForwardInference")
	}
	d := &desk{miopen: m}
	defer d.clear()
	t, parameters := d.tensor(shape[:]...), d.tensor(1, shape[1], 1, 1)
	if d.err != nil {
		return d.err
	}
	one, zero := float32(1), float32(0)
	return m.check("miopenBatchNormalizationForwardInference", m.BatchNorm(m.handle, miopenBNSpatial, &one, &zero, t, uintptr(x), t, uintptr(y),
		parameters, uintptr(scale), uintptr(bias), uintptr(mean), uintptr(variance), epsilon))
}

func (m *miopen) layerNorm(rows, columns int, x, weight, bias, y pointer) error {
	if m.LayerNorm == nil {
		return m.lacks("miopenLayerNormForward")
	}
	statistics, err := m.run.alloc(2 * rows * int(unsafe.Sizeof(float32(0))))
	if err != nil {
		return err
	}
	defer m.run.free(statistics)
	d := &desk{miopen: m}
	defer d.clear()
	t, parameters, row := d.tensor(rows, columns), d.tensor(columns), d.tensor(rows)
	if d.err != nil {
		return d.err
	}
	deviation := uintptr(statistics) + uintptr(rows)*unsafe.Sizeof(float32(0))
	return m.check("miopenLayerNormForward", m.LayerNorm(m.handle, miopenWeightBias, t, uintptr(x), parameters, uintptr(weight), parameters, uintptr(bias),
		epsilon, 1, t, uintptr(y), row, uintptr(statistics), row, deviation))
}
