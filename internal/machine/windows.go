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
	// Variables that are set for everybody, and for this user; the user's win. A
	// running process may have others.
	Variables     Fact[[]Variable] `json:"variables"`
	UserVariables Fact[[]Variable] `json:"user_variables"`
	// Unclaimed are cards of AMD that the registry has seen on the bus, looked for
	// where no driver of AMD's holds one. It also remembers cards that are gone.
	Unclaimed Fact[[]GPU] `json:"unclaimed"`
}

// A DisplayDriver is the driver of a GPU as the registry describes it.
type DisplayDriver struct {
	Version string       `json:"version"` // "32.0.12033.1030"
	Date    Fact[string] `json:"date"`    // "2025-01-28"
}

// A DLLFolder is a folder with DLLs of HIP.
type DLLFolder struct {
	Place string `json:"place"` // see the constants
	Path  string `json:"path"`
	Owner string `json:"owner,omitempty"` // path of the installation it belongs to
	DLLs  []DLL  `json:"dlls,omitempty"`  // by name
	// Listed is why a folder could not be listed, or how many DLLs of HIP it has.
	Listed Fact[int] `json:"listed"`
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
// holds, else what is known of its version. A folder with several runtimes holds
// copies, or leftovers; then the version decides. It is 0 where nothing tells.
func (m *Machine) HIPMajor(i Installation) int {
	known, ok := rocm.LookupWindowsSDK(i.Version)
	certain := ok && i.How == HowHIPSDK && !known.Unverified
	newest := 0
	for _, d := range m.DLLsOf(i).Runtimes() {
		major, _ := rocm.RuntimeMajor(d.Name)
		if certain && major == known.Major {
			return major
		}
		newest = major
	}
	if newest == 0 && certain {
		return known.Major
	}
	return newest
}

// SDKName calls an installation on Windows what people call it; an SDK whose
// folder is not named for its version goes by the folder.
func (i Installation) SDKName() string {
	switch {
	case i.How == HowWheels:
		return "the wheels of ROCm " + i.Version
	case i.Version == "":
		return "the SDK in " + i.Path
	}
	return "HIP SDK " + i.Version
}

// SamePath reports whether two paths of Windows lead to one place: capitals,
// slashes at the end and short names (PROGRA~1) make no difference.
func SamePath(a, b string) bool {
	x, y := folders(a), folders(b)
	return len(x) == len(y) && sameFolders(x, y)
}

func folders(p string) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(strings.ToLower(p), "/", `\`), `\`), `\`)
}

func sameFolders(x, y []string) bool {
	for n := range x {
		if x[n] != y[n] && !shortFor(x[n], y[n]) && !shortFor(y[n], x[n]) {
			return false
		}
	}
	return true
}

// shortFor reports whether a short name could stand for a long one: its six
// first letters, without blanks, and a number.
func shortFor(short, long string) bool {
	begin, _, isShort := strings.Cut(short, "~")
	return isShort && begin != "" && strings.HasPrefix(strings.NewReplacer(" ", "", ".", "").Replace(long), begin)
}

// HasShortName reports a path with a short name in it, which only Windows itself
// can resolve.
func HasShortName(p string) bool { return strings.Contains(p, "~") }

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
