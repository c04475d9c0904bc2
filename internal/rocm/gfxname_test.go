package rocm

import "testing"

func TestGfxOfTargetVersion(t *testing.T) {
	t.Parallel()
	for v, want := range map[int]string{
		80003: "gfx803", 90006: "gfx906", 90010: "gfx90a", 90012: "gfx90c", 90402: "gfx942", 100100: "gfx1010",
		100306: "gfx1036", 110003: "gfx1103", 110501: "gfx1151", 120001: "gfx1201",
	} {
		if got, ok := GfxOfTargetVersion(v); !ok || got != want {
			t.Errorf("GfxOfTargetVersion(%d) = %q, %v; want %q", v, got, ok, want)
		}
	}
	for _, v := range []int{0, -1, -90010, 9, 99, 90016, 91600, 640000, 1 << 60} {
		if got, ok := GfxOfTargetVersion(v); ok {
			t.Errorf("GfxOfTargetVersion(%d) = %q, want none", v, got)
		}
	}
}

func TestTargetVersionRoundTrips(t *testing.T) {
	t.Parallel()
	for _, target := range Targets() {
		v, ok := TargetVersionOf(target.Gfx)
		if !ok {
			t.Errorf("TargetVersionOf(%q) is unknown", target.Gfx)
			continue
		}
		if got, ok := GfxOfTargetVersion(v); !ok || got != target.Gfx {
			t.Errorf("%s is version %d, which is %q, %v", target.Gfx, v, got, ok)
		}
	}
}

func TestTargetVersionOfRefusesOtherNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "gfx", "gfx9", "gfx90", "906", "gfx90A", "gfx0906", "gfx90g", "gfx11-generic", "gfx6400", "gfx+900", "gfx 906", "amdgcnspirv"} {
		if v, ok := TargetVersionOf(name); ok {
			t.Errorf("TargetVersionOf(%q) = %d, want none", name, v)
		}
	}
}

func TestGfxOfIP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		major, minor, revision int
		want                   string
	}{
		{9, 4, 2, "gfx90a"}, {9, 4, 3, "gfx942"}, {10, 1, 10, "gfx1010"}, {10, 3, 7, "gfx1036"},
		{11, 0, 3, "gfx1101"}, {11, 0, 4, "gfx1103"}, {11, 5, 1, "gfx1151"}, {12, 0, 1, "gfx1201"},
		{8, 0, 3, ""}, {0, 0, 0, ""},
	} {
		got, ok := GfxOfIP(c.major, c.minor, c.revision)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("GfxOfIP(%d, %d, %d) = %q, %v; want %q", c.major, c.minor, c.revision, got, ok, c.want)
		}
	}
}
