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
	logPatterns   []LogPattern
	permissions   []DistroPermission
}

var knownLinux = sync.OnceValue(loadLinux)

func loadLinux() linuxTable {
	file := load[struct {
		Sources       sources
		Kernels       []row[KernelRule]
		Firmware      []row[FirmwareRule]
		KnownBad      []row[KnownBadKernel] `yaml:"known_bad"`
		Atomics       []row[AtomicsRule]
		FirmwareFiles []row[FirmwareFile] `yaml:"firmware_files"`
		Parameters    []row[Parameter]
		LogPatterns   []row[LogPattern]       `yaml:"log_patterns"`
		Permissions   []row[DistroPermission] `yaml:"distro_permissions"`
	}]("linux.yaml")
	return linuxTable{
		kernels:       rows(file.Sources, file.Kernels),
		firmware:      rows(file.Sources, file.Firmware),
		knownBad:      rows(file.Sources, file.KnownBad),
		atomics:       rows(file.Sources, file.Atomics),
		firmwareFiles: rows(file.Sources, file.FirmwareFiles),
		parameters:    rows(file.Sources, file.Parameters),
		logPatterns:   rows(file.Sources, file.LogPatterns),
		permissions:   rows(file.Sources, file.Permissions),
	}
}

// Parameter is a parameter of a kernel module. Module "kernel" is the kernel command line itself.
type Parameter struct {
	Module, Name string
	Default      string
	Auto         string // what the default -1 means on which GPU
	Values       string
	Meaning      string
	Danger       string
	Tool         string // a program that sets it
	Note         string
	Provenance   `yaml:"-"`
}

// Parameters are the module parameters that matter for compute.
func Parameters() []Parameter { return slices.Clone(knownLinux().parameters) }

// LookupParameter finds a parameter, such as amdgpu and cwsr_enable.
func LookupParameter(module, name string) (Parameter, bool) {
	return find(knownLinux().parameters, func(p Parameter) bool { return p.Module == module && p.Name == name })
}

// DistroPermission is how a distribution ships the device nodes. It explains a finding and never decides one: access
// is decided by the node's own owner, mode and ACL, and by opening it.
type DistroPermission struct {
	Distro     string
	KFD        string // mode and owner of /dev/kfd
	Render     string // of /dev/dri/renderD*
	VideoGID   string `yaml:"video_gid"`
	RenderGID  string `yaml:"render_gid"`
	Note       string
	Provenance `yaml:"-"`
}

// DistroPermissions is what distributions ship.
func DistroPermissions() []DistroPermission { return slices.Clone(knownLinux().permissions) }
