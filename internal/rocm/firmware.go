package rocm

import "slices"

// FirmwareRule names a firmware version that is known to be bad on some GPUs. Only the exact version counts.
type FirmwareRule struct {
	Gfx       []string
	Firmware  string // MES
	Bad, Good uint32
	Line      string   // how its line in amdgpu_firmware_info (debugfs) begins
	Files     []string // below /lib/firmware/amdgpu
	Symptom   string
	Note      string
	Provenance
}

// FirmwareRules are the rules for a GPU.
func FirmwareRules(gfx string) []FirmwareRule {
	return filter(knownLinux().firmware, func(r FirmwareRule) bool { return slices.Contains(r.Gfx, gfx) })
}

// What KFD asks for where the PCIe path completes no atomics (AtomicsRule.Needs).
const (
	NeedsNothing  = "nothing"
	NeedsFirmware = "firmware" // a MEC firmware that does without them
	NeedsAtomics  = "atomics"  // no firmware helps
)

// AtomicsRule says what a GPU needs behind a PCIe path without atomics.
type AtomicsRule struct {
	GC     string // the GC version or versions it holds for; gfx1036 has two
	Gfx    []string
	Needs  string
	MinMEC int `json:"min_mec"` // compare with fw_version of the KFD node
	Note   string
	Provenance
}

// AtomicsRules are the rules for a GPU.
func AtomicsRules(gfx string) []AtomicsRule {
	return filter(knownLinux().atomics, func(r AtomicsRule) bool { return slices.Contains(r.Gfx, gfx) })
}

// FirmwareFile says which files a group of GPUs loads.
type FirmwareFile struct {
	Files string // below /lib/firmware, with {a,b} and <placeholders>
	GPUs  string
	Provenance
}

// FirmwareFiles are the names of firmware files by GPU.
func FirmwareFiles() []FirmwareFile { return slices.Clone(knownLinux().firmwareFiles) }
