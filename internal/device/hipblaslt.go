package device

import "fmt"

// blasLt is hipBLASLt.
func (h *hip) blasLt() (multiplier, error) {
	return h.lt.get(func() (multiplier, error) {
		run, err := h.runtime()
		if err != nil {
			return nil, err
		}
		lib, err := h.open("blaslt")
		if err != nil {
			return nil, err
		}
		var f hipblasltFunctions
		var extras hipblasltExtras
		if err := lib.bind(&f); err != nil {
			return nil, err
		}
		if err := lib.bind(&extras); err != nil {
			return nil, err
		}
		l := &lt{ltFunctions: ltFunctions(f), library: lib, run: run}
		l.ltNumbers = ltNumbers{
			table: "hipblaslt", prefix: "hipblasLt", compute: 2, opA: 0, opNone: 111, opTranspose: 112,
			versionOf:    func(handle uintptr) string { return hipblasltVersion(extras, handle) },
			errorMessage: func(code int32) string { return hipblasStatus[code] },
		}
		return l, l.start()
	})
}

type hipblasltFunctions struct {
	Create              func(handle *uintptr) int32                                                                                                                                                        `symbol:"hipblasLtCreate"`
	LayoutCreate        func(layout *uintptr, kind int32, rows, columns uint64, width int64) int32                                                                                                         `symbol:"hipblasLtMatrixLayoutCreate"`
	LayoutDestroy       func(layout uintptr) int32                                                                                                                                                         `symbol:"hipblasLtMatrixLayoutDestroy"`
	DescCreate          func(desc *uintptr, compute, scale int32) int32                                                                                                                                    `symbol:"hipblasLtMatmulDescCreate"`
	DescDestroy         func(desc uintptr) int32                                                                                                                                                           `symbol:"hipblasLtMatmulDescDestroy"`
	DescSetAttribute    func(desc uintptr, attribute int32, value *int32, bytes uintptr) int32                                                                                                             `symbol:"hipblasLtMatmulDescSetAttribute"`
	PreferenceCreate    func(preference *uintptr) int32                                                                                                                                                    `symbol:"hipblasLtMatmulPreferenceCreate"`
	PreferenceDestroy   func(preference uintptr) int32                                                                                                                                                     `symbol:"hipblasLtMatmulPreferenceDestroy"`
	PreferenceAttribute func(preference uintptr, attribute int32, value *uint64, bytes uintptr) int32                                                                                                      `symbol:"hipblasLtMatmulPreferenceSetAttribute"`
	GetHeuristic        func(handle, desc, a, b, c, d, preference uintptr, wanted int32, results *byte, found *int32) int32                                                                                `symbol:"hipblasLtMatmulAlgoGetHeuristic"`
	Matmul              func(handle, desc uintptr, alpha *float32, a, layoutA, b, layoutB uintptr, beta *float32, c, layoutC, d, layoutD uintptr, algorithm *byte, workspace, bytes, stream uintptr) int32 `symbol:"hipblasLtMatmul"`
}

type hipblasltExtras struct {
	GetVersion func(handle uintptr, version *int32) int32 `symbol:"hipblasLtGetVersion"`
}

// hipblasltVersion undoes major·100000 + minor·100 + patch.
func hipblasltVersion(f hipblasltExtras, handle uintptr) string {
	var v int32
	if f.GetVersion(handle, &v) != 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", v/100_000, v/100%1000, v%100)
}

// hipblasStatus names the codes of hipblasStatus_t: the library itself exports
// no function that does.
var hipblasStatus = map[int32]string{
	1: "HIPBLAS_STATUS_NOT_INITIALIZED", 2: "HIPBLAS_STATUS_ALLOC_FAILED", 3: "HIPBLAS_STATUS_INVALID_VALUE",
	4: "HIPBLAS_STATUS_MAPPING_ERROR", 5: "HIPBLAS_STATUS_EXECUTION_FAILED", 6: "HIPBLAS_STATUS_INTERNAL_ERROR",
	7: "HIPBLAS_STATUS_NOT_SUPPORTED", 8: "HIPBLAS_STATUS_ARCH_MISMATCH", 9: "HIPBLAS_STATUS_HANDLE_IS_NULLPTR",
	10: "HIPBLAS_STATUS_INVALID_ENUM", 11: "HIPBLAS_STATUS_UNKNOWN",
}
