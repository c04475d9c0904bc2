package machine

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// HowHIPSDK is an installation by AMD's installer for Windows.
const HowHIPSDK = "HIP SDK"

// Windows is what only a machine with Windows has.
type Windows struct {
	Driver Fact[DisplayDriver] `json:"driver"` // of the first AMD GPU
	// Folders that hold DLLs of HIP: the system's, those of SDKs, of wheels, and
	// on PATH.
	Folders Fact[[]DLLFolder] `json:"folders"`
	// Variables that are set for everybody; a running process may have others.
	Variables Fact[[]Variable] `json:"variables"`
}

// A DisplayDriver is the driver of a GPU as the registry describes it.
type DisplayDriver struct {
	Version string       `json:"version"` // "32.0.12033.1030"
	Date    Fact[string] `json:"date"`
}

// A DLLFolder is a folder with DLLs of HIP.
type DLLFolder struct {
	Place string `json:"place"` // see the constants
	Path  string `json:"path"`
	Owner string `json:"owner,omitempty"` // path of the installation it belongs to
	DLLs  []DLL  `json:"dlls,omitempty"`  // by name
	// OnPath counts the folders of ROCm on PATH, from 1; 0 is not on PATH.
	OnPath int `json:"on_path,omitempty"`
}

// The places of DLLs.
const (
	PlaceDriver = "driver" // C:\Windows\System32, where the display driver puts its runtime
	PlaceSDK    = "HIP SDK"
	PlaceWheels = "wheels"
	PlacePath   = "PATH"
)

// A DLL is one library, with the version that its file states.
type DLL struct {
	Name    string       `json:"name"`
	Version Fact[string] `json:"version"`
}

// Has finds a DLL by name, as Windows does: capitals do not count.
func (f DLLFolder) Has(name string) (DLL, bool) {
	i := slices.IndexFunc(f.DLLs, func(d DLL) bool { return strings.EqualFold(d.Name, name) })
	if i < 0 {
		return DLL{}, false
	}
	return f.DLLs[i], true
}

// Comgr returns the DLLs that read code objects.
func (f DLLFolder) Comgr() []DLL {
	return slices.DeleteFunc(slices.Clone(f.DLLs), func(d DLL) bool { return !strings.HasPrefix(strings.ToLower(d.Name), "amd_comgr") })
}

// Runtimes returns the DLLs of the HIP runtime, oldest major first.
func (f DLLFolder) Runtimes() []DLL {
	var out []DLL
	for _, known := range rocm.DriverDLLs() {
		if d, there := f.Has(known.DLL); there {
			out = append(out, d)
		}
	}
	return out
}

// FoldersOnPath returns the folders with DLLs that are on PATH, in its order.
func (m *Machine) FoldersOnPath() []DLLFolder {
	found := slices.DeleteFunc(slices.Clone(m.Windows.Folders.Value), func(f DLLFolder) bool { return f.OnPath == 0 })
	slices.SortFunc(found, func(a, b DLLFolder) int { return a.OnPath - b.OnPath })
	return found
}

// DriverFolder is where the display driver puts its runtime.
func (m *Machine) DriverFolder() DLLFolder {
	for _, f := range m.Windows.Folders.Value {
		if f.Place == PlaceDriver {
			return f
		}
	}
	return DLLFolder{Place: PlaceDriver}
}

// DLLsOf returns the folder with the DLLs of an installation.
func (m *Machine) DLLsOf(i Installation) DLLFolder {
	for _, f := range m.Windows.Folders.Value {
		if f.Owner == i.Path {
			return f
		}
	}
	return DLLFolder{Owner: i.Path}
}

// HIPSDKs returns the SDKs, oldest first.
func (m *Machine) HIPSDKs() []Installation {
	var out []Installation
	for _, i := range m.ROCm.Value {
		if i.How == HowHIPSDK {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b Installation) int { return rocm.CompareVersions(a.Version, b.Version) })
	return out
}

// HIPMajor is the major of HIP of an installation on Windows: what its folder
// holds, else what is known of its version. It is 0 where nothing tells.
func (m *Machine) HIPMajor(i Installation) int {
	if known, ok := rocm.LookupWindowsSDK(i.Version); ok {
		return known.Major
	}
	if dlls := m.DLLsOf(i).Runtimes(); len(dlls) > 0 {
		major, _ := rocm.RuntimeMajor(dlls[len(dlls)-1].Name)
		return major
	}
	return 0
}

// DriverRuns reports whether the display driver brings a runtime of this major.
func (m *Machine) DriverRuns(major int) bool {
	d, known := rocm.DriverDLLOf(major)
	_, there := m.DriverFolder().Has(d.DLL)
	return known && there
}

// EnvironmentMajor is the major of HIP that the wheels of the Python environment
// bring; 0 where there are none.
func (m *Machine) EnvironmentMajor() int {
	for _, i := range m.ROCm.Value {
		if i.How == HowWheels {
			return m.HIPMajor(i)
		}
	}
	return 0
}
