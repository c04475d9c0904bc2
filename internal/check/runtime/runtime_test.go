package runtime

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestRelease(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{ROCm: machine.Know([]machine.Installation{{Version: "7.2.0", Path: "/opt/rocm-7.2.0"}}, "x")}
	for real, want := range map[string]string{
		"/opt/rocm-7.2.0/lib/libamdhip64.so.7.2.70200":  "7.2.0",
		"/srv/rocm/lib/libhsa-runtime64.so.1.15.60403":  "6.4.3",
		"/srv/rocm/lib/librocblas.so.5.0.100100":        "10.1.0",
		"/opt/rocm-7.2.0-old/lib/libamd_comgr.so.3.0.0": "",
		"/usr/lib/libamdhip64.so.6.4.x0400":             "",
		"/usr/lib/libamdhip64.so":                       "",
	} {
		if got := release(m, machine.LinkedLibrary{Real: real}); got != want {
			t.Errorf("%s: %q, not %q", real, got, want)
		}
	}
}

func TestPackageOf(t *testing.T) {
	t.Parallel()
	debian := machine.Distro{ID: "ubuntu", Like: []string{"debian"}}
	for _, tt := range []struct {
		distro             machine.Distro
		how, root, library string
		want               string
	}{
		{debian, machine.HowAMDPackages, "/opt/rocm-7.2.0", "libamd_comgr.so.3", "comgr"},
		{debian, machine.HowAMDPackages, "/opt/rocm/core-10.1", "libamd_comgr.so.3", ""},
		{debian, machine.HowDistribution, "/usr/lib/x86_64-linux-gnu", "libamd_comgr.so.3", "libamd-comgr3"},
		{debian, machine.HowTorchWheel, "/x", "libamd_comgr.so.3", ""},
		{debian, machine.HowTorchWheel, "/x", "libnuma.so.1", "libnuma1"},
		{machine.Distro{ID: "fedora"}, machine.HowDistribution, "/usr/lib64", "libhsa-runtime64.so.1", "rocm-runtime"},
		{machine.Distro{ID: "arch"}, machine.HowDistribution, "/opt/rocm", "librocblas.so.5", "rocblas"},
		{machine.Distro{ID: "nixos"}, "", "/x", "libnuma.so.1", ""},
		{debian, "", "/x", "libtinfo.so.5", ""},
	} {
		m := &machine.Machine{Distro: machine.Know(tt.distro, "x")}
		if got := packageOf(m, machine.Linked{How: tt.how, Root: tt.root}, tt.library); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

func TestWanting(t *testing.T) {
	t.Parallel()
	f := machine.Linked{Missing: []machine.MissingLibrary{{Name: "libcuda.so.1"}, {Name: "libnvidia-ml.so.1"}, {Name: "libamd_comgr.so.3"}, {Name: "libcurl.so.4"}}}
	if got := wanting(f); len(got) != 1 || got[0].Name != "libcurl.so.4" {
		t.Errorf("got %+v", got)
	}
}
