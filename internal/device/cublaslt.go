package device

import "strconv"

// blasLt is cuBLASLt.
func (c *cuda) blasLt() (multiplier, error) {
	return c.lt.get(func() (multiplier, error) {
		run, err := c.runtime()
		if err != nil {
			return nil, err
		}
		lib, err := c.open("blaslt")
		if err != nil {
			return nil, err
		}
		var f cublasltFunctions
		var extras cublasltExtras
		if err := lib.bind(&f); err != nil {
			return nil, err
		}
		if err := lib.bind(&extras); err != nil {
			return nil, err
		}
		l := &lt{ltFunctions: ltFunctions(f), library: lib, run: run}
		l.ltNumbers = ltNumbers{
			table: "cublas", prefix: "cublasLt", compute: cublasSums32, opA: 3, opNone: cublasNone, opTranspose: cublasTranspose,
			versionOf:    func(uintptr) string { return strconv.FormatUint(uint64(extras.GetVersion()), 10) },
			errorMessage: extras.GetStatusString,
		}
		return l, l.start()
	})
}

type cublasltExtras struct {
	GetVersion      func() uintptr          `symbol:"cublasLtGetVersion"`
	GetStatusString func(code int32) string `symbol:"cublasLtGetStatusString"`
}

type cublasltFunctions struct {
	Create              func(handle *uintptr) int32                                                                                                                                                        `symbol:"cublasLtCreate"`
	LayoutCreate        func(layout *uintptr, kind int32, rows, columns uint64, width int64) int32                                                                                                         `symbol:"cublasLtMatrixLayoutCreate"`
	LayoutDestroy       func(layout uintptr) int32                                                                                                                                                         `symbol:"cublasLtMatrixLayoutDestroy"`
	DescCreate          func(desc *uintptr, compute, scale int32) int32                                                                                                                                    `symbol:"cublasLtMatmulDescCreate"`
	DescDestroy         func(desc uintptr) int32                                                                                                                                                           `symbol:"cublasLtMatmulDescDestroy"`
	DescSetAttribute    func(desc uintptr, attribute int32, value *int32, bytes uintptr) int32                                                                                                             `symbol:"cublasLtMatmulDescSetAttribute"`
	PreferenceCreate    func(preference *uintptr) int32                                                                                                                                                    `symbol:"cublasLtMatmulPreferenceCreate"`
	PreferenceDestroy   func(preference uintptr) int32                                                                                                                                                     `symbol:"cublasLtMatmulPreferenceDestroy"`
	PreferenceAttribute func(preference uintptr, attribute int32, value *uint64, bytes uintptr) int32                                                                                                      `symbol:"cublasLtMatmulPreferenceSetAttribute"`
	GetHeuristic        func(handle, desc, a, b, c, d, preference uintptr, wanted int32, results *byte, found *int32) int32                                                                                `symbol:"cublasLtMatmulAlgoGetHeuristic"`
	Matmul              func(handle, desc uintptr, alpha *float32, a, layoutA, b, layoutB uintptr, beta *float32, c, layoutC, d, layoutD uintptr, algorithm *byte, workspace, bytes, stream uintptr) int32 `symbol:"cublasLtMatmul"`
}
