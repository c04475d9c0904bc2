package rocm

import "testing"

func TestParseTargetID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]TargetID{
		"gfx1100":                          {Processor: "gfx1100"},
		"gfx90a:sramecc+:xnack-":           {Processor: "gfx90a", SRAMECC: On, XNACK: Off},
		"gfx90a:xnack+":                    {Processor: "gfx90a", XNACK: On},
		"gfx9-4-generic:sramecc-":          {Processor: "gfx9-4-generic", SRAMECC: Off},
		"gfx11-generic":                    {Processor: "gfx11-generic"},
		"gfx2042":                          {Processor: "gfx2042"},
		"hipv4-amdgcn-amd-amdhsa--gfx1100": {Processor: "gfx1100"},
		"hip-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-": {Processor: "gfx906", SRAMECC: On, XNACK: Off},
		"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-":     {Processor: "gfx942", SRAMECC: On, XNACK: Off},
		"hip-amdgcn-amd-amdhsa-gfx803":                  {Processor: "gfx803"},
		"hip-spirv64-amd-amdhsa--amdgcnspirv":           {Processor: "amdgcnspirv"},
		"amdgcnspirv":                                   {Processor: "amdgcnspirv"},
	} {
		if got, err := ParseTargetID(text); err != nil || got != want {
			t.Errorf("ParseTargetID(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "gfx", "1100", "gfx1100:", "gfx90a:xnack", "gfx90a:xnack+:xnack-", "gfx90a:tgsplit+", "gfx90a:+", "gfx-generic", "gfx11--generic",
		"host-x86_64-unknown-linux-gnu-", "hip-amdgcn-amd-amdhsa--", "sm_90", "gfx90a xnack+",
	} {
		if got, err := ParseTargetID(text); err == nil {
			t.Errorf("ParseTargetID(%q) = %+v, want an error", text, got)
		}
	}
}

func FuzzParseTargetID(f *testing.F) {
	for _, seed := range []string{"gfx90a:sramecc+:xnack-", "hipv4-amdgcn-amd-amdhsa--gfx1100", "gfx9-4-generic", "hip-spirv64-amd-amdhsa--amdgcnspirv", "host-x86_64--"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseTargetID(text)
		if err != nil {
			return
		}
		if again, err := ParseTargetID(id.String()); err != nil || again != id {
			t.Errorf("%q is %+v, written %q, which is %+v, %v", text, id, id, again, err)
		}
	})
}
