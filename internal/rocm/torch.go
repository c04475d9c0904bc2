package rocm

import (
	"slices"
	"strings"
	"sync"
)

// TorchWheel says which GPUs a torch wheel of pytorch.org holds code for.
type TorchWheel struct {
	Torch    string // "2.9.x" is every patch release
	Variants []TorchVariant
	Status   string   // how the list was learnt
	Builds   []string // releases of ROCm that it is built for, oldest first
	Python   []string // versions with wheels
	// The releases of its companions, "0.24.x".
	Torchvision, Torchaudio string
	Provenance
}

// TorchVariant is the list of one build of a release.
type TorchVariant struct {
	ROCm string // "6.0", "<4.3", ">=4.3"; empty for all builds
	Gfx  []string
}

// torchFile is the embedded table.
type torchFile struct {
	Torch []TorchWheel
	Index torchIndex
}

type torchIndex struct {
	Address string
	Provenance
}

var knownTorchFile = sync.OnceValue(func() torchFile { return load[torchFile]("torch") })

func knownTorch() []TorchWheel { return knownTorchFile().Torch }

// TorchTargets are the targets in a torch wheel of pytorch.org, by its version with the build ("2.9.1+rocm6.4"). It is
// not ok for a version or build that pytorch.org did not publish: AMD's own wheels ("+rocm7.2.0.lw.git7e1940d4"),
// nightly and own builds have lists of their own.
func TorchTargets(version string) (gfx []string, wheel TorchWheel, ok bool) {
	release, build, isROCm := strings.Cut(version, "+rocm")
	if !isROCm || !isRelease(release) || !isRelease(build) {
		return nil, TorchWheel{}, false
	}
	wheel, ok = find(knownTorch(), func(w TorchWheel) bool { return sameRelease(w.Torch, release) })
	if !ok {
		return nil, TorchWheel{}, false
	}
	published := slices.ContainsFunc(wheel.Builds, func(b string) bool { return build == b || strings.HasPrefix(build, b+".") })
	v, ok := find(wheel.Variants, func(v TorchVariant) bool { return v.holdsFor(build) && (published || v.ROCm != "") })
	return v.Gfx, wheel, ok
}

// isRelease reports numbers and dots, and nothing else.
func isRelease(version string) bool {
	return version != "" && strings.Trim(version, "0123456789.") == ""
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

// TorchChoice is a torch of pytorch.org that fits a machine.
type TorchChoice struct {
	Version string // for pip: "2.14.0", "2.12.*"
	ROCm    string
	Index   string // the address for pip
	Provenance
}

// TorchFor finds the torch of pytorch.org that holds code for a GPU and has wheels for a version of Python ("3.12"; any
// where it is empty): the release that is asked for ("2.9.1") where it has such a build, else the newest that has one.
// These wheels are for Linux.
func TorchFor(gfx, python, release string) (TorchChoice, bool) {
	release, _, _ = strings.Cut(release, "+")
	if w, ok := find(knownTorch(), func(w TorchWheel) bool { return sameRelease(w.Torch, release) }); ok {
		version := release
		if !isRelease(release) { // a nightly build, or one of conda: such numbers are not published there
			version = w.pattern()
		}
		if c, ok := w.choice(gfx, python, version); ok {
			return c, true
		}
	}
	for _, w := range slices.Backward(knownTorch()) {
		if c, ok := w.choice(gfx, python, w.pattern()); ok {
			return c, true
		}
	}
	return TorchChoice{}, false
}

// pattern is the release as pip reads it: "2.12.*".
func (w TorchWheel) pattern() string { return strings.Replace(w.Torch, ".x", ".*", 1) }

// TorchCompanion is the release of torchvision or torchaudio that goes with a torch ("0.24.x"). It is not ok where the
// table does not say.
func TorchCompanion(torch, companion string) (string, bool) {
	release, _, _ := strings.Cut(torch, "+")
	w, ok := find(knownTorch(), func(w TorchWheel) bool { return sameRelease(w.Torch, release) })
	want := map[string]string{"torchvision": w.Torchvision, "torchaudio": w.Torchaudio}[companion]
	return want, ok && want != ""
}

// SameRelease reports whether a version is of a release ("0.24.x").
func SameRelease(pattern, version string) bool {
	version, _, _ = strings.Cut(version, "+")
	return sameRelease(pattern, version)
}

// choice is the newest build of a release that fits.
func (w TorchWheel) choice(gfx, python, version string) (TorchChoice, bool) {
	if python != "" && !slices.Contains(w.Python, python) {
		return TorchChoice{}, false
	}
	for _, build := range slices.Backward(w.Builds) {
		v, ok := find(w.Variants, func(v TorchVariant) bool { return v.holdsFor(build) })
		if ok && slices.Contains(v.Gfx, gfx) {
			return TorchChoice{Version: version, ROCm: build, Index: TorchIndex(build), Provenance: w.Provenance}, true
		}
	}
	return TorchChoice{}, false
}

// TorchIndex is the address for pip of pytorch.org's builds for a release of ROCm.
func TorchIndex(release string) string {
	return strings.ReplaceAll(knownTorchFile().Index.Address, "{rocm}", release)
}
