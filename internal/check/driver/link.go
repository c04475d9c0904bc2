package driver

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// noAtomicsFlags are the bits of a KFD link that say 32-bit and 64-bit atomics
// do not get through (hsakmttypes.h).
const noAtomicsFlags = 1<<2 | 1<<3

func runAtomics(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	var out []check.Finding
	for _, g := range m.ComputeGPUs() {
		if g.Kind == machine.Integrated || g.HostLink.Absent() {
			continue
		}
		out = append(out, judgeAtomics(m, g))
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("PCIe", "the driver shows no link to judge")}
	}
	return out
}

// judgeAtomics only warns: the driver offers the GPU, so its firmware can do
// without; what suffers is memory shared finely between GPU and processor.
func judgeAtomics(m *machine.Machine, g machine.GPU) check.Finding {
	switch {
	case g.HostLink.Unread():
		return check.CannotTell(place(g), "whether PCIe atomics reach "+g.Label(), g.HostLink.From, g.HostLink.Why)
	case g.HostLink.Value&noAtomicsFlags == 0:
		return check.Finding{Subject: place(g), Verdict: check.OK, Message: "PCIe atomics reach " + g.Label(), Evidence: []machine.Evidence{linkFlags(g)}}
	}
	return check.Finding{
		Subject: place(g), Verdict: check.Warn, Cause: "pcie-atomics-missing",
		Message:  fmt.Sprintf("PCIe atomics do not reach %s. Its firmware can do without, so it computes, but programs that share memory finely with the processor (device printf, some multi-GPU code) may hang or fail.", g.Label()),
		Evidence: []machine.Evidence{linkFlags(g)},
		Remedies: []remedy.Remedy{cure.For(m, "move-slot", nil)},
	}
}

func linkFlags(g machine.GPU) machine.Evidence {
	return machine.Evidence{From: g.HostLink.From, Text: fmt.Sprintf("flags %d", g.HostLink.Value)}
}
