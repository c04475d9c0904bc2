package rocm

import "testing"

func TestCompareKernel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"6.18.4", "6.18.8", -1},
		{"6.9", "6.10", -1},
		{"6.18", "6.18.0", 0},
		{"6.6.87.2-microsoft-standard-WSL2", "6.6.87", 1},
		{"6.17.0-19-generic", "6.17.0-19.19~24.04.2", 0},
		{"6.17.0-14-generic", "6.17.0-19.19~24.04.2", -1},
		{"6.17.0-20-generic", "6.17.0-19.19~24.04.2", 1},
		{"6.17.0-19.18~24.04.1", "6.17.0-19.19~24.04.2", -1},
		{"6.18.0-rc6", "6.18.0", -1},
		{"6.18-rc6", "6.18.0-rc7", -1},
		{"6.18.0-rc10", "6.18.0-rc9", 1},
		{"6.18.0-0.rc6.20251117.fc44.x86_64", "6.18.0-rc6", 0},
		{"6.18.0-rc6", "6.17.9", 1},
		{"6.14.0-1018-oem", "6.14.0-1018", 0},
		{"6.14.0-1017-oem", "6.14.0-1018", -1},
		{"6.18.8-200.fc43.x86_64", "6.18.4", 1},
		{"6.18.4-arch1-1", "6.18.4", 0},
		{"6.12.48+deb13-amd64", "6.12.48", 0},
		{"5.14.0-687.el9", "5.14.0-570", 1},
		{"06.018.4", "6.18.4", 0},
		{"99999999999999999999999.1", "6.1", 1},
		{"", "", 0},
		{"", "6.1", -1},
		{"unknown", "6.1", -1},
	} {
		if got := CompareKernel(c.a, c.b); got != c.want {
			t.Errorf("CompareKernel(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := CompareKernel(c.b, c.a); got != -c.want {
			t.Errorf("CompareKernel(%q, %q) = %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

func FuzzCompareKernel(f *testing.F) {
	for _, seed := range []string{"6.18.4", "6.17.0-19-generic", "6.17.0-19.19~24.04.2", "6.18.0-rc6", "6.18.0-0.rc6", "", "-", "..", "6.-1"} {
		f.Add(seed, "6.18.0-rc7")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if CompareKernel(a, a) != 0 {
			t.Errorf("%q is not itself", a)
		}
		if x, y := CompareKernel(a, b), CompareKernel(b, a); x != -y {
			t.Errorf("CompareKernel(%q, %q) = %d, the other way round %d", a, b, x, y)
		}
	})
}
