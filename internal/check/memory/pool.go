package memory

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// judgePool says which memory programs get, and how much.
func judgePool(m *machine.Machine, g machine.GPU) check.Finding {
	const question = "which memory programs are offered"
	for _, fact := range []machine.Fact[int64]{g.VRAM, g.GTT} {
		if f, none := unread(fact, place(g), question); none {
			return f
		}
	}
	f := check.Finding{
		Subject: place(g), Verdict: check.OK,
		Evidence: []machine.Evidence{size(g.VRAM, "carve-out"), size(g.GTT, "GTT")},
	}
	offered := g.Offered
	if !offered.Known() || offered.Value == 0 {
		offered = byRule(g)
	} else {
		f.Evidence = append(f.Evidence, size(offered, "offered"))
	}
	ram := total(m)
	if ram.Known() {
		f.Evidence = append(f.Evidence, memTotal(ram))
	}
	switch {
	case ram.Known() && offered.Value > ram.Value && offered.Value > g.VRAM.Value:
		return check.NotHere(place(g), fmt.Sprintf("HIP is promised %s of the system's %s, which memory/limit judges", gib(offered.Value), gib(ram.Value)))
	case offered.Value < g.VRAM.Value-g.VRAM.Value/10:
		return offeredLess(m, g, offered.Value, f)
	case offered.Value > g.VRAM.Value+g.VRAM.Value/10:
		f.Message = fromSystem(m, g, offered.Value)
	default:
		f.Message = fromCarveOut(m, g, offered.Value)
	}
	return f
}

// byRule is what the driver offers where KFD does not say.
func byRule(g machine.GPU) machine.Fact[int64] {
	if g.GTT.Value > g.VRAM.Value {
		return g.GTT
	}
	return g.VRAM
}

func fromSystem(m *machine.Machine, g machine.GPU, offered int64) string {
	of := "system memory"
	if ram := total(m); ram.Known() {
		of = "the system's " + gib(ram.Value)
	}
	return fmt.Sprintf("HIP gets up to %s of %s. The GTT (%s) is larger than the BIOS carve-out (%s), so the driver takes memory from the system, and only while it is used.",
		gib(offered), of, gib(g.GTT.Value), gib(g.VRAM.Value))
}

func fromCarveOut(m *machine.Machine, g machine.GPU, offered int64) string {
	message := fmt.Sprintf("HIP gets the BIOS carve-out of %s", gib(offered))
	if ram := total(m); ram.Known() {
		message += fmt.Sprintf("; the system keeps %s", gib(ram.Value))
	}
	if g.GTT.Value > g.VRAM.Value {
		r, _ := rocm.LookupMemoryRule(rocm.MemoryOldKernel)
		return message + fmt.Sprintf(". The GTT is larger (%s); drivers before Linux %s do not use it for this.", gib(g.GTT.Value), r.KernelBelow)
	}
	return message + fmt.Sprintf(". It is larger than the GTT (%s), so the driver uses it.", gib(g.GTT.Value))
}

// offeredLess is a carve-out that programs do not get.
func offeredLess(m *machine.Machine, g machine.GPU, offered int64, f check.Finding) check.Finding {
	f.Verdict, f.Cause = check.Warn, "gtt-limit-apu"
	f.Message = fmt.Sprintf("HIP is offered %s although the BIOS set %s aside for the GPU. The driver hands out system memory up to the TTM limit here, and programs get nothing of the carve-out.",
		gib(offered), gib(g.VRAM.Value))
	f.Evidence = append(f.Evidence, known(rocm.MemoryOfferedLess))
	f.Remedies = []remedy.Remedy{smallCarveOut(m, g)}
	if r, _ := rocm.LookupMemoryRule(rocm.MemoryOfferedLess); m.Kernel.Known() && rocm.CompareKernel(m.Kernel.Value, r.KernelBelow) < 0 {
		f.Remedies = append(f.Remedies, cure.For(m, "newer-kernel", cure.Values{
			"want": fmt.Sprintf("kernel %s or newer, which is said to offer the carve-out (%s)", r.KernelBelow, r.Source),
		}))
	}
	return f
}
