package device

import (
	"unsafe"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// ltFunctions are those of hipBLASLt or cuBLASLt, which differ in their names
// and some numbers only.
type ltFunctions struct {
	Create              func(handle *uintptr) int32
	LayoutCreate        func(layout *uintptr, kind int32, rows, columns uint64, width int64) int32
	LayoutDestroy       func(layout uintptr) int32
	DescCreate          func(desc *uintptr, compute, scale int32) int32
	DescDestroy         func(desc uintptr) int32
	DescSetAttribute    func(desc uintptr, attribute int32, value *int32, bytes uintptr) int32
	PreferenceCreate    func(preference *uintptr) int32
	PreferenceDestroy   func(preference uintptr) int32
	PreferenceAttribute func(preference uintptr, attribute int32, value *uint64, bytes uintptr) int32
	GetHeuristic        func(handle, desc, a, b, c, d, preference uintptr, wanted int32, results *byte, found *int32) int32
	Matmul              func(handle, desc uintptr, alpha *float32, a, layoutA, b, layoutB uintptr, beta *float32, c, layoutC, d, layoutD uintptr, algorithm *byte, workspace, bytes, stream uintptr) int32
}

// ltNumbers are where the two differ.
type ltNumbers struct {
	table        string // of codes.yaml
	prefix       string // of its functions
	compute      int32  // sums in fp32
	opA          int32  // the attribute that says how A is read
	opNone       int32
	opTranspose  int32
	versionOf    func(handle uintptr) string
	errorMessage func(code int32) string
}

// hipDataType and cudaDataType agree on these.
var ltTypes = map[element]int32{fp32: 0, fp16: 2, bf16: 14}

const (
	ltMaxWorkspace = 1        // the attribute of a preference, in both libraries
	ltWorkspace    = 32 << 20 // bytes, as frameworks give
	ltResult       = 1 << 10  // bytes, more than one result has in either library; it begins with the algorithm
)

// lt is hipBLASLt or cuBLASLt.
type lt struct {
	ltFunctions
	ltNumbers
	library   library
	handle    uintptr
	run       runtimeAPI
	workspace pointer
}

func (l *lt) name() string { return named(l.library.file, l.versionOf(l.handle)) }

func (l *lt) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &callError{l.table, l.prefix + call, code, l.errorMessage(code)}
}

func (l *lt) start() error {
	if err := l.check("Create", l.Create(&l.handle)); err != nil {
		return err
	}
	var err error
	l.workspace, err = l.run.alloc(ltWorkspace)
	return err
}

// ltPlan is a product as the library wants it told, Cᵀ = Bᵀ·Aᵀ column by column.
type ltPlan struct{ desc, first, second, out, preference uintptr }

func (l *lt) multiply(p product) error {
	if p.batch != 1 {
		return refuse(operation.Skipped, "%s is asked for one product at a time", l.table)
	}
	var plan ltPlan
	defer l.forget(&plan)
	if err := l.plan(p, &plan); err != nil {
		return err
	}
	result, found := make([]byte, ltResult), int32(0)
	code := l.GetHeuristic(l.handle, plan.desc, plan.first, plan.second, plan.out, plan.out, plan.preference, 1, &result[0], &found)
	if err := l.check("MatmulAlgoGetHeuristic", code); err != nil {
		return err
	}
	if found < 1 {
		return refuse(operation.NoKernel, "%sMatmulAlgoGetHeuristic finds no kernel for this product on this GPU", l.prefix)
	}
	var beta float32
	return l.check("Matmul", l.Matmul(l.handle, plan.desc, &p.alpha, uintptr(p.b), plan.first, uintptr(p.a), plan.second, &beta,
		uintptr(p.c), plan.out, uintptr(p.c), plan.out, &result[0], uintptr(l.workspace), ltWorkspace, 0))
}

func (l *lt) plan(p product, plan *ltPlan) error {
	kind, m, n, k, width := ltTypes[p.kind], uint64(p.m), uint64(p.n), uint64(p.k), int64(p.widthB())
	op, rows, columns := l.opNone, n, k
	if p.transposeB {
		op, rows, columns = l.opTranspose, k, n
	}
	size := uint64(ltWorkspace)
	for _, step := range []struct {
		call string
		do   func() int32
	}{
		{"MatmulDescCreate", func() int32 { return l.DescCreate(&plan.desc, l.compute, ltTypes[fp32]) }},
		{"MatmulDescSetAttribute", func() int32 { return l.DescSetAttribute(plan.desc, l.opA, &op, unsafe.Sizeof(op)) }},
		{"MatrixLayoutCreate", func() int32 { return l.LayoutCreate(&plan.first, kind, rows, columns, width) }},
		{"MatrixLayoutCreate", func() int32 { return l.LayoutCreate(&plan.second, kind, k, m, int64(p.k)) }},
		{"MatrixLayoutCreate", func() int32 { return l.LayoutCreate(&plan.out, kind, n, m, int64(p.n)) }},
		{"MatmulPreferenceCreate", func() int32 { return l.PreferenceCreate(&plan.preference) }},
		{"MatmulPreferenceSetAttribute", func() int32 {
			return l.PreferenceAttribute(plan.preference, ltMaxWorkspace, &size, unsafe.Sizeof(size))
		}},
	} {
		if err := l.check(step.call, step.do()); err != nil {
			return err
		}
	}
	return nil
}

func (l *lt) forget(plan *ltPlan) {
	for _, layout := range []uintptr{plan.first, plan.second, plan.out} {
		if layout != 0 {
			l.LayoutDestroy(layout)
		}
	}
	if plan.desc != 0 {
		l.DescDestroy(plan.desc)
	}
	if plan.preference != 0 {
		l.PreferenceDestroy(plan.preference)
	}
}
