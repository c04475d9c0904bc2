package codeobj

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

func TestParseKernelName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]KernelName{
		"TensileLibrary.dat":                                                              {Kind: KernelOneIndex},
		"TensileLibrary_lazy_gfx1100.dat":                                                 {Kind: KernelIndex, Target: rocm.TargetID{Processor: "gfx1100"}},
		"TensileLibrary_lazy_gfx1250.dat.zlib":                                            {Kind: KernelIndex, Target: rocm.TargetID{Processor: "gfx1250"}},
		"TensileLibrary_gfx90a.dat":                                                       {Kind: KernelIndex, Target: rocm.TargetID{Processor: "gfx90a"}},
		"TensileLibrary_gfx906-xnack-.co":                                                 {Kind: KernelTuned, Target: rocm.TargetID{Processor: "gfx906", XNACK: rocm.Off}, Stem: "TensileLibrary_gfx906"},
		"TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100.co":             {Kind: KernelTuned, Target: rocm.TargetID{Processor: "gfx1100"}, Stem: "TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100"},
		"TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100.hsaco":          {Kind: KernelCompiled, Target: rocm.TargetID{Processor: "gfx1100"}, Stem: "TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100"},
		"TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100.dat":            {Kind: KernelCatalogue, Target: rocm.TargetID{Processor: "gfx1100"}, Stem: "TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100"},
		"TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_CU104_gfx90a.co":        {Kind: KernelTuned, Target: rocm.TargetID{Processor: "gfx90a"}, Stem: "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_CU104_gfx90a"},
		"TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback.dat":           {Kind: KernelShared, Stem: "TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback"},
		"TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback_gfx1010.hsaco": {Kind: KernelFallback, Target: rocm.TargetID{Processor: "gfx1010"}, Stem: "TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback"},
		"TensileLibrary_Type_ZZ_Contraction_fallback_gfx90a-xnack+.hsaco":                 {Kind: KernelFallback, Target: rocm.TargetID{Processor: "gfx90a", XNACK: rocm.On}, Stem: "TensileLibrary_Type_ZZ_Contraction_fallback"},
		"Kernels.so-000-gfx1010-xnack-.hsaco":                                             {Kind: KernelHelper, Target: rocm.TargetID{Processor: "gfx1010", XNACK: rocm.Off}},
		"Kernels.so-000-gfx1100.hsaco":                                                    {Kind: KernelHelper, Target: rocm.TargetID{Processor: "gfx1100"}},
		"TensileLibrary_HH_HH_HA_Bias_SAV_Type_HH_HPA_Contraction_l_Ailk_gfx942.co":       {Kind: KernelTuned, Target: rocm.TargetID{Processor: "gfx942"}, Stem: "TensileLibrary_HH_HH_HA_Bias_SAV_Type_HH_HPA_Contraction_l_Ailk_gfx942"},
		"TensileLiteLibrary_lazy_Mapping.dat":                                             {Kind: KernelShared},
		"TensileLiteLibrary_lazy_gfx1250_Mapping.dat.zlib":                                {Kind: KernelShared, Target: rocm.TargetID{Processor: "gfx1250"}},
		"hipblasltTransform.hsaco":                                                        {Kind: KernelShared},
		"hipblasltExtOpLibrary.dat":                                                       {Kind: KernelShared},
		"extop_gfx942.co":                                                                 {Kind: KernelShared, Target: rocm.TargetID{Processor: "gfx942"}},
		"TensileLibrary_lazy_gfx11-generic.dat":                                           {Kind: KernelIndex, Target: rocm.TargetID{Processor: "gfx11-generic"}},
		"Kernels.so-000-gfx90a-sramecc+-xnack-.hsaco":                                     {Kind: KernelHelper, Target: rocm.TargetID{Processor: "gfx90a", SRAMECC: rocm.On, XNACK: rocm.Off}},
		// No target can be read from these.
		"TensileLibrary_lazy_gfx.dat":     {Kind: KernelShared},
		"TensileLibrary_lazy_gfxzzzz.dat": {Kind: KernelShared},
	} {
		got, ok := ParseKernelName(name)
		if !strings.HasPrefix(name, got.Task) || got.Task == "" || strings.Contains(got.Task, got.Target.Processor) && got.Target.Processor != "" {
			t.Errorf("%s: the task is %q", name, got.Task)
		}
		if got.Task = ""; !ok || got != want {
			t.Errorf("%s: %+v %v, want %+v", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "README", "rocblas.dll", "notes_gfx1100.txt", "model_gfx1100.co", ".dat", "TensileLibrary_lazy_gfx1100.dat.old", "TensileLibrary_gfx1100.co.zlib", "blas_lib_gfx1151.kpack"} {
		if got, ok := ParseKernelName(name); ok {
			t.Errorf("%q was taken for %+v", name, got)
		}
	}
}

func FuzzParseKernelName(f *testing.F) {
	for _, name := range []string{"TensileLibrary_lazy_gfx1100.dat", "Kernels.so-000-gfx1010-xnack-.hsaco", "extop_gfx942.co", "x_gfx1151.kpack", "TensileLibrary_gfx-xnack+.co"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		k, ok := ParseKernelName(name)
		if !ok && k != (KernelName{}) {
			t.Errorf("%q is nothing, and %+v", name, k)
		}
		if ok && (k.Kind == "" || !strings.Contains(name, k.Target.Processor) || !strings.HasPrefix(name, k.Stem) || !strings.HasPrefix(name, k.Task) ||
			k.Target.Processor == "" && k.Target != (rocm.TargetID{})) {
			t.Errorf("%q: %+v", name, k)
		}
	})
}

func BenchmarkParseKernelName(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if k, ok := ParseKernelName("TensileLibrary_Type_ZZ_Contraction_l_Ailk_Bjlk_Cijk_Dijk_fallback_gfx90a-xnack+.hsaco"); !ok || k.Kind != KernelFallback {
			b.Fatal(k)
		}
	}
}

func TestLazyIndexes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"TensileLibrary_lazy_gfx1100.dat": true, "TensileLibrary_lazy_gfx1250.dat.zlib": true, "TensileLibrary_gfx90a.dat": false, "TensileLibrary.dat": false,
	} {
		if k, _ := ParseKernelName(name); k.Lazy() != want {
			t.Errorf("%s: %+v", name, k)
		}
	}
}
