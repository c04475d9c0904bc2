package rocm

import (
	"slices"
	"strings"
	"sync"
)

// WindowsSDK is a HIP SDK for Windows, by the name of its folder ("6.2").
type WindowsSDK struct {
	SDK       string
	Release   string // "6.2.4"
	Major     int    // of HIP: what is built for one runs with no other
	Comgr     []string
	Variables []string
	Provenance
}

// SDKCoverage is AMD's table of GPUs for one SDK, or what is believed besides.
type SDKCoverage struct {
	SDK         string
	Libraries   []string // the whole SDK
	RuntimeOnly []string `json:"runtime_only"` // the HIP runtime, without libraries
	Unsupported []string
	Dropped     []string
	Unread      []string // GPUs whose part of the table was not read
	Partial     bool     // the table was not read to its end
	OS          string   // the system it is for
	Build       int      // the oldest build of that system
	Provenance
}

// DriverDLL is a HIP runtime that the display driver brings.
type DriverDLL struct {
	DLL   string
	Major int
	Comgr string // the DLL that it loads to read code objects
	From  string // drivers that have it
	Provenance
}

// WindowsRule is a rule of how DLLs are found and fit together.
type WindowsRule struct {
	ID   string
	Text string
	Provenance
}

// CommunityKernels are kernels for rocBLAS that people built for GPUs which AMD leaves out.
type CommunityKernels struct {
	Project  string
	Provides string
	SDKs     map[string]string // the release of the project by SDK
	Gfx      []string
	XNACK    []string          // built with the setting in their names
	Notes    map[string]string // what the project says of its kernels for a GPU
	Provenance
}

// KernelArchive is one archive of such a project.
type KernelArchive struct {
	Project string
	SDK     string
	Gfx     []string
	Name    string
	SHA256  string `json:",omitempty"` // where its makers, or somebody who is named as the source, state it
	Provenance
}

// KernelArchiveBySum finds an archive by its SHA-256.
func KernelArchiveBySum(sum string) (KernelArchive, bool) {
	return find(knownWindows().Archives, func(a KernelArchive) bool { return a.SHA256 != "" && a.SHA256 == sum && !a.Unverified })
}

// windowsFile is the embedded table.
type windowsFile struct {
	SDKs       []WindowsSDK
	Coverage   []SDKCoverage
	DriverDLLs []DriverDLL `json:"driver_dlls"`
	Rules      []WindowsRule
	Community  []CommunityKernels `json:"community_kernels"`
	Archives   []KernelArchive
}

var knownWindows = sync.OnceValue(func() windowsFile { return load[windowsFile]("windows") })

// WindowsSDKs are the known HIP SDKs, oldest first.
func WindowsSDKs() []WindowsSDK { return slices.Clone(knownWindows().SDKs) }

// LookupWindowsSDK finds an SDK by its version, "6.2" or "6.2.4".
func LookupWindowsSDK(version string) (WindowsSDK, bool) {
	return find(knownWindows().SDKs, func(s WindowsSDK) bool {
		return s.SDK == version || s.Release == version || strings.HasPrefix(version, s.SDK+".")
	})
}

// SDKOfVariable finds an SDK by the variable that its installer sets for it alone, HIP_PATH_62.
func SDKOfVariable(name string) (WindowsSDK, bool) {
	return find(knownWindows().SDKs, func(s WindowsSDK) bool { return name != "HIP_PATH" && slices.Contains(s.Variables, name) })
}

// NewestSDKFor is the newest SDK whose table has a GPU with its libraries, and whose major can be run.
func NewestSDKFor(gfx string, runs func(major int) bool) (WindowsSDK, bool) {
	for _, s := range slices.Backward(knownWindows().SDKs) {
		if support, _ := SupportInSDK(s.SDK, gfx); support == SDKLibraries && !s.Unverified && runs(s.Major) {
			return s, true
		}
	}
	return WindowsSDK{}, false
}

// WindowsFor is the row that says which Windows an SDK is for.
func WindowsFor(sdk string) (SDKCoverage, bool) {
	return find(knownWindows().Coverage, func(c SDKCoverage) bool { return c.SDK == sdk && c.Build > 0 && !c.Unverified })
}

// DriverDLLs are the HIP runtimes that drivers have brought, oldest first.
func DriverDLLs() []DriverDLL { return slices.Clone(knownWindows().DriverDLLs) }

// RuntimeMajor tells the major of HIP from the name of its DLL.
func RuntimeMajor(dll string) (int, bool) {
	d, ok := find(knownWindows().DriverDLLs, func(d DriverDLL) bool { return strings.EqualFold(d.DLL, dll) })
	return d.Major, ok
}

// DriverDLLOf is the runtime of one major.
func DriverDLLOf(major int) (DriverDLL, bool) {
	return find(knownWindows().DriverDLLs, func(d DriverDLL) bool { return d.Major == major })
}

// ComgrNames are the names of the DLL that a runtime of this major loads to read code objects, the driver's own first.
func ComgrNames(major int) []string {
	d, ok := DriverDLLOf(major)
	if !ok {
		return nil
	}
	names := []string{d.Comgr}
	for _, s := range knownWindows().SDKs {
		for _, name := range s.Comgr {
			if s.Major == major && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// LookupWindowsRule returns a rule by its id.
func LookupWindowsRule(id string) (WindowsRule, bool) {
	return find(knownWindows().Rules, func(r WindowsRule) bool { return r.ID == id })
}

// WindowsVariables are the names by which SDKs are found, HIP_PATH first.
func WindowsVariables() []string {
	var names []string
	for _, s := range knownWindows().SDKs {
		for _, v := range s.Variables {
			if !slices.Contains(names, v) {
				names = append(names, v)
			}
		}
	}
	return names
}

// SDKSupport says what an SDK offers a GPU.
type SDKSupport string

// The kinds of support, best first.
const (
	SDKLibraries   SDKSupport = "libraries"
	SDKRuntimeOnly SDKSupport = "runtime only"
	SDKUnlisted    SDKSupport = "unlisted" // the table does not name it
	SDKUnknown     SDKSupport = "unknown"  // the table was not published, or not read
	SDKDropped     SDKSupport = "dropped"
)

// SupportInSDK is what AMD's table says of a GPU. Rows that nobody verified can only keep it from being called unlisted.
func SupportInSDK(sdk, gfx string) (SDKSupport, SDKCoverage) {
	best, row := SDKUnknown, SDKCoverage{}
	for _, c := range knownWindows().Coverage {
		if c.SDK != sdk {
			continue
		}
		s := c.supports(gfx)
		switch {
		case c.Unverified && s == SDKLibraries && best != SDKLibraries:
			best, row = SDKUnknown, c
		case !c.Unverified:
			best, row = s, c
		}
	}
	return best, row
}

func (c SDKCoverage) supports(gfx string) SDKSupport {
	switch {
	case slices.Contains(c.Libraries, gfx):
		return SDKLibraries
	case slices.Contains(c.RuntimeOnly, gfx):
		return SDKRuntimeOnly
	case slices.Contains(c.Dropped, gfx):
		return SDKDropped
	case slices.Contains(c.Unsupported, gfx):
		return SDKUnlisted
	case len(c.Libraries) == 0 || c.Partial || slices.Contains(c.Unread, gfx):
		return SDKUnknown
	}
	return SDKUnlisted
}

// A CommunityOffer is where kernels for one GPU and one SDK are to be had.
type CommunityOffer struct {
	CommunityKernels
	Release string // of the project; "" where it has none for each SDK
	Archive string // its name, where it is known
}

// CommunityKernelsFor finds kernels that people built for a GPU and an SDK.
func CommunityKernelsFor(sdk, gfx string) (CommunityOffer, bool) {
	k, ok := find(knownWindows().Community, func(k CommunityKernels) bool {
		_, built := k.SDKs[sdk]
		return built && slices.Contains(k.Gfx, gfx) && !k.Unverified
	})
	if !ok {
		return CommunityOffer{}, false
	}
	archive, _ := find(knownWindows().Archives, func(a KernelArchive) bool {
		return a.Project == k.Project && a.SDK == sdk && slices.Contains(a.Gfx, gfx)
	})
	return CommunityOffer{k, k.SDKs[sdk], archive.Name}, true
}

// CompareVersions compares two versions number by number: "10.0.3617.0" is older than "10.0.3640.0".
func CompareVersions(a, b string) int {
	x, _ := leadingNumbers(a)
	y, _ := leadingNumbers(b)
	return compareNumbers(x, y)
}
