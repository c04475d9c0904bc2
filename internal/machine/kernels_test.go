package machine_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestHolds(t *testing.T) {
	t.Parallel()
	one := machine.KernelFiles{Plain: 1}
	for name, c := range map[string]struct {
		folder machine.KernelFolder
		target machine.KernelTarget
		want   bool
	}{
		"all there":                  {machine.KernelFolder{}, machine.KernelTarget{Index: one, Tuned: one, Helpers: one, Whole: 1}, true},
		"one index for all":          {machine.KernelFolder{OneIndex: true}, machine.KernelTarget{Tuned: one, Helpers: one, Whole: 1}, true},
		"no index":                   {machine.KernelFolder{}, machine.KernelTarget{Tuned: one, Helpers: one, Whole: 1}, false},
		"no helpers":                 {machine.KernelFolder{}, machine.KernelTarget{Index: one, Tuned: one, Whole: 1}, false},
		"code without a list":        {machine.KernelFolder{}, machine.KernelTarget{Index: one, Fallback: one, Helpers: one, Half: 1}, false},
		"most types are half":        {machine.KernelFolder{}, machine.KernelTarget{Index: one, Tuned: one, Helpers: one, Whole: 1, Half: 19}, false},
		"one type of many is half":   {machine.KernelFolder{}, machine.KernelTarget{Index: one, Tuned: one, Helpers: one, Whole: 19, Half: 1}, true},
		"an index alone":             {machine.KernelFolder{}, machine.KernelTarget{Index: one, Helpers: one}, false},
		"another GPU":                {machine.KernelFolder{}, machine.KernelTarget{Gfx: "gfx1030", Index: one, Tuned: one, Helpers: one, Whole: 1}, false},
		"hipBLASLt, nobody has them": {machine.KernelFolder{Library: machine.HipBLASLt}, machine.KernelTarget{Index: one, Tuned: one, Whole: 1}, true},
	} {
		f := c.folder
		if f.Library == "" {
			f.Library = machine.RocBLAS
		}
		if c.target.Gfx == "" {
			c.target.Gfx = "gfx1100"
		}
		f.Targets = []machine.KernelTarget{c.target}
		if got := f.Holds("gfx1100"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	// Where the other targets have helpers, this one needs them too.
	lt := machine.KernelFolder{Library: machine.HipBLASLt, Targets: []machine.KernelTarget{
		{Gfx: "gfx1100", Index: one, Tuned: one, Whole: 1}, {Gfx: "gfx942", Index: one, Tuned: one, Helpers: one, Whole: 1},
	}}
	if lt.Holds("gfx1100") || !lt.Holds("gfx942") {
		t.Error("helpers of hipBLASLt are judged by its folder")
	}
}
