// Package machine describes what one computer is at one moment: plain facts, each with its source, and no judgement.
package machine

// A Machine is everything a check may know of a computer.
type Machine struct {
	OS string `json:"os"` // "linux", "windows"; "" is unread

	Kernel      Fact[string]     `json:"kernel"`       // release, "6.8.0-45-generic"
	CommandLine Fact[string]     `json:"command_line"` // of the kernel
	Distro      Fact[Distro]     `json:"distro"`
	Container   Fact[Container]  `json:"container"` // absent: a plain host
	Hypervisor  Fact[string]     `json:"hypervisor"`
	SELinux     Fact[string]     `json:"selinux"` // enforcing, permissive
	SecureBoot  Fact[bool]       `json:"secure_boot"`
	Process     Fact[Process]    `json:"process"`
	Caller      Fact[Account]    `json:"caller"` // who called sudo
	Groups      Fact[[]Group]    `json:"groups"` // the group file
	Variables   Fact[[]Variable] `json:"variables"`

	VariableSources Fact[[]VariableSource] `json:"variable_sources"` // lines of files that shells read
	VariablePaths   Fact[[]VariablePath]   `json:"variable_paths"`   // what set variables point to

	KFD         Node         `json:"kfd"`
	RenderNodes Fact[[]Node] `json:"render_nodes"`
	Cards       Fact[[]Node] `json:"cards"`
	DXG         Fact[bool]   `json:"dxg"` // /dev/dxg: WSL2 lends the GPU of Windows

	Driver    Driver                    `json:"driver"`
	Memory    Memory                    `json:"memory"`
	GPUs      Fact[[]GPU]               `json:"gpus"`
	ROCm      Fact[[]Installation]      `json:"rocm"`
	Python    Fact[[]PythonEnvironment] `json:"python"`
	Linkage   Fact[Linkage]             `json:"linkage,omitzero"`   // of what uses ROCm
	Kernels   Fact[[]KernelFolder]      `json:"kernels"`            // absent: no library with a folder of kernels
	Libraries Fact[[]CodeLibrary]       `json:"libraries,omitzero"` // of ROCm, by the code in them
	KernelLog Fact[[]string]            `json:"kernel_log"`         // lines of the GPU's driver
	Caches    Caches                    `json:"caches"`

	Windows Windows `json:"windows,omitzero"`
}

// A Distro is a distribution as /etc/os-release names it.
type Distro struct {
	ID      string   `json:"id"` // "ubuntu"
	Version string   `json:"version,omitempty"`
	Name    string   `json:"name"` // "Ubuntu 24.04.1 LTS"
	Like    []string `json:"like,omitempty"`
	// Immutable systems are replaced as a whole: packages are not installed one
	// by one.
	Immutable bool `json:"immutable,omitempty"`
}

// A Container is the kind of box that a process runs in.
type Container struct {
	Kind     string `json:"kind"` // docker, podman, kubernetes, lxc, apptainer, systemd-nspawn, container
	Rootless bool   `json:"rootless"`
}

// A Process is who is asking.
type Process struct {
	UID    uint32    `json:"uid"`  // effective
	GID    uint32    `json:"gid"`  // effective
	Name   string    `json:"name"` // "" where nobody has this uid
	Groups []uint32  `json:"groups"`
	UIDMap []IDRange `json:"uid_map,omitempty"`
	GIDMap []IDRange `json:"gid_map,omitempty"`
}

// An IDRange maps ids of a user namespace to its parent.
type IDRange struct {
	Inside  uint32 `json:"inside"`
	Outside uint32 `json:"outside"`
	Count   uint32 `json:"count"`
}

// HasGroup reports whether the kernel counts the process to the group.
func (p Process) HasGroup(gid uint32) bool {
	if p.GID == gid {
		return true
	}
	for _, g := range p.Groups {
		if g == gid {
			return true
		}
	}
	return false
}

// InUserNamespace reports whether ids are translated on the way to the host.
func (p Process) InUserNamespace() bool {
	whole := func(m []IDRange) bool {
		return len(m) == 0 || len(m) == 1 && m[0].Inside == 0 && m[0].Outside == 0 && m[0].Count >= 1<<31
	}
	return !whole(p.UIDMap) || !whole(p.GIDMap)
}

// An Account is a user as the system's files describe them.
type Account struct {
	Name   string   `json:"name"`
	UID    uint32   `json:"uid"`
	GID    uint32   `json:"gid"`
	Groups []uint32 `json:"groups"` // from the group file
}

// A Group is one line of the group file.
type Group struct {
	Name    string   `json:"name"`
	GID     uint32   `json:"gid"`
	Members []string `json:"members,omitempty"`
}

// GroupName returns the name the group file gives a number, or "".
func (m *Machine) GroupName(gid uint32) string {
	for _, g := range m.Groups.Value {
		if g.GID == gid {
			return g.Name
		}
	}
	return ""
}

// GroupNamed finds a group by name.
func (m *Machine) GroupNamed(name string) (Group, bool) {
	for _, g := range m.Groups.Value {
		if g.Name == name {
			return g, true
		}
	}
	return Group{}, false
}

// A Variable is one environment variable that is set, perhaps to nothing.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Variable returns a set variable.
func (m *Machine) Variable(name string) (value string, set bool) {
	for _, v := range m.Variables.Value {
		if v.Name == name {
			return v.Value, true
		}
	}
	return "", false
}

// An Installation is one ROCm user space on the machine.
type Installation struct {
	Version string `json:"version"` // "7.2.0"; "" where nothing tells
	Path    string `json:"path"`
	How     string `json:"how"` // see the constants
	From    Source `json:"from"`
	Torch   string `json:"torch,omitempty"` // the torch that brings it along, "2.9.1+rocm6.4"
}

// How an installation came to be: advice follows it.
const (
	HowAMDPackages  = "AMD packages"
	HowDistribution = "distribution packages"
	HowWheels       = "TheRock wheels"
	HowTorchWheel   = "inside a torch wheel"
	HowUnpackaged   = "no package owns it"
)
