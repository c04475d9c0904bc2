package rocm

import (
	"slices"
	"strings"
	"testing"
)

func TestLookupRelease(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"7.2": "7.2.0", "7.2.1": "7.2.1", "10.1": "10.1.0", "6.2.0-66": "6.2.0", " 5.7.1\n": "5.7.1",
		"": "", "7": "", "7.2.99": "", "8.0.0": "", "6.4.43484.1": "", "newest": "", "7.2.x": "",
	} {
		r, ok := LookupRelease(version)
		if r.Version != want || ok != (want != "") {
			t.Errorf("LookupRelease(%q) = %q, %v; want %q", version, r.Version, ok, want)
		}
	}
}

func TestReleasesAreInOrder(t *testing.T) {
	t.Parallel()
	all := Releases()
	if !slices.IsSortedFunc(all, func(a, b Release) int { return CompareKernel(a.Version, b.Version) }) {
		t.Error("releases are not sorted by version")
	}
	if len(all) < 60 {
		t.Errorf("%d releases, want at least 60", len(all))
	}
	if newest := NewestRelease(); newest.Version != all[len(all)-1].Version {
		t.Errorf("newest release is %q, last row %q", newest.Version, all[len(all)-1].Version)
	}
}

func TestSupportOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release, gfx string
		want         Support
		note         string
	}{
		{"7.2.0", "gfx1100", Supported, "7.2.0"},
		{"6.0.0", "gfx906", Deprecated, "6.0.0"},
		{"6.4.1", "gfx906", Dropped, "6.4.0"},
		{"6.4.0", "gfx1201", NotYet, "6.4.1"},
		{"7.2.0", "gfx1150", NotYet, "7.14.0"},
		{"10.1.0", "gfx1010", NeverListed, "5.0.0"},
		{"7.12.0", "gfx1100", Unlisted, "no list"},
		{"7.2.0", "gfx1151", Supported, "6.18.4"}, // on no list, and works on a fixed kernel
		{"7.2.4", "gfx1151", Supported, "6.18.4"},
		{"7.11.0", "gfx1151", Supported, "6.18.4"},
		{"7.1.0", "gfx1151", NotYet, "7.2.0"},
		{"10.0.0", "gfx1151", Supported, "10.0.0"},
	} {
		rel, ok := LookupRelease(c.release)
		if got, note := SupportOf(rel, c.gfx); !ok || got != c.want || !strings.Contains(note, c.note) {
			t.Errorf("SupportOf(%s, %s) = %s (%s), want %s with %q", c.release, c.gfx, got, note, c.want, c.note)
		}
	}
}

func TestLibraryCoverage(t *testing.T) {
	t.Parallel()
	covered := func(gfx, library, releases string) (covered, found bool) {
		for _, c := range LibraryCoverage(gfx) {
			if c.Library == library && c.Releases == releases {
				return c.Covered, true
			}
		}
		return false, false
	}
	for _, c := range []struct {
		gfx, library, releases string
		covered, found         bool
	}{
		{"gfx1100", "rocBLAS", "6.4.0", true, true},
		{"gfx906", "rocBLAS", "6.4.0", false, true},
		{"gfx1030", "hipBLASLt", "TheRock 7.9-10.x", false, true},
		{"gfx1100", "hipBLASLt", "TheRock 7.9-10.x", false, false}, // not excluded says nothing
	} {
		if got, found := covered(c.gfx, c.library, c.releases); got != c.covered || found != c.found {
			t.Errorf("%s in %s %s: %v, %v; want %v, %v", c.gfx, c.library, c.releases, got, found, c.covered, c.found)
		}
	}
}

func TestRegressions(t *testing.T) {
	t.Parallel()
	has := func(gfx, symptom string) bool {
		return slices.ContainsFunc(Regressions(gfx), func(r Regression) bool { return strings.Contains(r.Symptom, symptom) })
	}
	if !has("gfx906", "TensileLibrary.dat") || has("gfx1100", "TensileLibrary.dat") {
		t.Error("the missing Tensile library concerns gfx906 and not gfx1100")
	}
	if !has("gfx1100", "gemm_ex") {
		t.Error("a regression of every GPU concerns gfx1100")
	}
}

func TestDriverPairing(t *testing.T) {
	t.Parallel()
	if rule, from := DriverPairing(); !strings.Contains(rule, "a year apart") || from.Source == "" {
		t.Errorf("DriverPairing() = %q, %v", rule, from)
	}
}

func TestSonameMajor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		library, version string
		want             int
	}{
		{"libamd_comgr", "6.4.43484", 3}, {"libamd_comgr", "6.3", 2}, {"libamd_comgr", "5.7.1", 2}, {"libamd_comgr", "7.2", 3},
		{"libamdhip64", "6.2", 6}, {"libamdhip64", "10.1.0", 7}, {"libhipblas", "5.7", 1}, {"libamd_smi", "10.2", 27},
		{"libamd_smi", "6.2", 0}, {"libhipblas", "5.6", 0}, {"libamdhip64", "six", 0}, {"libnone", "6.4", 0},
	} {
		got, ok := SonameMajor(tt.library, tt.version)
		if got != tt.want || ok != (tt.want != 0) {
			t.Errorf("%s of %s: %d, %v", tt.library, tt.version, got, ok)
		}
	}
}
