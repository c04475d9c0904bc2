package rocm

import (
	"slices"
	"strings"
	"testing"
)

func TestJudgeSetting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value string
		want        SettingWord
	}{
		{"MIOPEN_FIND_ENFORCE", "3", SettingHarmful},
		{"MIOPEN_FIND_ENFORCE", "search", SettingHarmful},
		{"MIOPEN_FIND_ENFORCE", "4", SettingHarmful},
		{"MIOPEN_FIND_ENFORCE", "DB_CLEAN", SettingHarmful},
		{"MIOPEN_FIND_ENFORCE", "5", SettingHarmful},
		{"MIOPEN_FIND_ENFORCE", "1", ""},
		{"MIOPEN_FIND_ENFORCE", "db_update", ""},
		{"MIOPEN_FIND_ENFORCE", "0", SettingNoOp},
		{"MIOPEN_FIND_ENFORCE", "none of it", SettingThrows},
		{"MIOPEN_FIND_MODE", "1", SettingWrong},
		{"MIOPEN_FIND_MODE", "NORMAL", ""}, // whoever writes the name knows what it is
		{"MIOPEN_FIND_MODE", "2", ""},
		{"MIOPEN_FIND_MODE", "", ""},
		{"MIOPEN_FIND_MODE", "4", SettingWrong},
		{"MIOPEN_FIND_MODE", "TRUST_VERIFY", ""},
		{"MIOPEN_FIND_MODE", "slow", SettingThrows},
		{"MIOPEN_DISABLE_CACHE", "TRUE", SettingDiagnostic},
		{"MIOPEN_DISABLE_CACHE", "0", ""},
		{"MIOPEN_DISABLE_CACHE", "y", SettingThrows},
		{"MIOPEN_DISABLE_CACHE", "", SettingThrows},
		{"MIOPEN_DISABLE_CACHE", " 1", SettingThrows},
		{"MIOPEN_DEBUG_CONV_GEMM", "1", SettingNoOp},
		{"MIOPEN_DEBUG_CONV_GEMM", "0", ""},
		{"MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_HIP_BWD_V1R1", "1", ""}, // off unless asked for
		{"MIOPEN_LOG_LEVEL", "7", ""},
		{"MIOPEN_LOG_LEVEL", "0x5", ""},
		{"MIOPEN_LOG_LEVEL", "8", SettingWrong},
		{"MIOPEN_LOG_LEVEL", "debug", SettingNoOp},
		{"MIOPEN_DEBUG_AMD_WINOGRAD_MPASS_WORKSPACE_MAX", "-1", ""},
		{"MIOPEN_DEVICE_ARCH", "gfx1030", SettingHarmful},
		{"MIOPEN_DEVICE_ARCH", "", ""},
		{"ROCBLAS_LAYER", "2", SettingDiagnostic},
		{"ROCBLAS_LAYER", "0", ""},
		{"PYTORCH_ROCM_ARCH", "", SettingBuildTime},
		{"TORCH_CUDA_ARCH_LIST", "", SettingNoOp},
		{"GPU_DEVICE_ORDINAL", "1", SettingNoOp},
		{"HSA_ENABLE_SDMA", "0", ""},
		{"HIP_VISIBLE_DEVICES", "7", ""}, // gpu/visible judges it
		{"PATH", "x", ""},
	} {
		r, found := JudgeSetting(tt.name, tt.value)
		if r.Word != tt.want || found != (tt.want != "") {
			t.Errorf("%s=%s is %q, want %q", tt.name, tt.value, r.Word, tt.want)
		}
		if found && (r.Says == "" || r.Why == "" || r.Source == "") {
			t.Errorf("%s=%s: %+v says too little", tt.name, tt.value, r)
		}
	}
}

func TestSettingRulesAreWhole(t *testing.T) {
	t.Parallel()
	words := []SettingWord{SettingWrong, SettingHarmful, SettingNoOp, SettingBuildTime, SettingDiagnostic}
	for _, r := range SettingRules() {
		whens := []string{"on", "off", "set", "any"}
		if len(r.Names) == 0 || r.Says == "" || r.Why == "" || !slices.Contains(words, r.Word) ||
			(len(r.Values) == 0) == (r.When == "") || r.When != "" && !slices.Contains(whens, r.When) {
			t.Errorf("%v: %+v is not whole", r.Names, r)
		}
		if strings.Contains(r.Says, ". ") || strings.HasSuffix(r.Says, ".") || !strings.HasSuffix(r.Why, ".") {
			t.Errorf("%v: the sentences do not fit together: %q %q", r.Names, r.Says, r.Why)
		}
	}
	for _, p := range PathRules() {
		if p.Is != "directory" && p.Is != "file" || !strings.HasSuffix(p.Why, ".") {
			t.Errorf("%v: %+v is not whole", p.Names, p)
		}
	}
	for _, i := range Inventions() {
		_, known := ReadBy(i.Instead)
		if !strings.HasSuffix(i.Why, ".") || i.Instead != "" && !known {
			t.Errorf("%v: %+v is not whole", i.Names, i)
		}
	}
}

// Every variable with a rule is one that something reads, or a build does.
func TestRulesSpeakOfKnownNames(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range settingData.Rules {
		names = append(names, r.Names...)
	}
	for _, p := range PathRules() {
		names = append(names, p.Names...)
	}
	for _, b := range settingData.Booleans {
		names = append(names, b.Names...)
	}
	for _, n := range settingData.Numbers {
		names = append(names, n.Names...)
	}
	for _, name := range names {
		if _, ok := ReadBy(name); !ok && name != "TORCH_CUDA_ARCH_LIST" {
			t.Errorf("there is a rule for %s, which nothing reads", name)
		}
	}
}

func FuzzJudgeSetting(f *testing.F) {
	f.Add("MIOPEN_LOG_LEVEL", "0x")
	f.Add("MIOPEN_FIND_MODE", "-")
	f.Fuzz(func(t *testing.T, name, value string) {
		if r, found := JudgeSetting(name, value); found && (r.Word == "" || r.Says == "") {
			t.Errorf("%q=%q: %+v", name, value, r)
		}
	})
}
