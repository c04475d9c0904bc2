package rocm

import (
	"slices"
	"testing"
)

func TestTorchTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		version, gfx string
		holds, known bool
	}{
		{"2.9.1+rocm6.4", "gfx1100", true, true},
		{"2.9.1+rocm6.4", "gfx1151", false, true},
		{"2.11.0+rocm7.2", "gfx1151", true, true},
		{"1.11.0+rocm4.2", "gfx1030", false, true},
		{"1.11.0+rocm4.5.2", "gfx1030", true, true},
		{"2.14.0+rocm7.14", "gfx906", false, true},
		{"2.14.0+rocm7.2.1", "gfx906", true, true},
		{"2.14.0+rocm6.0", "", false, false},
		{"2.9.1+cu128", "", false, false},
		{"99.0.0+rocm7.2", "", false, false},
	}
	for _, tt := range tests {
		gfx, wheel, ok := TorchTargets(tt.version)
		if ok != tt.known || slices.Contains(gfx, tt.gfx) != tt.holds {
			t.Errorf("TorchTargets(%q) = %v, %v; want %s %v", tt.version, gfx, ok, tt.gfx, tt.holds)
		}
		if ok && wheel.Source == "" {
			t.Errorf("%s has no source", tt.version)
		}
	}
}
