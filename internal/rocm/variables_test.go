package rocm

import "testing"

func TestLookupVariable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"HSA_OVERRIDE_GFX_VERSION":     "HSA_OVERRIDE_GFX_VERSION",
		"HSA_OVERRIDE_GFX_VERSION_1":   "HSA_OVERRIDE_GFX_VERSION_<node>",
		"HSA_OVERRIDE_GFX_VERSION_12":  "HSA_OVERRIDE_GFX_VERSION_<node>",
		"ROCM_HOME":                    "ROCM_HOME",
		"MIOPEN_DEBUG_CONV_WINOGRAD":   "MIOPEN_DEBUG_CONV_WINOGRAD",
		"PYTORCH_TUNABLEOP_TUNING":     "PYTORCH_TUNABLEOP_TUNING",
		"PYTORCH_ALLOC_CONF":           "PYTORCH_ALLOC_CONF",
		"HSA_OVERRIDE_GFX_VERSION_":    "",
		"HSA_OVERRIDE_GFX_VERSION_one": "",
		"MIOPEN_DEBUG_DISABLE_MLIR":    "", // folklore: MIOpen never reads it
		"hsa_override_gfx_version":     "",
		"":                             "",
	} {
		v, ok := LookupVariable(name)
		if v.Name != want || ok != (want != "") {
			t.Errorf("LookupVariable(%q) = %q, %v; want %q", name, v.Name, ok, want)
		}
	}
}

func TestVariablesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range Variables() {
		if v.Name == "" || v.Meaning == "" || seen[v.Name] {
			t.Errorf("variable %#v lacks something or repeats", v)
		}
		seen[v.Name] = true
	}
}

func TestDeviceFilterLayers(t *testing.T) {
	t.Parallel()
	layers := DeviceFilterLayers()
	for i, l := range layers {
		if len(l.Variables) == 0 || i > 0 && l.Order < layers[i-1].Order {
			t.Errorf("layer %#v has no variable or is out of order", l)
		}
		for _, name := range l.Variables {
			if _, ok := LookupVariable(name); !ok {
				t.Errorf("layer %d names %s, which is no known variable", l.Order, name)
			}
		}
	}
}
