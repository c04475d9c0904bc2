package machine

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A PythonEnvironment is one interpreter with the packages that it sees.
type PythonEnvironment struct {
	Prefix string `json:"prefix"`
	Kind   string `json:"kind"`             // venv, conda, system …
	Why    string `json:"why"`              // what led to it
	Active bool   `json:"active,omitempty"` // a plain "python" is this one
	Python string `json:"python,omitempty"` // "3.12.3"
	// Installer put the packages in that compute: pip, uv, conda.
	Installer string `json:"installer,omitempty"`
	// Packages is how many distributions were seen; only those that concern GPUs
	// are kept.
	Packages int `json:"packages"`
	// Read says that what each of them says of itself was read, too.
	Read bool `json:"read,omitempty"`
	// Closed are folders and files that this user may not read.
	Closed  []string        `json:"closed,omitempty"`
	Watched []PythonPackage `json:"watched,omitempty"`
	// Vendor are distributions of NVIDIA's and AMD's own libraries, by name.
	Vendor []VendorPackage    `json:"vendor,omitempty"`
	Unmet  []UnmetRequirement `json:"unmet,omitempty"`
	Faults []PythonFault      `json:"faults,omitempty"`
	// Apart are packages whose code was not looked into: zipped, or in a folder
	// that somebody works in.
	Apart []PythonFault `json:"apart,omitempty"`
}

// A PythonDistribution is a package as it is installed.
type PythonDistribution struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Path    string `json:"path"` // of its metadata
}

// A VendorPackage holds libraries of NVIDIA's or AMD's for others to use.
type VendorPackage struct {
	PythonDistribution
	NeededBy []string `json:"needed_by,omitempty"` // packages that ask for it
}

// A PythonPackage is a package that computes on GPUs, or breaks those that do.
type PythonPackage struct {
	Package string `json:"package"` // "onnxruntime" of the distribution onnxruntime-gpu
	PythonDistribution
	Build Fact[PythonBuild] `json:"build"`
	// Origin is where it came from, if not from an index: a file, a repository, a
	// folder that somebody works in.
	Origin string `json:"origin,omitempty"`
	// DeviceExtras are the GPUs for which the code lies in a package of its own.
	DeviceExtras []string `json:"device_extras,omitempty"`
	// Code is what its library holds, from the bytes.
	Code Fact[PythonCode] `json:"code,omitzero"`
	// Libraries are those of its files that give its build away.
	Libraries []string `json:"libraries,omitempty"`
	// Shadows is where the same package lies a second time, further down the
	// search path.
	Shadows []string `json:"shadows,omitempty"`
}

// A PythonBuild is what a build of a package is made for.
type PythonBuild struct {
	Kind rocm.BuildKind `json:"kind"`
	// Mixed says in what its parts contradict each other; "" where they agree.
	Mixed    string     `json:"mixed,omitempty"`
	Inferred bool       `json:"inferred,omitempty"` // from the version alone, as PyPI serves it
	ROCm     string     `json:"rocm,omitempty"`     // "6.4"
	HIP      string     `json:"hip,omitempty"`      // "6.4.43482"
	CUDA     string     `json:"cuda,omitempty"`     // "12.8"
	Evidence []Evidence `json:"evidence,omitempty"`
}

// PythonCode are the GPUs that a library holds code for.
type PythonCode struct {
	Targets []string `json:"targets"`
	All     bool     `json:"all,omitempty"` // all of the library was looked at, not only its beginning
}

// An UnmetRequirement is a package that another one asks for and does not get.
type UnmetRequirement struct {
	By          PythonDistribution `json:"by"`
	Name        string             `json:"name"`
	Requirement string             `json:"requirement"`       // "numpy<2.4,>=1.22", "a[x]>=2"
	Address     bool               `json:"address,omitempty"` // it is asked for by an address, not by a version
	Found       string             `json:"found,omitempty"`
	FoundPath   string             `json:"found_path,omitempty"`
}

// Missing reports a package that is not there at all.
func (u UnmetRequirement) Missing() bool { return u.Found == "" }

// A PythonFault is something among the packages that is not as it should be.
type PythonFault struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// Has finds a watched package.
func (e PythonEnvironment) Has(name string) (PythonPackage, bool) {
	i := slices.IndexFunc(e.Watched, func(p PythonPackage) bool { return p.Package == name })
	if i < 0 {
		return PythonPackage{}, false
	}
	return e.Watched[i], true
}

func (e PythonEnvironment) windows() bool { return strings.Contains(e.Prefix, `\`) }

// Interpreter is the command that runs Python in the environment.
func (e PythonEnvironment) Interpreter() string {
	switch {
	case e.windows() && slices.Contains([]string{"venv", "uv-tool", "pipx"}, e.Kind):
		return e.Prefix + `\Scripts\python.exe`
	case e.windows():
		return e.Prefix + `\python.exe`
	case e.Kind == "system":
		return "python3"
	}
	return strings.TrimSuffix(e.Prefix, "/") + "/bin/python"
}

// MinorVersion is "3.12" of "3.12.3".
func MinorVersion(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// Pip is the command that installs, uninstalls or lists packages of the
// environment, word by word: one that uv made has no pip.
func (e PythonEnvironment) Pip(verb string) []string {
	if e.Installer == "uv" {
		return []string{"uv", "pip", verb, "--python", e.Interpreter()}
	}
	command := []string{e.Interpreter(), "-m", "pip", verb}
	if e.Kind == "system" && !e.windows() {
		// PEP 668: where a distribution forbids it, as in its images, pip must be
		// told. A pip that does not know of it passes the variable over.
		command = append([]string{"env", "PIP_BREAK_SYSTEM_PACKAGES=1"}, command...)
	}
	if verb == "uninstall" {
		command = append(command, "-y")
	}
	return command
}

// NVIDIA vendor name, as used in GPU.Vendor.
const NVIDIA = "nvidia"

// NVIDIAGPUs returns the GPUs of NVIDIA.
func (m *Machine) NVIDIAGPUs() []GPU {
	return slices.DeleteFunc(slices.Clone(m.GPUs.Value), func(g GPU) bool { return g.Vendor != NVIDIA })
}
