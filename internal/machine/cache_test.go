package machine_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestMIOpenName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		gfx, override string
		cus           int
		want          string
	}{
		{"gfx1031", "10.3.0", 40, "gfx1030_20"}, // pairs of compute units on RDNA, and the gfx that programs see
		{"gfx1100", "", 96, "gfx1100_48"},
		{"gfx906", "", 60, "gfx906_60"},
		{"gfx908", "", 120, "gfx90878"},
		{"gfx90a", "", 110, "gfx90a6e"},
		{"gfx942", "", 304, "gfx942130"},
	} {
		m := &machine.Machine{}
		if tt.override != "" {
			m.Variables = machine.Know([]machine.Variable{{Name: machine.OverrideVariable, Value: tt.override}}, "test")
		}
		g := machine.GPU{Vendor: machine.AMD, Gfx: machine.Know(tt.gfx, "test"), CUs: machine.Know(tt.cus, "test")}
		m.GPUs = machine.Know([]machine.GPU{g}, "test")
		if got := m.MIOpenName(g); got != tt.want {
			t.Errorf("%s with %d: got %s, want %s", tt.gfx, tt.cus, got, tt.want)
		}
		if !m.MIOpenConcerns(tt.want + ".ukdb") {
			t.Errorf("%s.ukdb does not concern a %s", tt.want, tt.gfx)
		}
	}
}

func TestMIOpenConcerns(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{GPUs: machine.Know([]machine.GPU{{Vendor: machine.AMD, Gfx: machine.Know("gfx90a", "test")}}, "test")}
	for name, want := range map[string]bool{
		"gfx90a.kdb": true, "gfx90a6e.kdb": true, "gfx90a_64.ukdb": true, "gfx90a68_xnack.kdb": false,
		"gfx908.kdb": false, "gfx90878.kdb": false, "gfx1030_36.ukdb": false, "": false,
	} {
		if got := m.MIOpenConcerns(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !new(machine.Machine).MIOpenConcerns("gfx1030_36.ukdb") {
		t.Error("where no GPU is known, every database may matter")
	}
}
