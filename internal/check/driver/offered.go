package driver

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runOffered(in check.Input) []check.Finding {
	m := in.Machine
	if m.OS == "windows" {
		return []check.Finding{check.NotHere("driver", "on Windows the runtime that the driver brings is judged (runtime/dlls)")}
	}
	gpus, none := concerned(m)
	if none != nil {
		return none
	}
	switch top := m.Driver.Topology; {
	case top.Unread():
		return []check.Finding{check.CannotTell("KFD", "which GPUs the driver offers", top.From, top.Why)}
	case top.Absent():
		return []check.Finding{check.NotHere("KFD", "the driver here shows no compute part at all (access/nodes)")}
	}
	var out []check.Finding
	for _, g := range gpus {
		switch {
		case g.Node.Why == machine.HiddenByCgroup:
			out = append(out, hidden(m, g))
		case g.Node.Unread():
			out = append(out, check.CannotTell(place(g), "whether the driver offers "+g.Label(), g.Node.From, g.Node.Why))
		case g.Node.Known():
			out = append(out, check.Finding{Subject: place(g), Verdict: check.OK, Message: fmt.Sprintf("KFD offers %s as node %d", g.Label(), g.Node.Value), Evidence: []machine.Evidence{{From: g.Node.From, Text: "a GPU node"}}})
		case g.Bound.Value != module:
			out = append(out, check.NotHere(place(g), "amdgpu does not hold "+g.Label()))
		default:
			out = append(out, notOffered(m, g))
		}
	}
	return out
}

// hidden is a GPU whose node the device cgroup keeps from this process: it was
// not given to the container. That is how a container gets some of many GPUs.
func hidden(m *machine.Machine, g machine.GPU) check.Finding {
	if len(m.ComputeGPUs()) > 0 {
		return check.NotHere(place(g), g.Label()+" was not given to this container; others were")
	}
	f := check.Finding{
		Subject: place(g), Verdict: check.Fail, Cause: "container-device-not-mapped",
		Message:  fmt.Sprintf("%s was not given to this container. The driver has it, but the device cgroup hides it from every process here; usually /dev/dri is missing among the devices that were passed.", g.Label()),
		Evidence: []machine.Evidence{{From: g.Node.From, Text: "EPERM: " + machine.HiddenByCgroup}},
		Remedies: []remedy.Remedy{cure.For(m, "container-pass-devices", cure.Values{"engine": m.Container.Value.Kind})},
	}
	if m.Container.Value.Kind == "kubernetes" {
		f.Cause = "k8s-gpu-not-allocated"
	}
	return f
}

var (
	noAtomics = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`skipped device 1002:[0-9a-f]{4}, PCI rejects atomics`)
	})
	// The kernel names the graphics core: two hex digits each for its version.
	notSupported = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`GC IP ([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}) +(?:VF )?not supported in kfd`)
	})
)

func notOffered(m *machine.Machine, g machine.GPU) check.Finding {
	f := check.Finding{
		Subject: place(g), Verdict: check.Fail, Cause: "kfd-bad-state",
		Message:  fmt.Sprintf("The driver does not offer %s for compute. amdgpu holds it, but its compute part (KFD) shows no node for it; the kernel log says why.", g.Label()),
		Evidence: []machine.Evidence{{From: "/sys/class/kfd/kfd/topology/nodes", Text: "no GPU node at " + g.Address}},
		Remedies: []remedy.Remedy{cure.For(m, "read-kernel-log", nil)},
	}
	explainRefusal(m, g, &f)
	if excused(m, g) {
		f.Verdict = check.Warn
	}
	return f
}

func explainRefusal(m *machine.Machine, g machine.GPU, f *check.Finding) {
	if line := matchingLine(m, noAtomics(), g); line != "" {
		f.Cause = "pcie-atomics-missing"
		f.Message = fmt.Sprintf("The driver leaves %s out because PCIe atomics do not reach it. This GPU, with its firmware, needs them for compute.", g.Label())
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.KernelLog.From, Text: line})
		f.Remedies = []remedy.Remedy{cure.For(m, "move-slot", nil)}
		return
	}
	if line := unsupportedLine(m, g); line != "" {
		f.Cause = "kernel-too-old"
		f.Message = fmt.Sprintf("This kernel's compute driver does not know %s. The kernel is older than the GPU.", g.Label())
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.KernelLog.From, Text: line})
		f.Remedies = []remedy.Remedy{newerKernel(m, "a kernel that knows "+g.Label())}
		return
	}
	rule, below := belowFloor(m, g.Gfx.Value)
	switch {
	case below && rule.Unverified:
		f.Message += fmt.Sprintf(" An unverified note says that kernel %s was the first for it; this one is %s.", rule.UpstreamFloor, m.Kernel.Value)
	case below:
		f.Cause = "kernel-too-old"
		f.Message = fmt.Sprintf("Kernel %s is probably too old for %s. The code for it is believed to have come with %s (%s), and KFD shows no node for it.", m.Kernel.Value, g.Label(), rule.UpstreamFloor, rule.Provenance.Grade())
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.Kernel.From, Text: m.Kernel.Value})
		f.Remedies = []remedy.Remedy{newerKernel(m, "kernel "+rule.UpstreamFloor+" or newer")}
	}
}

// matchingLine finds a line of the kernel log; where the GPU has a PCI id, the
// line must name it.
func matchingLine(m *machine.Machine, pattern *regexp.Regexp, g machine.GPU) string {
	for _, line := range m.KernelLog.Value {
		if pattern.MatchString(line) && (g.PCIID == "" || strings.Contains(line, g.PCIID)) {
			return line
		}
	}
	return ""
}

// unsupportedLine finds the line in which KFD refuses this very GPU.
func unsupportedLine(m *machine.Machine, g machine.GPU) string {
	for _, line := range m.KernelLog.Value {
		match := notSupported().FindStringSubmatch(line)
		if match == nil {
			continue
		}
		var v [3]int
		for i, digits := range match[1:] {
			n, err := strconv.ParseUint(digits, 16, 8)
			if err != nil {
				return ""
			}
			v[i] = int(n)
		}
		if gfx, ok := rocm.GfxOfIP(v[0], v[1], v[2]); ok && gfx == g.Gfx.Value {
			return line
		}
	}
	return ""
}

func belowFloor(m *machine.Machine, gfx string) (rocm.KernelRule, bool) {
	if !m.Kernel.Known() || m.Driver.FromDKMS.Known() {
		return rocm.KernelRule{}, false
	}
	for _, rule := range rocm.KernelRules(gfx) {
		if rule.UpstreamFloor != "" && rocm.CompareKernel(m.Kernel.Value, rule.UpstreamFloor) < 0 {
			return rule, true
		}
	}
	return rocm.KernelRule{}, false
}

func newerKernel(m *machine.Machine, want string) remedy.Remedy {
	return cure.For(m, "newer-kernel", cure.Values{"want": want})
}
