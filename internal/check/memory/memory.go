// Package memory asks how the GPU of an APU comes by its memory, and whether both sides are left enough.
package memory

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "memory/pool",
		Title: "Programs are offered the memory that is there for an integrated GPU",
		Needs: []string{"driver/offered"},
		Doc: `An integrated GPU has two pools: the carve-out that the BIOS sets aside (` + "`mem_info_vram_total`" + `) and system memory that it may map
(` + "`mem_info_gtt_total`" + `, the GTT). Where the GTT is larger, the driver takes what programs ask for as VRAM from system memory. What they are
offered in the end stands in KFD's memory bank. Some kernels offer 15.5 GB beside a carve-out of 96 GiB; the version of the kernel does not tell, so
the sizes are compared.`,
		Run: each(judgePool),
	},
	{
		ID:    "memory/carve-out",
		Title: "The BIOS leaves the system its memory",
		Needs: []string{"driver/offered"},
		Doc: `What the BIOS carves out for an integrated GPU is lost to the system, also while the GPU idles. A warning where it is half of the machine
or more: AMD advises a small carve-out and a higher limit for shared memory (` + "`rocsmith kb memory 100G`" + `).`,
		Run: each(judgeCarveOut),
	},
	{
		ID:    "memory/limit",
		Title: "The limit for an integrated GPU is live and leaves room for the system",
		Needs: []string{"driver/offered"},
		Doc: `TTM, a part of the driver, bounds how many pages of system memory a GPU may map: ` + "`/sys/module/ttm/parameters/pages_limit`" + `, or amdttm
with AMD's driver package, about half of the memory by default. A warning where it leaves the system less than 4 GiB or a sixteenth, or the GPU less than
a quarter; where a limit is written down but not live; where it is written for the other module; and where the deprecated amdgpu.gttsize says something else.`,
		Run: runLimit,
	},
}

// integrated returns the integrated GPUs that are offered for compute, or a
// finding that says why there are none to speak of.
func integrated(m *machine.Machine) ([]machine.GPU, []check.Finding) {
	var out []machine.GPU
	for _, g := range m.ComputeGPUs() {
		if g.Kind == machine.Integrated {
			out = append(out, g)
		}
	}
	switch {
	case m.OS == "windows":
		return nil, []check.Finding{check.NotHere("", "this is about the Linux driver")}
	case len(out) > 0:
		return out, nil
	case !m.GPUs.Known():
		return nil, []check.Finding{check.NotHere("", "which GPUs there are is not known (gpu/present)")}
	}
	return nil, []check.Finding{check.NotHere("", "no integrated GPU is offered for compute here")}
}

// each asks a question of every integrated GPU.
func each(judge func(*machine.Machine, machine.GPU) check.Finding) func(check.Input) []check.Finding {
	return func(in check.Input) []check.Finding {
		gpus, out := integrated(in.Machine)
		for _, g := range gpus {
			out = append(out, judge(in.Machine, g))
		}
		return out
	}
}

func place(g machine.GPU) string {
	if g.Address != "" {
		return g.Address
	}
	return fmt.Sprintf("node %d", g.Node.Value)
}

// unread turns a fact without a value into a finding. What nobody asked for is
// not visible here: in some containers the PCI bus is not.
func unread[T any](f machine.Fact[T], subject, question string) (check.Finding, bool) {
	switch {
	case f.Known():
		return check.Finding{}, false
	case f.Absent() || f.Why == "" || strings.Contains(f.Why, "EACCES") || strings.Contains(f.Why, "EPERM"):
		return check.NotHere(subject, question+" is not to be seen here"), true
	}
	return check.CannotTell(subject, question, f.From, f.Why), true
}

// total is the system's memory. LXC shows a container its own share instead of
// the machine's.
func total(m *machine.Machine) machine.Fact[int64] {
	if m.Container.Value.Kind == "lxc" {
		return machine.Missing[int64](m.Memory.Total.From)
	}
	return m.Memory.Total
}

const unit = 1 << 30

// gib writes a size for a person.
func gib(bytes int64) string {
	if bytes < unit {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/unit), ".0") + " GiB"
}

// size is evidence of a number of bytes.
func size(f machine.Fact[int64], what string) machine.Evidence {
	return machine.Evidence{From: f.From, Text: fmt.Sprintf("%s %d (%s)", what, f.Value, gib(f.Value))}
}

// memTotal is the line of /proc/meminfo, whose kB are KiB.
func memTotal(f machine.Fact[int64]) machine.Evidence {
	return machine.Evidence{From: f.From, Text: fmt.Sprintf("MemTotal: %d kB (%s)", f.Value>>10, gib(f.Value))}
}

// known cites a rule.
func known(id string) machine.Evidence {
	r, _ := rocm.LookupMemoryRule(id)
	return machine.Evidence{From: machine.Source(r.Confidence), Text: r.Source}
}
