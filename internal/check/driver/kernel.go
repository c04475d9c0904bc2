package driver

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

// realTargets returns the gfx of the GPUs that KFD offers, each once, with the
// GPU that stands for it.
func realTargets(m *machine.Machine) []machine.GPU {
	var out []machine.GPU
	seen := map[string]bool{}
	gpus := m.ComputeGPUs()
	// The card speaks first: it is what people mean by "the GPU".
	slices.SortStableFunc(gpus, func(a, b machine.GPU) int { return strings.Compare(b.Kind, a.Kind) })
	for _, g := range gpus {
		if g.Gfx.Known() && !seen[g.Gfx.Value] {
			seen[g.Gfx.Value] = true
			out = append(out, g)
		}
	}
	return out
}

func runKernel(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	if !m.Kernel.Known() {
		return []check.Finding{check.CannotTell("kernel", "whether the kernel is new enough", m.Kernel.From, m.Kernel.Why)}
	}
	var out []check.Finding
	for _, g := range realTargets(m) {
		out = append(out, judgeKernel(m, g))
	}
	return out
}

func judgeKernel(m *machine.Machine, g machine.GPU) check.Finding {
	gfx, kernel := g.Gfx.Value, m.Kernel.Value
	f := check.Finding{
		Subject: gfx, Verdict: check.OK, Message: fmt.Sprintf("kernel %s fits %s", kernel, gfx),
		Evidence: []machine.Evidence{{From: m.Kernel.From, Text: kernel}},
	}
	if m.Driver.FromDKMS.Known() && m.Driver.Module.Value.Version != "" {
		f.Message = fmt.Sprintf("AMD's driver package brings its own code for %s, whatever the kernel", gfx)
		return f
	}
	if !slices.ContainsFunc(rocm.KernelRules(gfx), func(r rocm.KernelRule) bool { return r.Minimum(kernel) != "" }) {
		return check.NotHere(gfx, "no minimum kernel for "+gfx+" is known")
	}
	for _, rule := range rocm.KernelRules(gfx) {
		switch {
		case rule.MetBy(kernel):
		case rule.Recommended != "" || rule.UbuntuHWEMin != "" || rule.UbuntuOEMMin != "":
			return belowDocumented(m, gfx, rule, f)
		case rule.Unverified:
			f.Message += fmt.Sprintf(". An unverified note puts the first kernel for it at %s; the driver offers it, so this is only mentioned.", rule.UpstreamFloor)
		default:
			return belowBelieved(m, gfx, rule, f)
		}
	}
	return f
}

// belowDocumented is a kernel older than AMD asks for. Where ROCm is installed
// and the table has a row for it, driver/combination gives the verdict.
func belowDocumented(m *machine.Machine, gfx string, rule rocm.KernelRule, f check.Finding) check.Finding {
	minimum := rule.Minimum(m.Kernel.Value)
	if len(judgedReleases(m, gfx)) > 0 {
		f.Verdict = check.Skipped
		f.Message = fmt.Sprintf("Not asked: AMD wants kernel %s on %s; what an older one means depends on the ROCm release (driver/combination).", minimum, gfx)
		return f
	}
	f.Verdict, f.Cause = check.Warn, "kernel-too-old"
	f.Message = fmt.Sprintf("Kernel %s is older than AMD asks for on %s. It wants %s; older ones hang or fault under load with most ROCm releases, also with one inside a container.", m.Kernel.Value, gfx, minimum)
	if rule.Confidence != rocm.Documented {
		f.Message = fmt.Sprintf("Kernel %s is older than is advised for %s. The advice is %s (%s); what goes wrong below it was not read in a document.", m.Kernel.Value, gfx, minimum, rule.Provenance.Grade())
	}
	f.Evidence = append(f.Evidence, machine.Cite(rule.Provenance))
	f.Remedies = []remedy.Remedy{newerKernel(m, "kernel "+minimum+" or newer")}
	return f
}

func belowBelieved(m *machine.Machine, gfx string, rule rocm.KernelRule, f check.Finding) check.Finding {
	f.Verdict, f.Cause = check.Warn, "kernel-too-old"
	f.Message = fmt.Sprintf("Kernel %s may be too old for %s. Its code is said to have come with %s (%s).", m.Kernel.Value, gfx, rule.UpstreamFloor, rule.Provenance.Grade())
	f.Evidence = append(f.Evidence, machine.Cite(rule.Provenance))
	f.Remedies = []remedy.Remedy{newerKernel(m, "kernel "+rule.UpstreamFloor+" or newer")}
	return f
}

// judgedReleases are the installed releases that AMD's table of kernels has a
// row for. A distribution's own packages carry fixes of their own, and a
// kernel that is new enough is another column.
func judgedReleases(m *machine.Machine, gfx string) []machine.Installation {
	var out []machine.Installation
	for _, i := range m.ROCm.Value {
		if _, _, ok := rocm.MatrixVerdict(gfx, i.Version, true); ok && i.How != machine.HowDistribution && i.How != machine.HowTorchWheel {
			out = append(out, i)
		}
	}
	return out
}

func runCombination(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	if !m.Kernel.Known() {
		return []check.Finding{check.CannotTell("kernel", "whether kernel and ROCm work together", m.Kernel.From, m.Kernel.Why)}
	}
	var out []check.Finding
	for _, g := range realTargets(m) {
		for _, i := range judgedReleases(m, g.Gfx.Value) {
			out = append(out, judgeCombination(m, g.Gfx.Value, i))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("kernel and ROCm", "AMD publishes no table for what is installed here")}
	}
	return out
}

func judgeCombination(m *machine.Machine, gfx string, i machine.Installation) check.Finding {
	rule := matrixRule(gfx)
	fixed := rule.MetBy(m.Kernel.Value)
	state, _, _ := rocm.MatrixVerdict(gfx, i.Version, fixed)
	pair := fmt.Sprintf("kernel %s with ROCm %s on %s", m.Kernel.Value, i.Version, gfx)
	f := check.Finding{
		Subject: gfx + " ROCm " + i.Version, Verdict: check.OK, Message: "AMD supports " + pair,
		Evidence: []machine.Evidence{{From: m.Kernel.From, Text: m.Kernel.Value}, {From: i.From, Text: i.Version}, machine.Cite(rule.Provenance)},
	}
	if state == "supported" {
		return f
	}
	f.Cause = "kernel-driver-regression"
	f.Verdict = check.Warn
	f.Message = fmt.Sprintf("AMD calls %s unstable. It may run, and hang or fault under load.", pair)
	if state == "unsupported" {
		f.Verdict = check.Fail
		f.Message = fmt.Sprintf("AMD does not support %s. This pair is known to hang or fault on this GPU, although each part works elsewhere.", pair)
	}
	table := "the whole table: rocsmith kb matrix --gpu " + gfx
	if !fixed {
		f.Remedies = append(f.Remedies, newerKernel(m, "kernel "+rule.Minimum(m.Kernel.Value)+" or newer ("+table+")"))
	} else {
		f.Remedies = append(f.Remedies, cure.For(m, "other-rocm", cure.Values{"want": "install a release that AMD supports on " + gfx + " with this kernel: " + supportedReleases(rule) + " (" + table + ")"}))
	}
	return f
}

func matrixRule(gfx string) rocm.KernelRule {
	for _, rule := range rocm.KernelRules(gfx) {
		if len(rule.Matrix) > 0 {
			return rule
		}
	}
	return rocm.KernelRule{}
}

func supportedReleases(rule rocm.KernelRule) string {
	var versions []string
	for _, row := range rule.Matrix {
		if row.Fixed == "supported" {
			versions = append(versions, row.ROCm...)
		}
	}
	return "ROCm " + strings.Join(versions, ", ")
}
