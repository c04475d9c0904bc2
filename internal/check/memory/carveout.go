package memory

import (
	"fmt"
	"strconv"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func judgeCarveOut(m *machine.Machine, g machine.GPU) check.Finding {
	ram := total(m)
	if f, none := unread(g.VRAM, place(g), "the size of the carve-out"); none {
		return f
	}
	if f, none := unread(ram, place(g), "the memory of the whole machine"); none {
		return f
	}
	f := check.Finding{
		Subject: place(g), Verdict: check.OK,
		Message:  fmt.Sprintf("The BIOS set %s aside for the GPU and left the system %s", gib(g.VRAM.Value), gib(ram.Value)),
		Evidence: []machine.Evidence{size(g.VRAM, "carve-out"), memTotal(ram)},
	}
	if g.VRAM.Value < ram.Value {
		return f
	}
	f.Verdict, f.Cause = check.Warn, "gtt-limit-apu"
	f.Message = fmt.Sprintf("BIOS carve-out of %s on a %s machine; host RAM is reduced accordingly, to %s. What is carved out is lost to the system even while the GPU idles. "+
		"AMD advises the opposite, a small carve-out and a higher limit for shared memory; if this split is what you want, nothing is broken.",
		gib(g.VRAM.Value), gib(installed(m, g)), gib(ram.Value))
	f.Evidence = append(f.Evidence, known(rocm.MemoryCarveOut))
	f.Remedies = []remedy.Remedy{smallCarveOut(m, g)}
	return f
}

// installed is the memory in the machine: what the system and the GPU have, and
// the little that firmware keeps. Modules come in sizes of 8 GiB, small ones in
// 4 GiB.
func installed(m *machine.Machine, g machine.GPU) int64 {
	sum := g.VRAM.Value + total(m).Value
	step := int64(8 * unit)
	if sum <= 16*unit {
		step = 4 * unit
	}
	return (sum + step - 1) / step * step
}

// smallCarveOut offers the GPU the same memory as before, but shared, and at
// most three quarters of the machine.
func smallCarveOut(m *machine.Machine, g machine.GPU) remedy.Remedy {
	all := installed(m, g)
	want := min(g.VRAM.Value, all*3/4)
	if !total(m).Known() {
		want = g.VRAM.Value
	}
	values := limitValues(m, want)
	values["left"] = "the rest stays with the system"
	if left := g.VRAM.Value + total(m).Value - want; total(m).Known() {
		values["left"] = fmt.Sprintf("at least %s stay with the system", gib(left/unit*unit))
	}
	return cure.For(m, "small-carve-out", values)
}

// limitValues fill the cures that write a limit.
func limitValues(m *machine.Machine, bytes int64) cure.Values {
	module, _ := live(m)
	whole := max(1, bytes/unit)
	return cure.Values{
		"module": module, "path": "/etc/modprobe.d/" + module + ".conf",
		"gib": strconv.FormatInt(whole, 10), "pages": strconv.FormatInt(rocm.PagesFor(whole), 10),
	}
}
