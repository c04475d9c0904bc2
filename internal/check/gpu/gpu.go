// Package gpu asks which GPUs there are, what they really are, and what variables and releases make of them.
package gpu

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Present is asked before everything else: without an AMD GPU no other question
// has a meaning.
var Present = check.Check{
	ID:    "gpu/present",
	Title: "There is an AMD GPU",
	Doc: `Looked for on the PCI bus and in the compute topology of the driver. Where there is none, nothing is judged: the screen
says which other GPU there is, the verdict is unknown and the exit code 3.`,
	Run: runPresent,
}

// Checks are the other questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "gpu/gfx",
		Title: "The instruction set of each GPU is known",
		Needs: []string{"gpu/present"},
		Doc: `The real gfx comes from the kernel (` + "`gfx_target_version`" + `), never from a program that runs under an override. Kernels before about
5.14 do not name it; then it comes from the PCI id, and the finding says so.`,
		Run: runGfx,
	},
	{
		ID:    "gpu/override",
		Title: "No override makes a GPU run foreign code",
		Needs: []string{"gpu/present"},
		Doc: `HSA_OVERRIDE_GFX_VERSION (and HSA_OVERRIDE_GFX_VERSION_N for KFD node N, read first) makes the runtime report another instruction
set. The GPU's own value is pointless; a sibling of the same family runs, with a caution; another family is a failure: instructions
that the GPU does not have fault, hang or give wrong numbers. Invalid and empty values stop the runtime.`,
		Run: runOverride,
	},
	{
		ID:    "gpu/visible",
		Title: "The visible-device variables leave a GPU",
		Needs: []string{"gpu/present"},
		Doc: `Two layers filter, one after the other. ROCR_VISIBLE_DEVICES comes first: set but empty, or -1, it hides every GPU; a bad or repeated
token ends its list. HIP_VISIBLE_DEVICES, else CUDA_VISIBLE_DEVICES, then counts what is left, from 0 again; an empty value is ignored by HIP. Setting both with the
same number is the usual way to select nothing. GPU_DEVICE_ORDINAL acts on OpenCL only.`,
		Run: runVisible,
	},
	{
		ID:    "gpu/igpu",
		Title: "An integrated GPU does not stand before the card",
		Needs: []string{"gpu/present"},
		Doc: `Where an integrated GPU and a card are both offered, programs may pick the first, or fail on the one they hold no code for. A warning,
unless a variable already hides the integrated one.`,
		Run: runIntegrated,
	},
	{
		ID:    "gpu/support",
		Title: "The installed ROCm supports each GPU",
		Needs: []string{"gpu/present"},
		Doc: `Compared with AMD's published lists. They are a promise, not what a library holds: a GPU that is missing from them may work well, so this
only warns. Packages of a distribution and wheels have lists of their own and are not judged by AMD's.`,
		Run: runSupport,
	},
}

func runPresent(in check.Input) []check.Finding {
	m := in.Machine
	gpus := m.AMDGPUs()
	if len(gpus) > 0 {
		var out []check.Finding
		for _, g := range gpus {
			out = append(out, check.Finding{
				Subject: subject(g), Verdict: check.OK, Message: Describe(m, g),
				Evidence: []machine.Evidence{{From: m.GPUs.From, Text: strings.TrimSpace(g.PCIID + " " + g.Address)}},
			})
		}
		return out
	}
	if m.Hypervisor.Value == "wsl2" && m.DXG.Known() {
		return []check.Finding{windowsOwnsIt(m)}
	}
	if !m.GPUs.Known() {
		return []check.Finding{check.CannotTell("GPU", "whether there is an AMD GPU", m.GPUs.From, m.GPUs.Why)}
	}
	if m.OS == "windows" {
		return []check.Finding{noneOnWindows(m)}
	}
	return []check.Finding{noneHere(m)}
}

// noneOnWindows says what the registry shows, which is not what sits in the slots:
// a card on Microsoft's basic driver has no name there.
func noneOnWindows(m *machine.Machine) check.Finding {
	f := check.Finding{Subject: "GPU", Verdict: check.Unknown, Evidence: []machine.Evidence{{From: m.GPUs.From, Text: "no adapter of AMD"}}}
	var names, others []string
	for _, g := range m.Windows.Unclaimed.Value {
		names = append(names, g.Label())
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.Windows.Unclaimed.From, Text: g.PCIID + " " + g.Label()})
	}
	for _, g := range m.GPUs.Value {
		others = append(others, g.Label())
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.GPUs.From, Text: g.PCIID})
	}
	f.Message = "The registry shows no driver for an AMD GPU."
	if len(names) > 0 {
		f.Message = fmt.Sprintf("The registry shows no driver of AMD for %s. It has seen the card on the bus: it runs on Microsoft's basic driver, or was taken out since.", strings.Join(names, ", "))
		f.Remedies = []remedy.Remedy{cure.For(m, "windows-newer-driver", cure.Values{"dll": "amdhip64_6.dll or amdhip64_7.dll"})}
		if len(others) == 0 { // something must show the picture
			f.Verdict, f.Cause = check.Fail, "kfd-driver-not-loaded"
		}
	} else {
		f.Message += " There is none in this machine, or it runs on Microsoft's basic driver, which does not name it."
	}
	if len(others) > 0 {
		f.Message += " There is " + strings.Join(others, ", ") + "."
	}
	if len(others) == 0 || len(names) > 0 {
		f.Message += " AMD's display driver brings what computing needs (amd.com/support)."
	}
	return f
}

func noneHere(m *machine.Machine) check.Finding {
	f := check.Finding{Subject: "GPU", Verdict: check.Unknown}
	words := []string{"There is no AMD GPU in this machine."}
	var others []string
	for _, g := range m.GPUs.Value {
		others = append(others, g.Label())
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source("/sys/bus/pci/devices/" + g.Address), Text: g.PCIID})
	}
	if m.Driver.Module.Known() {
		words = append(words, "The driver amdgpu is loaded, but it found no GPU of its own.")
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.Driver.Module.From, Text: "amdgpu is loaded"})
	}
	if len(others) > 0 {
		words = append(words, "It has "+strings.Join(others, ", ")+".")
		if len(m.NVIDIAGPUs()) > 0 {
			words = append(words, fitsNVIDIA)
		}
	} else {
		words = append(words, "No display controller was found on the PCI bus; a card that should be there may be switched off in the BIOS, or not be seated.")
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.GPUs.From, Text: "no display controller"})
	}
	if m.Hypervisor.Known() {
		words = append(words, "This is a virtual machine ("+m.Hypervisor.Value+"); a GPU must be passed to it from outside.")
	}
	f.Message = strings.Join(words, " ")
	return f
}

func windowsOwnsIt(m *machine.Machine) check.Finding {
	return check.Finding{
		Subject: "GPU", Verdict: check.Unknown, Cause: "wsl-unsupported",
		Message:  "This is WSL2, where the GPU belongs to Windows. Linux sees only /dev/dxg, not which GPU is behind it; there is no amdgpu driver here, and none is needed.",
		Evidence: []machine.Evidence{{From: m.DXG.From, Text: "exists"}, {From: m.Kernel.From, Text: m.Kernel.Value}},
		Remedies: []remedy.Remedy{cure.For(m, "wsl-runtime", nil)},
	}
}

// subject identifies a GPU across runs. Partitions of a card share its address.
func subject(g machine.GPU) string {
	switch {
	case g.Address == "" && g.Node.Known():
		return fmt.Sprintf("node %d", g.Node.Value)
	case g.Address == "":
		return g.PCIID
	case g.Node.Known():
		return fmt.Sprintf("%s node %d", g.Address, g.Node.Value)
	default:
		return g.Address
	}
}

// Describe writes a GPU on one line: name, gfx, memory, place.
func Describe(m *machine.Machine, g machine.GPU) string {
	parts := []string{g.Label()}
	if gfx := g.Gfx.Value; gfx != "" && gfx != g.Label() {
		if eff := m.EffectiveGfx(g); eff != gfx {
			gfx += " (seen as " + eff + ")"
		}
		if _, set := m.Variable(machine.OverrideVariable); set && m.OS == "windows" {
			gfx += " (" + machine.OverrideVariable + " has no effect on Windows)"
		}
		parts = append(parts, gfx)
	}
	if g.VRAM.Known() && g.VRAM.Value > 0 {
		parts = append(parts, gib(g.VRAM.Value))
	}
	if g.Address != "" {
		parts = append(parts, g.Address)
	}
	return strings.Join(parts, " · ")
}

func gib(bytes int64) string {
	const unit = 1 << 30
	if bytes < unit {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.0f GiB", float64(bytes)/unit)
}

func runGfx(in check.Input) []check.Finding {
	var out []check.Finding
	for _, g := range in.Machine.AMDGPUs() {
		f := check.Finding{Subject: subject(g), Evidence: []machine.Evidence{{From: g.Gfx.From, Text: g.Gfx.Value}}}
		switch {
		case g.Gfx.Known():
			f.Verdict, f.Message = check.OK, g.Label()+" is "+g.Gfx.Value
			if g.Gfx.Why != "" {
				f.Message += " (" + g.Gfx.Why + ")"
			}
		case !g.Node.Known() && len(in.Machine.ComputeGPUs()) > 0:
			f = check.NotHere(subject(g), g.Label()+" is not offered for compute, and others are")
		default:
			f = check.CannotTell(subject(g), "which instruction set "+g.Label()+" has", g.Gfx.From, g.Gfx.Why)
		}
		out = append(out, f)
	}
	return out
}

// beside reports whether a GPU is an integrated one next to a card: nobody buys
// a card to compute on the other.
func beside(m *machine.Machine, g machine.GPU) bool {
	return g.Kind == machine.Integrated && m.HasCard()
}
