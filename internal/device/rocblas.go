package device

// blas is rocBLAS.
func (h *hip) blas() (multiplier, error) {
	return h.rocblas.get(func() (multiplier, error) {
		lib, err := h.open("blas")
		if err != nil {
			return nil, err
		}
		b := &rocblas{}
		if err := lib.bind(&b.rocblasFunctions); err != nil {
			return nil, err
		}
		b.library = lib
		return b, b.check("rocblas_create_handle", b.CreateHandle(&b.handle))
	})
}

type rocblasFunctions struct {
	CreateHandle   func(handle *uintptr) int32              `symbol:"rocblas_create_handle"`
	StatusToString func(code int32) string                  `symbol:"rocblas_status_to_string"`
	GetVersion     func(buffer *byte, length uintptr) int32 `symbol:"rocblas_get_version_string"`
	GemmEx         func(handle uintptr, opA, opB, m, n, k int32, alpha *float32, a uintptr, aType, lda int32, b uintptr, bType, ldb int32, beta *float32,
		c uintptr, cType, ldc int32, d uintptr, dType, ldd int32, compute, algorithm, solution int32, flags uint32) int32 `symbol:"rocblas_gemm_ex"`
	GemmBatchedEx func(handle uintptr, opA, opB, m, n, k int32, alpha *float32, a uintptr, aType, lda int32, strideA int64, b uintptr, bType, ldb int32, strideB int64, beta *float32,
		c uintptr, cType, ldc int32, strideC int64, d uintptr, dType, ldd int32, strideD int64, batch, compute, algorithm, solution int32, flags uint32) int32 `symbol:"rocblas_gemm_strided_batched_ex"`
}

// Numbers of rocblas-types.h.
const (
	rocblasNone      = 111
	rocblasTranspose = 112
)

var rocblasTypes = map[element]int32{fp16: 150, fp32: 151, bf16: 168}

type rocblas struct {
	rocblasFunctions
	library library
	handle  uintptr
}

func (b *rocblas) name() string {
	version := make([]byte, 256)
	if b.GetVersion(&version[0], uintptr(len(version))) != 0 {
		return b.library.file
	}
	return named(b.library.file, text(version))
}

func (b *rocblas) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &callError{"rocblas", call, code, b.StatusToString(code)}
}

// multiply has the library, which stores column by column, compute Cᵀ = Bᵀ·Aᵀ:
// for it that is our C.
func (b *rocblas) multiply(p product) error {
	op := int32(rocblasNone)
	if p.transposeB {
		op = rocblasTranspose
	}
	var beta float32
	kind, sums := rocblasTypes[p.kind], rocblasTypes[fp32]
	m, n, k, ldb := int32(p.m), int32(p.n), int32(p.k), int32(p.widthB())
	if p.batch == 1 {
		return b.check("rocblas_gemm_ex", b.GemmEx(b.handle, op, rocblasNone, n, m, k, &p.alpha, uintptr(p.b), kind, ldb, uintptr(p.a), kind, k, &beta,
			uintptr(p.c), kind, n, uintptr(p.c), kind, n, sums, 0, 0, 0))
	}
	sizeA, sizeB, sizeC := int64(p.m)*int64(p.k), int64(p.k)*int64(p.n), int64(p.m)*int64(p.n)
	return b.check("rocblas_gemm_strided_batched_ex", b.GemmBatchedEx(b.handle, op, rocblasNone, n, m, k, &p.alpha, uintptr(p.b), kind, ldb, sizeB,
		uintptr(p.a), kind, k, sizeA, &beta, uintptr(p.c), kind, n, sizeC, uintptr(p.c), kind, n, sizeC, int32(p.batch), sums, 0, 0, 0))
}
