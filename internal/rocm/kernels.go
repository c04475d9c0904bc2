package rocm

import (
	"slices"
	"strings"
)

// KernelRule says which kernel a GPU needs.
type KernelRule struct {
	Gfx           []string
	ROCm          string // the release the rule was stated for; empty for any
	Recommended   string // documented as good on any distribution
	UpstreamFloor string `json:"upstream_floor"` // the first kernel believed to hold the code
	UbuntuHWEMin  string `json:"ubuntu_hwe_min"` // for Ubuntu's own kernels, instead of Recommended
	UbuntuOEMMin  string `json:"ubuntu_oem_min"`
	Text          string
	Firmware      string // the firmware files it needs
	Matrix        []MatrixRow
	MatrixNote    string `json:"matrix_note"`
	Provenance
}

// MatrixRow says how some releases of ROCm fare on a kernel that meets the rule and on one that does not.
type MatrixRow struct {
	ROCm  []string // "7.2.1", or "7.1.x" for every patch release
	Fixed string   // supported, unstable or unsupported
	Older string
}

const matrixSupported = "supported"

func (m MatrixRow) covers(rocm string) bool {
	return slices.ContainsFunc(m.ROCm, func(pattern string) bool {
		prefix, wild := strings.CutSuffix(pattern, "x")
		return pattern == rocm || wild && strings.HasPrefix(rocm, prefix)
	})
}

// KernelRules are the rules for a GPU.
func KernelRules(gfx string) []KernelRule {
	return filter(knownLinux().kernels, func(r KernelRule) bool { return slices.Contains(r.Gfx, gfx) })
}

// Minimum is the kernel that the rule asks of a machine that runs the given one, or empty where the rule names none.
// Ubuntu builds fixes into older kernels, which its own version numbers tell.
func (r KernelRule) Minimum(kernel string) string {
	switch flavour := ubuntuFlavour(kernel); {
	case flavour == "generic" && r.UbuntuHWEMin != "":
		return r.UbuntuHWEMin
	case flavour == "oem" && r.UbuntuOEMMin != "":
		return r.UbuntuOEMMin
	case r.Recommended != "":
		return r.Recommended
	}
	return r.UpstreamFloor
}

// MetBy reports whether a kernel (uname -r) meets the rule; every kernel meets a rule without a minimum.
func (r KernelRule) MetBy(kernel string) bool {
	minimum := r.Minimum(kernel)
	return minimum == "" || CompareKernel(kernel, minimum) >= 0
}

// ubuntuFlavour recognises Ubuntu's own kernels, 6.17.0-19-generic. Mainline builds for Ubuntu also end in -generic,
// but keep the third number: 6.17.8-061708-generic.
func ubuntuFlavour(kernel string) string {
	parts := strings.Split(kernel, "-")
	if len(parts) != 3 || !strings.HasSuffix(parts[0], ".0") || !isNumber(parts[1]) || len(parts[1]) > 4 {
		return ""
	}
	return parts[2]
}

// MatrixVerdict is AMD's verdict (supported, unstable, unsupported) on a release of ROCm with a GPU, on a kernel that
// meets the GPU's rule or not. It is not ok where AMD's table has no row: nothing is known of ROCm 10 and gfx1151.
func MatrixVerdict(gfx, rocmVersion string, fixedKernel bool) (state string, row MatrixRow, ok bool) {
	rocm, ok := fullVersion(rocmVersion)
	if !ok {
		return "", MatrixRow{}, false
	}
	for _, rule := range KernelRules(gfx) {
		row, ok := find(rule.Matrix, func(m MatrixRow) bool { return m.covers(rocm) })
		switch {
		case ok && fixedKernel:
			return row.Fixed, row, true
		case ok:
			return row.Older, row, true
		}
	}
	return "", MatrixRow{}, false
}

// KnownBadKernel is a range of kernels with a known fault on some GPUs.
type KnownBadKernel struct {
	ID          string
	Gfx         []string
	KernelBelow string `json:"kernel_below"` // the first kernel without the fault
	Symptom     string
	Workaround  string
	Note        string
	Provenance
}

// KnownBadKernels are the known faults of kernels that concern a GPU.
func KnownBadKernels(gfx string) []KnownBadKernel {
	return filter(knownLinux().knownBad, func(k KnownBadKernel) bool { return slices.Contains(k.Gfx, gfx) })
}
