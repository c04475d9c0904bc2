package machine

import "fmt"

// A Driver is the amdgpu kernel driver on this machine.
type Driver struct {
	Module     Fact[Module]            `json:"module"`     // absent: neither loaded nor built in
	Parameters Fact[map[string]string] `json:"parameters"` // live values
	// Settings are the lines of modprobe.d and words of the kernel command line
	// that concern amdgpu or bind its GPUs elsewhere.
	Settings Fact[[]Setting] `json:"settings"`
	DKMS     Fact[[]string]  `json:"dkms"` // versions of amdgpu that DKMS knows
	// FromDKMS is the out-of-tree module file for the running kernel.
	FromDKMS Fact[string] `json:"from_dkms"`
	// InTree is the module file of the distribution's own kernel.
	InTree Fact[string] `json:"in_tree"`
	// Overlay are firmware files that shadow the distribution's.
	Overlay Fact[[]string] `json:"firmware_overlay"`
	// Topology says whether KFD shows any node at all, GPU or CPU.
	Topology Fact[int] `json:"topology_nodes"`
}

// A Module is the loaded driver.
type Module struct {
	BuiltIn bool   `json:"built_in"`
	State   string `json:"state,omitempty"`   // "live", "coming", "going"
	Version string `json:"version,omitempty"` // out-of-tree drivers carry one
}

// A Setting is one line somebody wrote about the driver.
type Setting struct {
	File string      `json:"file"`
	Line int         `json:"line"`
	Text string      `json:"text"`
	Kind SettingKind `json:"kind"`
}

// A SettingKind says what a setting does.
type SettingKind string

// Kinds of settings.
const (
	Blacklists SettingKind = "blacklist" // keeps amdgpu from loading
	BindsVFIO  SettingKind = "vfio"      // hands PCI ids to vfio-pci
	SetsOption SettingKind = "option"    // module parameters
)

// Evidence points at the line.
func (s Setting) Evidence() Evidence {
	from := s.File
	if s.Line > 0 {
		from = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return Evidence{From: Source(from), Text: s.Text}
}
