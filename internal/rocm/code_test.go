package rocm

import (
	"strings"
	"testing"
)

func TestCodeLibraryOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"librocblas.so.4.4": "rocBLAS", "librocblas-1f2e3d.so.4": "rocBLAS", "rocblas.dll": "rocBLAS", "librocblas.so": "rocBLAS",
		"libhipblas.so.2": "hipBLAS", "libhipblaslt.so.0": "hipBLASLt", "libhipblaslt.dll": "hipBLASLt",
		"libMIOpen.so.1.0": "MIOpen", "MIOpen.dll": "MIOpen", "libMIOpenCKGroupedConv_gfx942.so": "MIOpen's CK kernels",
		"librocblasx.so": "", "libc.so.6": "", "": "",
	} {
		if got, _ := CodeLibraryOf(file); got.Name != want {
			t.Errorf("CodeLibraryOf(%q) = %q, want %q", file, got.Name, want)
		}
	}
	for _, l := range codeData.Libraries {
		for _, name := range append(l.Forwards, l.Instead) {
			if _, ok := CodeLibraryNamed(name); name != "" && !ok {
				t.Errorf("%s names %q, which is not in the table", l.Name, name)
			}
		}
	}
}

func TestAMDBuildFor(t *testing.T) {
	t.Parallel()
	if b, ok := AMDBuildFor("llama-cpp-python", "gfx1151"); !ok || !strings.Contains(b.Command, "GPU_TARGETS=gfx1151") || strings.Contains(b.Command, "{") {
		t.Errorf("llama-cpp-python: %+v, %v", b, ok)
	}
	if b, ok := AMDBuildFor("ctranslate2", "gfx1010"); ok {
		t.Errorf("ctranslate2 has no build for gfx1010, and got %+v", b)
	}
	if _, ok := AMDBuildFor("numpy", "gfx1100"); ok {
		t.Error("numpy needs no build")
	}
}
