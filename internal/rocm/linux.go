package rocm

import (
	"slices"
	"sync"
)

type linuxTable struct {
	kernels       []KernelRule
	firmware      []FirmwareRule
	knownBad      []KnownBadKernel
	atomics       []AtomicsRule
	firmwareFiles []FirmwareFile
	parameters    []Parameter
	names         []parameterNames
	memory        []MemoryRule
	logPatterns   []LogPattern
	permissions   []DistroPermission
}

// linuxFile is the embedded table.
type linuxFile struct {
	Kernels       []KernelRule
	Firmware      []FirmwareRule
	KnownBad      []KnownBadKernel `json:"known_bad"`
	Atomics       []AtomicsRule
	FirmwareFiles []FirmwareFile `json:"firmware_files"`
	Parameters    []Parameter
	Names         []parameterNames `json:"parameter_names"`
	Memory        []MemoryRule
	LogPatterns   []LogPattern       `json:"log_patterns"`
	Permissions   []DistroPermission `json:"distro_permissions"`
}

var knownLinux = sync.OnceValue(loadLinux)

func loadLinux() linuxTable {
	file := load[linuxFile]("linux")
	return linuxTable{
		kernels:       file.Kernels,
		firmware:      file.Firmware,
		knownBad:      file.KnownBad,
		atomics:       file.Atomics,
		firmwareFiles: file.FirmwareFiles,
		parameters:    file.Parameters,
		names:         file.Names,
		memory:        file.Memory,
		logPatterns:   file.LogPatterns,
		permissions:   file.Permissions,
	}
}

// DistroPermission is how a distribution ships the device nodes. It explains a finding and never decides one: access
// is decided by the node's own owner, mode and ACL, and by opening it.
type DistroPermission struct {
	Distro    string
	KFD       string // mode and owner of /dev/kfd
	Render    string // of /dev/dri/renderD*
	VideoGID  string `json:"video_gid"`
	RenderGID string `json:"render_gid"`
	Note      string
	Provenance
}

// DistroPermissions is what distributions ship.
func DistroPermissions() []DistroPermission { return slices.Clone(knownLinux().permissions) }
