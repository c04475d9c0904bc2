package rocm

import "testing"

func TestKernelsShipped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		library, version, gfx string
		shipped, known        bool
	}{
		{"rocBLAS", "6.0.2", "gfx1010", false, true}, // in the build's list, not in the packages
		{"rocBLAS", "6.2.4", "gfx1010", true, true},  // only the build's list is known
		{"rocBLAS", "6.4", "gfx906", false, true},
		{"rocBLAS", "6.4.0", "gfx1100", true, true},
		{"rocBLAS", "7.2.0", "gfx1100", false, false},
		{"rocBLAS", "nonsense", "gfx1100", false, false},
		{"hipBLASLt", "6.2.0", "gfx1030", false, true},
		{"hipBLASLt", "7.12.0", "gfx1030", false, true},
		{"hipBLASLt", "10.1.0", "gfx1030", false, true},
		{"hipBLASLt", "10.1.0", "gfx1100", false, false}, // not excluded is not yet covered
		{"hipBLASLt", "6.3.0", "gfx1100", false, false},  // a state of the source is no release
	} {
		row, known := KernelsShipped(c.library, c.version, c.gfx)
		if known != c.known || row.Covered != c.shipped {
			t.Errorf("%s %s %s: shipped %v known %v (%s)", c.library, c.version, c.gfx, row.Covered, known, row.Releases)
		}
	}
}

func TestKernelsNeverBuilt(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]bool{"gfx1030": true, "gfx1010": true, "gfx906": true, "gfx1100": false, "gfx1102": false} {
		if _, never := KernelsNeverBuilt("hipBLASLt", gfx); never != want {
			t.Errorf("%s: %v", gfx, never)
		}
	}
}
