package rocm

import (
	"slices"
	"testing"
)

func TestReadBy(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"MIOPEN_FIND_MODE":           "MIOpen",
		"HSA_XNACK":                  "ROCr",
		"HIP_VISIBLE_DEVICES":        "HIP",
		"HSA_OVERRIDE_GFX_VERSION_2": "libhsakmt",
		"ROCSPARSE_ANYTHING":         "ROCm's math libraries",
		"NCCL_DEBUG":                 "RCCL",
		"PYTORCH_ROCM_ARCH":          "build",
		"MIOPEN_NAIVE_TIMEOUT":       "MIOpen (10.x)",
		"ROCPROFILER_LOG":            "ROCm's tools",
		"HSA_OVERRIDE_GFX_VERSION_x": "",
		"MIOPEN_DEBUG_DISABLE_MLIR":  "",
		"ROCSPARSE_":                 "",
		"":                           "",
	} {
		got, ok := ReadBy(name)
		if ok != (want != "") || ok && !slices.Contains(got, want) {
			t.Errorf("ReadBy(%q) = %v, %v; want %q", name, got, ok, want)
		}
	}
}

func TestNearestName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"HIP_VISIBLE_DEVICE":        "HIP_VISIBLE_DEVICES",
		"HIP_DEVICES_VISIBLE":       "HIP_VISIBLE_DEVICES",
		"MIOPEN_FNID_MODE":          "MIOPEN_FIND_MODE",
		"MIOPEN_FINDMODE":           "MIOPEN_FIND_MODE",
		"HSA_OVERIDE_GFX_VERSION":   "HSA_OVERRIDE_GFX_VERSION",
		"HSA_OVERRIDE_GXF_VERSION":  "HSA_OVERRIDE_GFX_VERSION",
		"ROCR_VISIBLE_DEVICE":       "ROCR_VISIBLE_DEVICES",
		"ROCBLAS_USE_HIPBLAS_LT":    "ROCBLAS_USE_HIPBLASLT",
		"HIP_VISIBLE_DEVICES":       "", // known
		"HSA_OVERRIDE_GFX_VERSION_": "HSA_OVERRIDE_GFX_VERSION",
		"MIOPEN_SOMETHING_ELSE":     "",
		"HSA_X":                     "",
		"ROCR_VISIBLE_GPUS":         "",
		"FOO_VISIBLE_DEVICES":       "",
		// A sibling that our list does not have, not a slip.
		"MIOPEN_DEBUG_AMD_WINOGRAD_MPASS_F9X9":      "",
		"MIOPEN_DEBUG_CONV_CK_IGEMM_BWD_BIAS_ACTIV": "",
		"": "",
	} {
		if got, ok := NearestName(name); got != want || ok != (want != "") {
			t.Errorf("NearestName(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
}

// A name that a component reads is never called unknown, and never corrected.
func TestKnownNamesAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name := range knownNames().readers {
		if _, ok := ReadBy(name); !ok || !Concerns(name) {
			t.Errorf("%s is called unknown", name)
		}
		if near, ok := NearestName(name); ok {
			t.Errorf("%s is corrected to %s", name, near)
		}
		if _, ok := Invented(name); ok {
			t.Errorf("%s is read, and called an invention", name)
		}
	}
}

func TestSlips(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "acb", 1}, {"abcd", "abXd", 1}, {"abcd", "dcba", 3}, {"abc", "abcdef", 3}} {
		if got := slips(tt.a, tt.b, 2); got != tt.want {
			t.Errorf("slips(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzNearestName(f *testing.F) {
	f.Add("HIP_VISIBLE_DEVICE")
	f.Fuzz(func(t *testing.T, name string) {
		near, ok := NearestName(name)
		if !ok {
			return
		}
		if _, known := ReadBy(near); !known || family(near) != family(name) {
			t.Errorf("%q is corrected to %q", name, near)
		}
	})
}
