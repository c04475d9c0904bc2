package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// askedAbout are the causes for which "use another release of ROCm" is the usual advice.
var askedAbout = []string{
	"no-kernel-image-for-arch", "missing-tensile-kernels", "unsupported-arch-dropped", "hsa-override-needed", "build-wrong-arch-list",
}

// anotherRelease answers that advice from what is known: which releases carry kernels for this GPU, and whether there is
// a torch that goes with it for this Python. It is empty where nothing is known.
func anotherRelease(gfx, python string) string {
	if _, known := rocm.LookupTarget(gfx); !known {
		return ""
	}
	with, all := shippedIn(gfx)
	var out string
	switch {
	case len(all) == 0:
		return ""
	case len(with) == 0:
		out = fmt.Sprintf("An older ROCm does not help: from %s to %s, AMD's rocBLAS has no kernels for %s.", all[0], all[len(all)-1], gfx)
	case len(with) == len(all):
		out = fmt.Sprintf("The release of ROCm is hardly what is wrong: from %s to %s, AMD's rocBLAS has kernels for %s.", all[0], all[len(all)-1], gfx)
	default:
		out = fmt.Sprintf("Of the releases from %s to %s, AMD's rocBLAS has kernels for %s in %s alone. Packages of a release are made for the"+
			" distributions and kernels of its time: try its container image before you change the system.", all[0], all[len(all)-1], gfx, runs(with, all))
	}
	on := ""
	if python != "" {
		on = " on Python " + python
	}
	if torch, offered := rocm.TorchFor(gfx, python, ""); offered {
		return out + fmt.Sprintf(" torch %s for ROCm %s holds code for it%s.", torch.Version, torch.ROCm, on)
	}
	return out + fmt.Sprintf(" No torch of pytorch.org is known to hold code for it%s.", on)
}

// shippedIn returns the releases whose rocBLAS has kernels for a GPU, and all of which that is known, the oldest first.
func shippedIn(gfx string) (with, all []string) {
	for _, r := range rocm.Releases() {
		if c, known := rocm.KernelsShipped("rocBLAS", r.Version, gfx); known && !c.Unverified {
			all = append(all, r.Version)
			if c.Covered {
				with = append(with, r.Version)
			}
		}
	}
	slices.SortFunc(with, rocm.CompareKernel) // versions of either are numbers and dots
	slices.SortFunc(all, rocm.CompareKernel)
	return with, all
}

// runs names releases that follow each other by the first and the last.
func runs(with, all []string) string {
	var out []string
	first := ""
	for i, v := range all {
		if !slices.Contains(with, v) {
			continue
		}
		if first == "" {
			first = v
		}
		if i+1 < len(all) && slices.Contains(with, all[i+1]) {
			continue
		}
		if first != v {
			first += " to " + v
		}
		out, first = append(out, first), ""
	}
	return strings.Join(out, " and ")
}
