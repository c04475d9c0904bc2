package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// A Gate is one of the seven that work has to pass on its way to a GPU, in
// order.
type Gate struct {
	ID      string // "G1"
	Title   string // the good state
	Verdict check.Verdict
	Why     string
}

// gpu puts together what the kernel and the runtime say of the GPU.
func (j Judging) gpu() GPU {
	g, bus := GPU{Device: j.Device}, ""
	for _, o := range j.Outcomes {
		if !slices.Contains(groundwork, o.Task.ID) {
			continue
		}
		facts := o.Answer.Facts
		g.Name, g.Effective = either(g.Name, facts["name"]), either(g.Effective, bare(facts["gfx"]))
		bus = either(bus, facts["bus"])
		g.Runtime = either(g.Runtime, o.Answer.Library)
	}
	card, ok := j.realGPU(bus, g.Effective)
	if !ok {
		return g
	}
	g.Name, g.Gfx = either(g.Name, card.Label()), card.Gfx.Value
	g.Effective = either(g.Effective, j.Machine.EffectiveGfx(card))
	if v, set := j.Machine.Override(card); set {
		g.Override = v.Name + "=" + v.Value
	}
	return g
}

// realGPU is the GPU of the kernel that a device of the runtime is: the one at
// its place on the bus, else one whose effective gfx fits, first at the place
// that the number names. Variables that hide GPUs change the numbers.
func (j Judging) realGPU(bus, effective string) (machine.GPU, bool) {
	gpus := j.Machine.ComputeGPUs()
	if j.Machine.OS == "windows" {
		gpus = j.Machine.AMDGPUs()
	}
	at := slices.IndexFunc(gpus, func(g machine.GPU) bool { return bus != "" && strings.EqualFold(g.Address, bus) })
	if at >= 0 {
		return gpus[at], true
	}
	if j.Device < len(gpus) {
		if g := gpus[j.Device]; effective == "" || j.Machine.EffectiveGfx(g) == effective {
			return g, true
		}
	}
	i := slices.IndexFunc(gpus, func(g machine.GPU) bool { return j.Machine.EffectiveGfx(g) == effective })
	switch {
	case i >= 0:
		return gpus[i], true
	case len(gpus) == 1:
		return gpus[0], true
	}
	return machine.GPU{}, false
}

// bare takes the settings off a target: gfx90a:sramecc+:xnack- is gfx90a.
func bare(gfx string) string {
	gfx, _, _ = strings.Cut(gfx, ":")
	return gfx
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (j Judging) gates(g GPU) []Gate {
	gates := []Gate{
		j.kernelSees(), j.runtimeSees(g), j.comgrLoads(),
		j.taskGate("gemm/identity", "a small matrix product is exact"),
		j.checkGate("kernels for the GPU lie in the libraries' folders", "coverage/rocblas", "coverage/hipblaslt"),
		j.checkGate("the programs that were found hold code for the GPU", "coverage/torch", "coverage/packages"),
		j.endToEnd(),
	}
	for i := range gates {
		gates[i].ID = fmt.Sprintf("G%d", i+1)
	}
	return gates
}

func (j Judging) kernelSees() Gate {
	g := Gate{Title: "the kernel offers the GPU"}
	gpus := j.Machine.ComputeGPUs()
	if j.Machine.OS == "windows" {
		gpus = j.Machine.AMDGPUs()
	}
	switch {
	case len(gpus) > 0:
		g.Verdict, g.Why = check.OK, gpus[min(j.Device, len(gpus)-1)].Label()
	case j.Machine.GPUs.Unread():
		g.Verdict, g.Why = check.Unknown, j.Machine.GPUs.Why
	case len(j.Machine.AMDGPUs()) > 0:
		g.Verdict, g.Why = check.Fail, "there is an AMD GPU, and KFD does not offer it"
	default:
		g.Verdict, g.Why = check.Fail, "there is no AMD GPU"
	}
	return g
}

// runtimeSees compares the runtime's word with the kernel's.
func (j Judging) runtimeSees(gpu GPU) Gate {
	g := Gate{Title: "the runtime sees the GPU, as what it is"}
	o, asked := j.outcome("init")
	if identity, ok := j.outcome("identity"); ok && o.Answer.Verdict == operation.Pass {
		o = identity
	}
	seen := ""
	if o.Answer.Verdict == operation.Pass {
		seen = bare(o.Answer.Facts["gfx"])
	}
	switch v := o.Answer.Verdict; {
	case !asked:
		g.Verdict, g.Why = check.Skipped, "it was not asked"
	case v == operation.NoLibrary || v == operation.CannotStart || v == operation.Skipped:
		g.Verdict, g.Why = check.Unknown, o.Answer.Why
	case v != operation.Pass:
		g.Verdict, g.Why = check.Fail, string(v)+": "+o.Answer.Why
	case seen == "" || gpu.Gfx == "":
		g.Verdict, g.Why = check.Unknown, "the runtime sees it; the kernel or the runtime does not say which gfx it is"
	case seen == gpu.Gfx:
		g.Verdict, g.Why = check.OK, "both say "+seen
	case gpu.Override != "":
		g.Verdict, g.Why = check.Warn, fmt.Sprintf("the runtime says %s under %s; the card is %s", seen, gpu.Override, gpu.Gfx)
	default:
		g.Verdict, g.Why = check.Fail, fmt.Sprintf("the runtime says %s, the kernel %s", seen, gpu.Gfx)
	}
	return g
}

// comgrLoads rests on a kernel that was compiled, else on the doctor's look at
// the libraries.
func (j Judging) comgrLoads() Gate {
	g := Gate{Title: "the code object manager (comgr) loads"}
	if o, ok := j.outcome("compile/vector-add"); ok && o.Answer.Verdict == operation.Pass {
		g.Verdict, g.Why = check.OK, "a kernel was compiled and run"
		return g
	}
	return j.fromChecks(g, "runtime/comgr")
}

func (j Judging) taskGate(id, title string) Gate {
	g := Gate{Title: title}
	o, asked := j.outcome(id)
	switch v := o.Answer.Verdict; {
	case !asked:
		g.Verdict, g.Why = check.Skipped, "it was not asked"
	case v == operation.Pass:
		g.Verdict, g.Why = check.OK, o.Task.Title
	case v == operation.Skipped:
		g.Verdict, g.Why = check.Skipped, o.Answer.Why
	case v == operation.NoLibrary || v == operation.CannotStart || v == operation.Slow:
		g.Verdict, g.Why = check.Unknown, string(v)+": "+o.Answer.Why
	default:
		g.Verdict, g.Why = check.Fail, string(v)+": "+o.Answer.Why
	}
	return g
}

func (j Judging) checkGate(title string, ids ...string) Gate {
	return j.fromChecks(Gate{Title: title}, ids...)
}

// fromChecks takes the worst answer of the doctor's checks. One that found
// nothing to ask about has nothing to say.
func (j Judging) fromChecks(g Gate, ids ...string) Gate {
	g.Verdict, g.Why = check.Skipped, "there is nothing here to ask about"
	for _, f := range j.Found {
		if slices.Contains(ids, f.Check) && f.Verdict.Worse(g.Verdict) {
			g.Verdict, g.Why = f.Verdict, f.Headline()
		}
	}
	return g
}

// endToEnd holds where every piece of work beyond the groundwork gave the right
// numbers.
func (j Judging) endToEnd() Gate {
	g := Gate{Title: "work gives the right numbers, end to end"}
	passed, failed := 0, []string{}
	for _, o := range j.Outcomes {
		switch {
		case slices.Contains(groundwork, o.Task.ID):
		case o.Answer.Verdict == operation.Pass:
			passed++
		case o.Weight == check.Fail:
			failed = append(failed, fmt.Sprintf("%s: %s", o.Task.ID, o.Answer.Verdict))
		}
	}
	switch {
	case len(failed) > 0:
		g.Verdict, g.Why = check.Fail, strings.Join(failed, ", ")
	case passed == 0:
		g.Verdict, g.Why = check.Skipped, "nothing could be tried"
	default:
		g.Verdict, g.Why = check.OK, fmt.Sprintf("%d of %d tasks tried and right", passed, passed)
	}
	return g
}

func (j Judging) outcome(id string) (Outcome, bool) {
	for _, o := range j.Outcomes {
		if o.Task.ID == id {
			return o, true
		}
	}
	return Outcome{}, false
}

// anomalies are gates that passed although an earlier one failed: one of the
// two answers is wrong, or they are about different things.
func anomalies(gates []Gate) []string {
	var out []string
	for i, early := range gates {
		if early.Verdict != check.Fail {
			continue
		}
		var later []string
		for _, late := range gates[i+1:] {
			if late.Verdict == check.OK {
				later = append(later, late.ID)
			}
		}
		if len(later) > 0 {
			out = append(out, fmt.Sprintf("%s passed although %s failed (%s): they looked at different things, or one of the answers is wrong", strings.Join(later, " and "), early.ID, early.Why))
		}
	}
	return out
}
