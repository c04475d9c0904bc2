package coverage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runRocBLAS(in check.Input) []check.Finding {
	return judgeFolders(in.Machine, machine.RocBLAS, func(q question, asked []question) check.Finding {
		return judgeRocBLAS(q, othersOf(q, asked))
	})
}

// others is what else there is, beside a folder without kernels for a GPU.
type others struct {
	better   *question // a folder that has them
	unread   bool      // a folder that may have them
	otherGPU bool      // a GPU of this machine for which there are kernels
}

func othersOf(q question, asked []question) others {
	var o others
	for n := range asked {
		other := &asked[n]
		switch same := other.gfx == q.gfx; {
		case same && other.usable() && o.better == nil:
			o.better = other
		case same && other.folder.Listed.Unread():
			o.unread = true
		case !same && other.usable():
			o.otherGPU = true
		}
	}
	return o
}

func judgeRocBLAS(q question, o others) check.Finding {
	f := check.Finding{Subject: q.subject(), Verdict: check.OK, Evidence: q.evidence()}
	t := q.folder.Target(q.gfx)
	switch {
	case !q.folder.Holds(q.gfx):
		return missingKernels(q, f, o)
	case t.Mixed():
		return mixedKernels(q, f, t)
	case t.Half > 0:
		f.Verdict, f.Cause = check.Warn, "missing-tensile-kernels"
		f.Message = fmt.Sprintf("%s has kernels for %s, and %d of %d types are half there. Where a program needs one of those, it stops.", q.whose(), q.target(), t.Half, t.Whole+t.Half)
		f.Remedies = []remedy.Remedy{wholeAgain(q)}
		return f
	case t.Own() == 0:
		f.Message = fmt.Sprintf("%s has fallback kernels for %s. Slower, not broken: nobody tuned kernels for this GPU.", q.whose(), q.target())
	default:
		f.Message = fmt.Sprintf("%s has kernels for %s", q.whose(), q.target())
	}
	if row, added := addedLater(q); added {
		f.Message = sentence(f.Message) + " This release does not ship them, so somebody added them: they must be of the same version as the library."
		f.Evidence = append(f.Evidence, machine.Cite(row.Provenance))
	}
	return doubtful(q, f, t)
}

func sentence(s string) string { return strings.TrimSuffix(s, ".") + "." }

// missingKernels says what happens, and which part is missing. It is a warning
// where something else here can be used, or may be.
func missingKernels(q question, f check.Finding, o others) check.Finding {
	f.Verdict, f.Cause = check.Fail, "missing-tensile-kernels"
	if o.better != nil || o.unread || o.otherGPU {
		f.Verdict = check.Warn
	}
	f.Message = whatIsMissing(q) + ", and the first multiplication of matrices stops the program with \"Cannot read TensileLibrary … for GPU arch\"."
	switch {
	case o.better != nil:
		f.Message += " Another installation here has them; which one a program loads decides."
	case o.otherGPU && q.m.OS == "windows":
		f.Message += " Another GPU of this machine has its kernels. If this card was taken out, nothing is wrong: Windows remembers it."
	case o.otherGPU:
		f.Message += " Another GPU of this machine has its kernels."
	}
	if row, packed := packed(q); packed {
		f.Message += " AMD's packages of this release hold them, so files were lost."
		f.Evidence = append(f.Evidence, machine.Cite(row.Provenance))
	}
	f.Remedies = kernelRemedies(q, o.better)
	f.Evidence = append(f.Evidence, offerEvidence(q, f.Remedies)...)
	return f
}

// whatIsMissing is the headline. An index without code, and code without an index,
// are usually files of another release.
func whatIsMissing(q question) string {
	const half = "Half of the files are missing, or of another release"
	t := q.folder.Target(q.gfx)
	switch {
	case q.folder.Listed.Absent() && q.folder.Variable != "":
		return fmt.Sprintf("%s leads to %s, which is not there. Every rocBLAS looks for its kernels there alone", q.folder.Variable, shortPath(q.folder.Path))
	case q.folder.Listed.Absent():
		return fmt.Sprintf("%s has no folder of kernels. %s is not there", q.whose(), q.folder.Path)
	case t.Index.Count() > 0 && t.Code() == 0:
		return fmt.Sprintf("%s has an index for %s, and no kernels behind it. %s", q.whose(), q.target(), half)
	case t.Code() > 0 && t.Index.Count() == 0 && !q.folder.OneIndex:
		return fmt.Sprintf("%s has kernels for %s, and no index to find them by. %s", q.whose(), q.target(), half)
	case t.Code() > 0 && t.Whole <= t.Half:
		return fmt.Sprintf("%s has half of the kernels for %s: %d of %d types have a list without code, or code without a list. %s", q.whose(), q.target(), t.Half, t.Whole+t.Half, half)
	case t.Code() > 0:
		return fmt.Sprintf("%s has kernels for %s, and not Kernels.so-000-%s, which they need. %s", q.whose(), q.target(), q.gfx, half)
	}
	return fmt.Sprintf("%s has no kernels for %s. The GPU is found all the same", q.whose(), q.target())
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
	f.Remedies = []remedy.Remedy{cure.For(q.m, "one-kernel-set", cure.Values{"gfx": q.gfx, "folder": q.folder.Path})}
	return f
}

func variants(k machine.KernelFiles) string {
	return fmt.Sprintf("%d plain, %d off, %d on", k.Plain, k.XnackOff, k.XnackOn)
}

// shortPath keeps a headline readable: folders of environments are deep. It cuts
// between folders.
func shortPath(p string) string {
	const most = 48
	if len(p) <= most {
		return p
	}
	tail := p[len(p)-most:]
	if i := strings.IndexAny(tail, `/\`); i >= 0 {
		return "…" + tail[i:]
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

// doubtful warns of kernels on Windows whose names lack what is looked for.
func doubtful(q question, f check.Finding, t machine.KernelTarget) check.Finding {
	i, _ := q.m.Installation(q.folder.Owner)
	sdk, _ := rocm.LookupWindowsSDK(i.Version)
	offer, _ := rocm.CommunityKernelsFor(sdk.SDK, q.gfx)
	rule, known := rocm.LookupWindowsRule("xnack-names")
	if i.How != machine.HowHIPSDK || t.Helpers.XnackOff > 0 || !known || !slices.Contains(offer.XNACK, q.gfx) {
		return f
	}
	f.Verdict, f.Cause = check.Warn, "xnack-feature-mismatch"
	f.Message = fmt.Sprintf("%s has kernels for %s whose names may not match. %s Where programs find them, nothing is wrong; where they stop with \"Cannot read TensileLibrary\", look for a build with xnack in its names.", q.whose(), q.target(), rule.Text)
	f.Evidence = append(f.Evidence, machine.Cite(rule.Provenance))
	return f // no cure: what works must not be replaced on a doubt
}
