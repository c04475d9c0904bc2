package device

import "fmt"

// blas is cuBLAS.
func (c *cuda) blas() (multiplier, error) {
	return c.cublas.get(func() (multiplier, error) {
		lib, err := c.open("blas")
		if err != nil {
			return nil, err
		}
		b := &cublas{}
		if err := lib.bind(&b.cublasFunctions); err != nil {
			return nil, err
		}
		b.library = lib
		return b, b.check("cublasCreate_v2", b.Create(&b.handle))
	})
}

type cublasFunctions struct {
	Create          func(handle *uintptr) int32                `symbol:"cublasCreate_v2"`
	GetVersion      func(handle uintptr, version *int32) int32 `symbol:"cublasGetVersion_v2"`
	GetStatusString func(code int32) string                    `symbol:"cublasGetStatusString,optional"`
	GemmEx          func(handle uintptr, opA, opB, m, n, k int32, alpha *float32, a uintptr, aType, lda int32, b uintptr, bType, ldb int32, beta *float32,
		c uintptr, cType, ldc int32, compute, algorithm int32) int32 `symbol:"cublasGemmEx"`
	GemmBatchedEx func(handle uintptr, opA, opB, m, n, k int32, alpha *float32, a uintptr, aType, lda int32, strideA int64, b uintptr, bType, ldb int32, strideB int64, beta *float32,
		c uintptr, cType, ldc int32, strideC int64, batch, compute, algorithm int32) int32 `symbol:"cublasGemmStridedBatchedEx"`
}

// Numbers of cublas_api.h.
const (
	cublasNone      = 0
	cublasTranspose = 1
	cublasSums32    = 68 // CUBLAS_COMPUTE_32F
	cublasDefault   = -1 // the algorithm
)

type cublas struct {
	cublasFunctions
	library library
	handle  uintptr
}

func (b *cublas) name() string {
	var v int32
	if b.GetVersion(b.handle, &v) != 0 {
		return b.library.file
	}
	return named(b.library.file, fmt.Sprintf("%d.%d.%d", v/10_000, v/100%100, v%100))
}

func (b *cublas) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	said := ""
	if b.GetStatusString != nil {
		said = b.GetStatusString(code)
	}
	return &callError{"cublas", call, code, said}
}

// multiply turns the product around, as rocBLAS's does.
func (b *cublas) multiply(p product) error {
	op := int32(cublasNone)
	if p.transposeB {
		op = cublasTranspose
	}
	var beta float32
	kind := ltTypes[p.kind]
	m, n, k, ldb := int32(p.m), int32(p.n), int32(p.k), int32(p.widthB())
	if p.batch == 1 {
		return b.check("cublasGemmEx", b.GemmEx(b.handle, op, cublasNone, n, m, k, &p.alpha, uintptr(p.b), kind, ldb, uintptr(p.a), kind, k, &beta,
			uintptr(p.c), kind, n, cublasSums32, cublasDefault))
	}
	sizeA, sizeB, sizeC := int64(p.m)*int64(p.k), int64(p.k)*int64(p.n), int64(p.m)*int64(p.n)
	return b.check("cublasGemmStridedBatchedEx", b.GemmBatchedEx(b.handle, op, cublasNone, n, m, k, &p.alpha, uintptr(p.b), kind, ldb, sizeB,
		uintptr(p.a), kind, k, sizeA, &beta, uintptr(p.c), kind, n, sizeC, int32(p.batch), cublasSums32, cublasDefault))
}
