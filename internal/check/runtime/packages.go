package runtime

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// install is the cure for a library that is missing: by name where the package is
// known, else by how to look for it.
func install(m *machine.Machine, f machine.Linked, library string) remedy.Remedy {
	if name := packageOf(m, f, library); name != "" {
		return cure.For(m, "install-library", cure.Values{"package": name, "library": library})
	}
	return cure.For(m, "find-package", cure.Values{"library": library})
}

// amdPackages hold AMD's libraries in AMD's own repositories, under the same name
// for apt, dnf and zypper (package lists of repo.radeon.com).
var amdPackages = map[string]string{
	"libamd_comgr": "comgr", "libhsa-runtime64": "hsa-rocr", "libamdhip64": "hip-runtime-amd", "librocblas": "rocblas",
	"libhipblas": "hipblas", "libhipblaslt": "hipblaslt", "libMIOpen": "miopen-hip", "librocsolver": "rocsolver", "librocsparse": "rocsparse",
	"librocfft": "rocfft", "librocrand": "rocrand", "libhipfft": "hipfft", "libhipsolver": "hipsolver", "libhipsparse": "hipsparse",
	"librccl": "rccl", "libroctracer64": "roctracer", "libroctx64": "roctracer", "librocprofiler-register": "rocprofiler-register",
}

// distroPackages hold libraries in the distributions' own archives. In those of
// Debian, {n} is the number of the library.
var distroPackages = []struct {
	like     []string
	packages map[string]string
}{
	{[]string{"debian", "ubuntu"}, map[string]string{
		"libnuma": "libnuma1", "libdrm_amdgpu": "libdrm-amdgpu1", "libdrm": "libdrm2", "libelf": "libelf1",
		"libamd_comgr": "libamd-comgr{n}", "libhsa-runtime64": "libhsa-runtime64-1", "libamdhip64": "libamdhip64-{n}", "librocblas": "librocblas{n}",
	}},
	{[]string{"fedora", "rhel", "centos"}, map[string]string{
		"libnuma": "numactl-libs", "libdrm_amdgpu": "libdrm", "libdrm": "libdrm", "libelf": "elfutils-libelf",
		"libamd_comgr": "rocm-comgr", "libhsa-runtime64": "rocm-runtime", "libamdhip64": "rocm-hip", "librocblas": "rocblas",
	}},
	{[]string{"arch"}, map[string]string{
		"libnuma": "numactl", "libdrm_amdgpu": "libdrm", "libdrm": "libdrm", "libelf": "libelf",
		"libamd_comgr": "comgr", "libhsa-runtime64": "hsa-rocr", "libamdhip64": "hip-runtime-amd", "librocblas": "rocblas",
	}},
}

// packageOf names the package that brings a library, or "" where it is not known.
func packageOf(m *machine.Machine, f machine.Linked, library string) string {
	base, own := stem(library), amdPackages[stem(library)]
	switch {
	case own != "" && f.How == machine.HowAMDPackages && !strings.Contains(f.Root, "/core-"):
		return own
	case own != "" && f.How != machine.HowDistribution:
		return "" // wheels and archives bring their own, and ROCm 10 has other packages
	}
	ids := append([]string{m.Distro.Value.ID}, m.Distro.Value.Like...)
	for _, d := range distroPackages {
		if slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(d.like, id) }) {
			return strings.ReplaceAll(d.packages[base], "{n}", soNumber(library))
		}
	}
	return ""
}

// soNumber is what follows ".so." in a name.
func soNumber(library string) string {
	_, n, _ := strings.Cut(library, ".so.")
	return n
}
