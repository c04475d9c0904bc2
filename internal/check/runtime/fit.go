package runtime

import (
	"cmp"
	"slices"

	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A fit says how well an SDK suits the driver and a GPU.
type fit struct {
	sdk       machine.Installation
	major     int  // of HIP; 0 where nothing tells
	runs      bool // the driver brings the runtime of its major
	kernels   bool // its rocBLAS holds the GPU
	support   rocm.SDKSupport
	community bool // others have built kernels for it
}

// fits judges the SDKs for the first GPU that software would be installed for,
// the best one first.
func fits(m *machine.Machine) []fit {
	gpus := m.TargetGPUs()
	if len(gpus) == 0 {
		return nil
	}
	gfx := m.EffectiveGfx(gpus[0])
	var out []fit
	for _, i := range m.HIPSDKs() {
		major := m.HIPMajor(i)
		f := fit{sdk: i, major: major, runs: m.DriverRuns(major), kernels: m.HoldsKernels(i, gfx)}
		f.support, _ = rocm.SupportInSDK(folderName(i), gfx)
		_, f.community = rocm.CommunityKernelsFor(folderName(i), gfx)
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b fit) int {
		return cmp.Or(compareFits(b, a), cmp.Compare(grade(b), grade(a)), rocm.CompareVersions(b.sdk.Version, a.sdk.Version))
	})
	return out
}

// folderName is the version as the tables have it.
func folderName(i machine.Installation) string {
	if known, ok := rocm.LookupWindowsSDK(i.Version); ok {
		return known.SDK
	}
	return i.Version
}

// better reports that there is a reason to prefer f: the driver, the kernels, what
// both tables say, or what others built. A newer number alone is none, and neither
// is a table that was not read, nor a major that nothing tells.
func (f fit) better(o fit) bool {
	if f.major == 0 || o.major == 0 {
		return false
	}
	if c := compareFits(f, o); c != 0 {
		return c > 0
	}
	if f.kernels || f.support == rocm.SDKUnknown || o.support == rocm.SDKUnknown {
		return false
	}
	return cmp.Or(cmp.Compare(grade(f), grade(o)), rank(f.community)-rank(o.community)) > 0
}

// compareFits looks at what was found on the machine.
func compareFits(a, b fit) int {
	return cmp.Or(rank(a.runs)-rank(b.runs), rank(a.kernels)-rank(b.kernels))
}

func grade(f fit) int {
	return slices.Index([]rocm.SDKSupport{rocm.SDKDropped, rocm.SDKUnlisted, rocm.SDKUnknown, rocm.SDKRuntimeOnly, rocm.SDKLibraries}, f.support)
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}
