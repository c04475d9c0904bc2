package codeobj

import (
	"strings"
	"testing"
)

func TestParseMIOpenName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]MIOpenTarget{
		"gfx906_60.HIP.fdb.txt":        {"gfx906", 60},
		"gfx90878.kdb":                 {"gfx908", 120},
		"gfx90a6e.HIP.fdb.txt":         {"gfx90a", 110},
		"gfx942e4.db.txt":              {"gfx942", 228},
		"gfx1030_36.ukdb":              {"gfx1030", 36},
		"gfx90a_metadata.tn.model":     {"gfx90a", 0},
		"gfx908.tn.model":              {"gfx908", 0},
		"gfx942_ConvHip_x.ktn.model":   {"gfx942", 0},
		"gfx1100_99999999999.ufdb.txt": {"gfx1100", 0},
		"miopen.db":                    {},
		"gfx":                          {},
		"gfxzzz.kdb":                   {},
		"":                             {},
	} {
		if got, ok := ParseMIOpenName(name); got != want || ok != (want.Processor != "") {
			t.Errorf("ParseMIOpenName(%q) = %+v, %v; want %+v", name, got, ok, want)
		}
	}
}

func FuzzParseMIOpenName(f *testing.F) {
	for _, seed := range []string{"gfx906_60.HIP.fdb.txt", "gfx90878.kdb", "gfx_.db", "gfx90a\x00.kdb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, ok := ParseMIOpenName(name)
		if ok != (got.Processor != "") || !strings.HasPrefix(name, got.Processor) || got.Units < 0 {
			t.Errorf("ParseMIOpenName(%q) = %+v, %v", name, got, ok)
		}
	})
}
