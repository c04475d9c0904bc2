package coverage

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runHipBLASLt(in check.Input) []check.Finding {
	return judgeFolders(in.Machine, machine.HipBLASLt, func(q question, _ []question) check.Finding { return judgeHipBLASLt(q) })
}

func judgeHipBLASLt(q question) check.Finding {
	f := check.Finding{Subject: q.subject(), Verdict: check.OK, Evidence: q.evidence(), Message: fmt.Sprintf("%s has kernels for %s", q.whose(), q.target())}
	if q.folder.Holds(q.gfx) {
		return f
	}
	f.Message = fmt.Sprintf("%s has no kernels for %s. rocBLAS does the work instead.", q.whose(), q.target())
	row, normal := leftOut(q)
	if normal {
		f.Message = fmt.Sprintf("%s has no kernels for %s, which is normal. It is not built for this GPU, and rocBLAS does the work instead.", q.whose(), q.target())
		f.Evidence = append(f.Evidence, machine.Cite(row.Provenance))
	}
	name, asked := askedFor(q.m)
	switch {
	case asked:
		f.Verdict, f.Cause = check.Warn, "missing-hipblaslt-kernels"
		f.Message = fmt.Sprintf("%s has no kernels for %s, and %s=1 asks for it. Programs fall back to rocBLAS, with a warning, or stop with HIPBLAS_STATUS_INVALID_VALUE.", q.whose(), q.target(), name)
		f.Evidence = append(f.Evidence, machine.Evidence{From: q.m.Variables.From, Text: name + "=1"})
		f.Remedies = []remedy.Remedy{cure.For(q.m, "env-unset", cure.Values{"name": name})}
	case expected(q):
		f.Verdict, f.Cause = check.Warn, "missing-hipblaslt-kernels"
		f.Message += " This release is known to ship them, so files are missing."
		f.Remedies = nativeTorch(q)
	}
	return f
}

// expected reports kernels that a row says were shipped, or that are half there. A
// GPU that no row speaks of is no reason to warn.
func expected(q question) bool {
	if t := q.folder.Target(q.gfx); t.Index.Count()+t.Code() > 0 {
		return true
	}
	i, _ := q.m.Installation(q.folder.Owner)
	row, known := rocm.KernelsShipped(q.folder.Library, i.Version, q.gfx)
	return known && row.Covered && !row.Unverified
}

// leftOut reports that the library is not built for the GPU: in this release, or
// in any.
func leftOut(q question) (rocm.Coverage, bool) {
	if i, known := q.m.Installation(q.folder.Owner); known {
		if row, known := rocm.KernelsShipped(q.folder.Library, i.Version, q.gfx); known && !row.Covered {
			return row, true
		}
	}
	return rocm.KernelsNeverBuilt(q.folder.Library, q.gfx)
}

// askedFor returns the variable by which somebody asked for hipBLASLt.
func askedFor(m *machine.Machine) (name string, asked bool) {
	for _, name := range []string{"ROCBLAS_USE_HIPBLASLT", "TORCH_BLAS_PREFER_HIPBLASLT"} {
		if value, _ := m.Variable(name); value == "1" {
			return name, true
		}
	}
	return "", false
}
