package device

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// layers is cuDNN.
func (c *cuda) layers() (layerAPI, error) {
	return c.cudnn.get(func() (layerAPI, error) {
		run, err := c.runtime()
		if err != nil {
			return nil, err
		}
		lib, err := c.open("layers")
		if err != nil {
			return nil, err
		}
		n := &cudnn{run: run}
		if err := lib.bind(&n.cudnnFunctions); err != nil {
			return nil, err
		}
		n.library = lib
		return n, n.check("cudnnCreate", n.Create(&n.handle))
	})
}

type cudnnFunctions struct {
	Create         func(handle *uintptr) int32                                                                                                                              `symbol:"cudnnCreate"`
	GetErrorString func(code int32) string                                                                                                                                  `symbol:"cudnnGetErrorString"`
	GetVersion     func() uintptr                                                                                                                                           `symbol:"cudnnGetVersion"`
	CreateTensor   func(tensor *uintptr) int32                                                                                                                              `symbol:"cudnnCreateTensorDescriptor"`
	DestroyTensor  func(tensor uintptr) int32                                                                                                                               `symbol:"cudnnDestroyTensorDescriptor"`
	SetTensor      func(tensor uintptr, format, kind, n, c, h, w int32) int32                                                                                               `symbol:"cudnnSetTensor4dDescriptor"`
	CreateFilter   func(filter *uintptr) int32                                                                                                                              `symbol:"cudnnCreateFilterDescriptor"`
	DestroyFilter  func(filter uintptr) int32                                                                                                                               `symbol:"cudnnDestroyFilterDescriptor"`
	SetFilter      func(filter uintptr, kind, format, k, c, h, w int32) int32                                                                                               `symbol:"cudnnSetFilter4dDescriptor"`
	CreateConv     func(conv *uintptr) int32                                                                                                                                `symbol:"cudnnCreateConvolutionDescriptor"`
	DestroyConv    func(conv uintptr) int32                                                                                                                                 `symbol:"cudnnDestroyConvolutionDescriptor"`
	SetConv        func(conv uintptr, padH, padW, strideH, strideW, dilationH, dilationW, mode, compute int32) int32                                                        `symbol:"cudnnSetConvolution2dDescriptor"`
	SetMath        func(conv uintptr, math int32) int32                                                                                                                     `symbol:"cudnnSetConvolutionMathType"`
	Forward        func(handle uintptr, alpha *float32, x, xData, w, wData, conv uintptr, algorithm int32, workspace, bytes uintptr, beta *float32, y, yData uintptr) int32 `symbol:"cudnnConvolutionForward"`
	Softmax        func(handle uintptr, algorithm, mode int32, alpha *float32, x, xData uintptr, beta *float32, y, yData uintptr) int32                                     `symbol:"cudnnSoftmaxForward"`
	BatchNorm      func(handle uintptr, mode int32, alpha, beta *float32, x, xData, y, yData, parameters, scale, bias, mean, variance uintptr, epsilon float64) int32       `symbol:"cudnnBatchNormalizationForwardInference"`
}

// Numbers of cudnn.h. Convolutions are asked for in fp32: by default cuDNN may
// round their inputs to ten bits.
const (
	cudnnNCHW            = 0
	cudnnFloat           = 0
	cudnnCrossCorrelate  = 1
	cudnnFMA             = 3
	cudnnImplicitGEMM    = 0 // the algorithm that needs no workspace
	cudnnBNSpatial       = 1
	cudnnSoftmaxAccurate = 1
	cudnnSoftmaxChannel  = 1
)

type cudnn struct {
	cudnnFunctions
	library library
	handle  uintptr
	run     runtimeAPI
}

func (n *cudnn) name() string { return named(n.library.file, fmt.Sprint(n.GetVersion())) }

func (n *cudnn) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &callError{"cudnn", call, code, n.GetErrorString(code)}
}

// steps does what is needed one after the other, until something fails.
func (n *cudnn) steps(all ...cudnnStep) error {
	for _, s := range all {
		if err := n.check(s.call, s.do()); err != nil {
			return err
		}
	}
	return nil
}

type cudnnStep struct {
	call string
	do   func() int32
}

func (n *cudnn) tensor(t *uintptr, shape [4]int) []cudnnStep {
	return []cudnnStep{
		{"cudnnCreateTensorDescriptor", func() int32 { return n.CreateTensor(t) }},
		{"cudnnSetTensor4dDescriptor", func() int32 {
			return n.SetTensor(*t, cudnnNCHW, cudnnFloat, int32(shape[0]), int32(shape[1]), int32(shape[2]), int32(shape[3]))
		}},
	}
}

func (n *cudnn) convolve(v convolution, x, w, y pointer) error {
	var in, out, filter, conv uintptr
	one, zero := float32(1), float32(0)
	steps := append(n.tensor(&in, [4]int{v.n, v.c, v.h, v.w}), n.tensor(&out, [4]int{v.n, v.k, v.outH(), v.outW()})...)
	steps = append(steps,
		cudnnStep{"cudnnCreateFilterDescriptor", func() int32 { return n.CreateFilter(&filter) }},
		cudnnStep{"cudnnSetFilter4dDescriptor", func() int32 {
			return n.SetFilter(filter, cudnnFloat, cudnnNCHW, int32(v.k), int32(v.c), int32(v.kh), int32(v.kw))
		}},
		cudnnStep{"cudnnCreateConvolutionDescriptor", func() int32 { return n.CreateConv(&conv) }},
		cudnnStep{"cudnnSetConvolution2dDescriptor", func() int32 {
			return n.SetConv(conv, int32(v.padH), int32(v.padW), int32(v.strideH), int32(v.strideW), 1, 1, cudnnCrossCorrelate, cudnnFloat)
		}},
		cudnnStep{"cudnnSetConvolutionMathType", func() int32 { return n.SetMath(conv, cudnnFMA) }},
		cudnnStep{"cudnnConvolutionForward", func() int32 {
			return n.Forward(n.handle, &one, in, uintptr(x), filter, uintptr(w), conv, cudnnImplicitGEMM, 0, 0, &zero, out, uintptr(y))
		}})
	defer func() {
		n.DestroyTensor(in)
		n.DestroyTensor(out)
		n.DestroyFilter(filter)
		n.DestroyConv(conv)
	}()
	return n.steps(steps...)
}

func (n *cudnn) softmax(shape [4]int, x, y pointer) error {
	var t uintptr
	one, zero := float32(1), float32(0)
	defer func() { n.DestroyTensor(t) }()
	return n.steps(append(n.tensor(&t, shape), cudnnStep{"cudnnSoftmaxForward", func() int32 {
		return n.Softmax(n.handle, cudnnSoftmaxAccurate, cudnnSoftmaxChannel, &one, t, uintptr(x), &zero, t, uintptr(y))
	}})...)
}

func (n *cudnn) batchNorm(shape [4]int, x, scale, bias, mean, variance, y pointer) error {
	var t, parameters uintptr
	one, zero := float32(1), float32(0)
	defer func() {
		n.DestroyTensor(t)
		n.DestroyTensor(parameters)
	}()
	steps := append(n.tensor(&t, shape), n.tensor(&parameters, [4]int{1, shape[1], 1, 1})...)
	return n.steps(append(steps, cudnnStep{"cudnnBatchNormalizationForwardInference", func() int32 {
		return n.BatchNorm(n.handle, cudnnBNSpatial, &one, &zero, t, uintptr(x), t, uintptr(y),
			parameters, uintptr(scale), uintptr(bias), uintptr(mean), uintptr(variance), epsilon)
	}})...)
}

func (n *cudnn) layerNorm(int, int, pointer, pointer, pointer, pointer) error {
	return refuse(operation.Skipped, "cuDNN has no layer norm that can be called without a graph")
}
