package coverage

import (
	"fmt"
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runRocBLAS(in check.Input) []check.Finding {
	m := in.Machine
	asked := questions(m, machine.RocBLAS)
	if len(asked) == 0 {
		return noFolder(m, machine.RocBLAS)
	}
	var out []check.Finding
	for _, q := range asked {
		if f, idle := q.idle(); idle {
			out = append(out, f)
			continue
		}
		elsewhere := slices.ContainsFunc(asked, func(o question) bool { return o.gfx == q.gfx && o.usable() })
		out = append(out, judgeRocBLAS(q, elsewhere))
	}
	return out
}

func judgeRocBLAS(q question, elsewhere bool) check.Finding {
	f := check.Finding{Subject: q.subject(), Verdict: check.OK, Evidence: q.evidence()}
	t := q.folder.Target(q.gfx)
	switch {
	case !q.folder.Holds(q.gfx):
		return missingKernels(q, f, elsewhere)
	case t.Mixed():
		return mixedKernels(q, f, t)
	case t.Code() > 0 && t.Own() == 0:
		f.Message = fmt.Sprintf("%s has fallback kernels for %s. Slower, not broken: nobody tuned kernels for this GPU.", q.whose(), q.target())
	default:
		f.Message = fmt.Sprintf("%s has kernels for %s", q.whose(), q.target())
	}
	if row, added := addedLater(q); added {
		f.Message = sentence(f.Message) + " This release does not ship them, so somebody added them: they must be of the same version as the library."
		f.Evidence = append(f.Evidence, machine.Cite(row.Provenance))
	}
	if rule := withoutXnack(q, t); rule != "" {
		f.Message = sentence(f.Message) + " " + rule
	}
	return f
}

func sentence(s string) string {
	if s[len(s)-1] == '.' {
		return s
	}
	return s + "."
}

// missingKernels says what happens, and which part is missing: an index without
// code, and code without an index, are usually files of another release.
func missingKernels(q question, f check.Finding, elsewhere bool) check.Finding {
	f.Verdict, f.Cause = check.Fail, "missing-tensile-kernels"
	if elsewhere {
		f.Verdict = check.Warn
	}
	t := q.folder.Target(q.gfx)
	switch {
	case t.Index.Count() > 0:
		f.Message = fmt.Sprintf("%s has an index for %s, and no kernels behind it. Half of the files are missing, or of another release", q.whose(), q.target())
	case t.Code() > 0:
		f.Message = fmt.Sprintf("%s has kernels for %s, and no index to find them by. Half of the files are missing, or of another release", q.whose(), q.target())
	default:
		f.Message = fmt.Sprintf("%s has no kernels for %s. The GPU is found all the same", q.whose(), q.target())
	}
	f.Message += ", and the first multiplication of matrices stops the program with \"Cannot read TensileLibrary … for GPU arch\"."
	if elsewhere {
		f.Message += " Another installation here has them; which one a program loads decides."
	}
	f.Remedies = kernelRemedies(q, elsewhere)
	if q.folder.Owner != "" && t.Index.Count()+t.Code() > 0 {
		f.Remedies = []remedy.Remedy{oneSet(q)}
	}
	return f
}

func oneSet(q question) remedy.Remedy {
	return cure.For(q.m, "one-kernel-set", cure.Values{"gfx": q.gfx, "folder": q.folder.Path})
}

func mixedKernels(q question, f check.Finding, t machine.KernelTarget) check.Finding {
	all := []machine.KernelFiles{t.Index, t.Tuned, t.Compiled, t.Fallback, t.Helpers}
	plain, named := 0, 0
	for _, k := range all {
		plain, named = plain+k.Plain, named+k.XnackOff+k.XnackOn
	}
	f.Verdict, f.Cause = check.Warn, "xnack-feature-mismatch"
	f.Message = fmt.Sprintf("The files for %s in %s come from two builds: %d with xnack in their names, %d without. Which of two files is taken depends on the library, so kernels of one build may be looked up in the index of the other.",
		q.gfx, shortPath(q.folder.Path), named, plain)
	f.Evidence = append(f.Evidence, machine.Evidence{From: "xnack in the names", Text: fmt.Sprintf("index %s; tuned %s; compiled %s; fallback %s; helpers %s", variants(t.Index), variants(t.Tuned), variants(t.Compiled), variants(t.Fallback), variants(t.Helpers))})
	f.Remedies = []remedy.Remedy{oneSet(q)}
	return f
}

func variants(k machine.KernelFiles) string {
	return fmt.Sprintf("%d plain, %d off, %d on", k.Plain, k.XnackOff, k.XnackOn)
}

// shortPath keeps a headline readable: folders of environments are deep.
func shortPath(p string) string {
	const most = 48
	if r := []rune(p); len(r) > most {
		return "…" + string(r[len(r)-most:])
	}
	return p
}

// addedLater reports kernels that AMD's packages of this release do not ship.
// Distributions and people's own builds have lists of their own.
func addedLater(q question) (rocm.Coverage, bool) {
	i, known := q.m.Installation(q.folder.Owner)
	if !known || i.How != machine.HowAMDPackages {
		return rocm.Coverage{}, false // AMD's tables for Windows are judged by runtime/hip-sdk
	}
	row, known := rocm.KernelsShipped(q.folder.Library, i.Version, q.gfx)
	return row, known && !row.Covered && !row.Unverified
}
