package survey

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

func TestParseKernelName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]kernelName{
		"TensileLibrary.dat":                                                              {kind: kernelOneIndex},
		"TensileLibrary_lazy_gfx1100.dat":                                                 {kind: kernelIndex, gfx: "gfx1100"},
		"TensileLibrary_lazy_gfx1250.dat.zlib":                                            {kind: kernelIndex, gfx: "gfx1250"},
		"TensileLibrary_gfx90a.dat":                                                       {kind: kernelIndex, gfx: "gfx90a"},
		"TensileLibrary_gfx906-xnack-.co":                                                 {kind: kernelTuned, gfx: "gfx906", xnack: rocm.Off, stem: "TensileLibrary_gfx906"},
		"TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100.co":             {kind: kernelTuned, gfx: "gfx1100", stem: "TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100"},
		"TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100.hsaco":          {kind: kernelCompiled, gfx: "gfx1100", stem: "TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100"},
		"TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100.dat":            {kind: kernelCatalogue, gfx: "gfx1100", stem: "TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx1100"},
		"TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_CU104_gfx90a.co":        {kind: kernelTuned, gfx: "gfx90a", stem: "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_CU104_gfx90a"},
		"TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback.dat":           {kind: kernelShared, stem: "TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback"},
		"TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback_gfx1010.hsaco": {kind: kernelFallback, gfx: "gfx1010", stem: "TensileLibrary_Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_fallback"},
		"TensileLibrary_Type_ZZ_Contraction_fallback_gfx90a-xnack+.hsaco":                 {kind: kernelFallback, gfx: "gfx90a", xnack: rocm.On, stem: "TensileLibrary_Type_ZZ_Contraction_fallback"},
		"Kernels.so-000-gfx1010-xnack-.hsaco":                                             {kind: kernelHelper, gfx: "gfx1010", xnack: rocm.Off},
		"Kernels.so-000-gfx1100.hsaco":                                                    {kind: kernelHelper, gfx: "gfx1100"},
		"TensileLibrary_HH_HH_HA_Bias_SAV_Type_HH_HPA_Contraction_l_Ailk_gfx942.co":       {kind: kernelTuned, gfx: "gfx942", stem: "TensileLibrary_HH_HH_HA_Bias_SAV_Type_HH_HPA_Contraction_l_Ailk_gfx942"},
		"TensileLiteLibrary_lazy_Mapping.dat":                                             {kind: kernelShared},
		"TensileLiteLibrary_lazy_gfx1250_Mapping.dat.zlib":                                {kind: kernelShared, gfx: "gfx1250"},
		"hipblasltTransform.hsaco":                                                        {kind: kernelShared},
		"hipblasltExtOpLibrary.dat":                                                       {kind: kernelShared},
		"extop_gfx942.co":                                                                 {kind: kernelShared, gfx: "gfx942"},
		"TensileLibrary_lazy_gfx11-generic.dat":                                           {kind: kernelIndex, gfx: "gfx11-generic"},
		// No target can be read from these.
		"TensileLibrary_lazy_gfx.dat":     {kind: kernelShared},
		"TensileLibrary_lazy_gfxzzzz.dat": {kind: kernelShared},
	} {
		if got, ok := parseKernelName(name); !ok || got != want {
			t.Errorf("%s: %+v %v, want %+v", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "README", "rocblas.dll", "notes_gfx1100.txt", "model_gfx1100.co", ".dat", "TensileLibrary_lazy_gfx1100.dat.old", "blas_lib_gfx1151.kpack"} {
		if got, ok := parseKernelName(name); ok {
			t.Errorf("%q was taken for %+v", name, got)
		}
	}
}

func FuzzParseKernelName(f *testing.F) {
	for _, name := range []string{"TensileLibrary_lazy_gfx1100.dat", "Kernels.so-000-gfx1010-xnack-.hsaco", "extop_gfx942.co", "x_gfx1151.kpack", "TensileLibrary_gfx-xnack+.co"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		k, ok := parseKernelName(name)
		if !ok && k != (kernelName{}) {
			t.Errorf("%q is nothing, and %+v", name, k)
		}
		if ok && (k.kind == "" || k.gfx != "" && !strings.Contains(name, k.gfx) || !strings.HasPrefix(name, k.stem) || k.gfx == "" && k.xnack != rocm.Any) {
			t.Errorf("%q: %+v", name, k)
		}
	})
}
