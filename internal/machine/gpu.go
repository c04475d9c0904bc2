package machine

import "slices"

// A GPU is one device that can compute: a card, an integrated GPU, or one
// partition of a card.
type GPU struct {
	Vendor  string `json:"vendor"` // "amd", "nvidia", "intel", or the PCI vendor number
	Name    string `json:"name"`
	Address string `json:"address"` // "0000:03:00.0"; "" where the bus does not tell
	PCIID   string `json:"pci_id"`  // "1002:744c"
	Kind    string `json:"kind"`    // "dgpu", "apu", "" where nothing tells

	Gfx        Fact[string] `json:"gfx"`         // the real one: the kernel's word, else the PCI id's
	Bound      Fact[string] `json:"bound"`       // the kernel driver that holds it; absent: none
	Node       Fact[int]    `json:"node"`        // KFD topology node; absent: KFD does not offer it
	RenderNode Fact[string] `json:"render_node"` // "/dev/dri/renderD128"
	CardNode   Fact[string] `json:"card_node"`   // "/dev/dri/card0"; compute does not use it
	UniqueID   Fact[uint64] `json:"unique_id"`
	VRAM       Fact[int64]  `json:"vram"` // bytes
	GTT        Fact[int64]  `json:"gtt"`  // bytes
	// Offered is what KFD offers programs as the memory of the GPU, in bytes. Of
	// a card it is the VRAM; of an integrated GPU it may be system memory.
	Offered Fact[int64] `json:"offered"`
	CUs     Fact[int]   `json:"compute_units"`
	// Firmware versions by lower-case name: "mec", "mes", "mes_kiq", "smc" …
	Firmware Fact[map[string]uint32] `json:"firmware"`
	// HostLink holds the flags of the KFD link to the CPU; bits 2 and 3 say that
	// 32-bit and 64-bit atomics do not get through.
	HostLink Fact[uint32] `json:"host_link_flags"`
}

// HiddenByCgroup is why the node of a GPU is unread that was not given to the
// container which the process runs in.
const HiddenByCgroup = "hidden by the device cgroup"

// AMD vendor name, as used in GPU.Vendor.
const AMD = "amd"

// Kinds of GPUs.
const (
	Discrete   = "dgpu"
	Integrated = "apu"
)

// Label names a GPU to a person.
func (g GPU) Label() string {
	switch {
	case g.Name != "":
		return g.Name
	case g.Gfx.Known():
		return g.Gfx.Value
	case g.Vendor == "nvidia":
		return "NVIDIA GPU " + g.PCIID
	case g.Vendor == "intel":
		return "Intel GPU " + g.PCIID
	default:
		return "PCI device " + g.PCIID
	}
}

// AMDGPUs returns the GPUs of AMD, whether the driver offers them or not.
func (m *Machine) AMDGPUs() []GPU {
	return slices.DeleteFunc(slices.Clone(m.GPUs.Value), func(g GPU) bool { return g.Vendor != AMD })
}

// HasCard reports whether KFD offers a GPU that is not part of a processor.
func (m *Machine) HasCard() bool {
	return slices.ContainsFunc(m.ComputeGPUs(), func(g GPU) bool { return g.Kind == Discrete })
}

// ComputeGPUs returns the AMD GPUs that KFD offers, in its order.
func (m *Machine) ComputeGPUs() []GPU {
	return slices.DeleteFunc(m.AMDGPUs(), func(g GPU) bool { return !g.Node.Known() })
}

// TargetGPUs returns the GPUs that software is installed for, one for each
// effective gfx; an integrated GPU beside a card is not what it was installed
// for. On Linux KFD must offer them; Windows has no KFD to ask.
func (m *Machine) TargetGPUs() []GPU {
	gpus := m.ComputeGPUs()
	if m.OS == "windows" {
		gpus = m.AMDGPUs()
	}
	hasCard := slices.ContainsFunc(gpus, func(g GPU) bool { return g.Kind == Discrete })
	var out []GPU
	seen := map[string]bool{}
	for _, g := range gpus {
		gfx := m.EffectiveGfx(g)
		if gfx == "" || seen[gfx] || g.Kind == Integrated && hasCard {
			continue
		}
		seen[gfx] = true
		out = append(out, g)
	}
	return out
}
