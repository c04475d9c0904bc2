package rocm

import (
	"strings"
	"sync"
)

// TorchWheel says which GPUs a torch wheel of pytorch.org holds code for.
type TorchWheel struct {
	Torch    string // "2.9.x" is every patch release
	Variants []TorchVariant
	Status   string // how the list was learnt
	Provenance
}

// TorchVariant is the list of one build of a release.
type TorchVariant struct {
	ROCm string // "6.0", "<4.3", ">=4.3"; empty for all builds
	Gfx  []string
}

// torchFile is the embedded table.
type torchFile struct{ Torch []TorchWheel }

var knownTorch = sync.OnceValue(func() []TorchWheel { return load[torchFile]("torch").Torch })

// TorchTargets are the targets in a torch wheel, by its version with the build ("2.9.1+rocm6.4"). It is not ok for a
// version or build that the table lacks.
func TorchTargets(version string) (gfx []string, wheel TorchWheel, ok bool) {
	release, build, isROCm := strings.Cut(version, "+rocm")
	if !isROCm {
		return nil, TorchWheel{}, false
	}
	wheel, ok = find(knownTorch(), func(w TorchWheel) bool { return sameRelease(w.Torch, release) })
	if !ok {
		return nil, TorchWheel{}, false
	}
	v, ok := find(wheel.Variants, func(v TorchVariant) bool { return v.holdsFor(build) })
	return v.Gfx, wheel, ok
}

func sameRelease(pattern, release string) bool {
	prefix, wild := strings.CutSuffix(pattern, "x")
	return pattern == release || wild && strings.HasPrefix(release, prefix)
}

func (v TorchVariant) holdsFor(build string) bool {
	if below, ok := strings.CutPrefix(v.ROCm, "<"); ok {
		return CompareKernel(build, below) < 0
	}
	if least, ok := strings.CutPrefix(v.ROCm, ">="); ok {
		return CompareKernel(build, least) >= 0
	}
	return v.ROCm == "" || build == v.ROCm || strings.HasPrefix(build, v.ROCm+".")
}
