package machine

import "fmt"

// A Driver is the amdgpu kernel driver on this machine.
type Driver struct {
	Module     Fact[Module]            `json:"module"`     // absent: neither loaded nor built in
	Parameters Fact[map[string]string] `json:"parameters"` // live values
	// TTM and AMDTTM are live values of the memory manager: that of the kernel, and
	// that of AMD's driver package.
	TTM    Fact[map[string]string] `json:"ttm"`
	AMDTTM Fact[map[string]string] `json:"amdttm"`
	// Closed are the parameters that are there and whose values this user may not
	// read: "amdgpu.tmz".
	Closed []string `json:"closed_parameters,omitempty"`
	// Options are the parameters that somebody set, in the order in which they are
	// applied: of two for one name the later counts.
	Options Fact[[]ParameterSetting] `json:"options"`
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

// A ParameterSetting is one value that somebody gave a module parameter.
type ParameterSetting struct {
	Module string `json:"module"`
	Name   string `json:"name"`  // with underscores, as the kernel compares it
	Value  string `json:"value"` // "" also where there is no =
	Setting
}

// CommandLineFile is where the words of the kernel command line stand.
const CommandLineFile = "/proc/cmdline"

// OnCommandLine reports whether the boot loader sets it.
func (p ParameterSetting) OnCommandLine() bool { return p.File == CommandLineFile }

// Live returns the live values of a module, as far as they were read.
func (d Driver) Live(module string) Fact[map[string]string] {
	switch module {
	case "amdgpu":
		return d.Parameters
	case "ttm":
		return d.TTM
	case "amdttm":
		return d.AMDTTM
	}
	return Fact[map[string]string]{}
}

// Evidence points at the line.
func (s Setting) Evidence() Evidence {
	from := s.File
	if s.Line > 0 {
		from = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return Evidence{From: Source(from), Text: s.Text}
}
