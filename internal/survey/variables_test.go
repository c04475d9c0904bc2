package survey

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestParseShell(t *testing.T) {
	t.Parallel()
	got := parseShell("f", "# HSA_XNACK=1\nexport OPENAI_API_KEY=secret\nexport HSA_XNACK=1 KEY=secret\n\nset -gx MIOPEN_FIND_MODE FAST\nGPU_COLOUR=red\nGPU_MAX_HW_QUEUES=2\nexport HIP_X=\x1b[31m\n")
	want := []machine.VariableSource{
		{Name: "HSA_XNACK", Value: "1", File: "f", Line: 3},
		{Name: "MIOPEN_FIND_MODE", Value: "FAST", File: "f", Line: 5},
		{Name: "GPU_MAX_HW_QUEUES", Value: "2", File: "f", Line: 7},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := parseShell("f", strings.Repeat("HSA_XNACK=1\n", 10*maxSources)); len(got) > maxSources {
		t.Errorf("%d lines of one file were kept", len(got))
	}
}

func TestIsAbsolute(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		system, path string
		want         bool
	}{{"linux", "/x", true}, {"linux", "x", false}, {"linux", `C:\x`, false}, {"windows", `C:\x`, true}, {"windows", "/x", false}, {"windows", "", false}} {
		if got := isAbsolute(tt.system, tt.path); got != tt.want {
			t.Errorf("%s %q: %v", tt.system, tt.path, got)
		}
	}
}

func FuzzParseShell(f *testing.F) {
	f.Add("export HSA_XNACK=1\nset -gx MIOPEN_FIND_MODE FAST\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range parseShell("f", s) {
			if v.Name == "" || v.Line < 1 || !readable(v.Value) {
				t.Errorf("kept %+v", v)
			}
		}
	})
}
