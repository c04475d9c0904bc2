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
		f := fit{sdk: i, runs: m.DriverRuns(m.HIPMajor(i))}
		for _, k := range m.KernelFolders(machine.RocBLAS) {
			f.kernels = f.kernels || k.Owner == i.Path && k.Holds(gfx)
		}
		f.support, _ = rocm.SupportInSDK(folderName(i), gfx)
		_, f.community = rocm.CommunityKernelsFor(folderName(i), gfx)
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b fit) int {
		return cmp.Or(b.better(a), rocm.CompareVersions(b.sdk.Version, a.sdk.Version))
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

// better is 1 where f suits better than o, -1 where worse. A newer number alone
// is no reason.
func (f fit) better(o fit) int {
	grade := func(f fit) int {
		return slices.Index([]rocm.SDKSupport{rocm.SDKDropped, rocm.SDKUnlisted, rocm.SDKUnknown, rocm.SDKRuntimeOnly, rocm.SDKLibraries}, f.support)
	}
	return cmp.Or(
		cmp.Compare(number(f.runs), number(o.runs)),
		cmp.Compare(number(f.kernels), number(o.kernels)),
		cmp.Compare(grade(f), grade(o)),
		cmp.Compare(number(f.community), number(o.community)),
	)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
