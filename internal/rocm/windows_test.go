package rocm

import (
	"slices"
	"testing"
)

func TestSupportInSDK(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sdk, gfx string
		want     SDKSupport
	}{
		{"6.2", "gfx1100", SDKLibraries},
		{"6.2", "gfx1031", SDKRuntimeOnly},
		{"6.2", "gfx1010", SDKUnlisted},
		{"6.4", "gfx1151", SDKUnknown}, // a hint keeps it from being called unlisted
		{"6.4", "gfx1150", SDKUnknown}, // the section for Ryzen was not read
		{"6.4", "gfx1010", SDKUnlisted},
		{"6.4", "gfx906", SDKUnlisted},
		{"7.2", "gfx1103", SDKUnknown}, // the table was not read to its end
		{"7.1", "gfx1100", SDKUnknown}, // its table was not read
		{"7.2", "gfx1100", SDKLibraries},
		{"7.2", "gfx1030", SDKDropped},
		{"9.9", "gfx1100", SDKUnknown},
	} {
		if got, _ := SupportInSDK(c.sdk, c.gfx); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.gfx, c.sdk, got, c.want)
		}
	}
}

func TestLookupWindowsSDK(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"6.2": "6.2", "6.2.4": "6.2", "7.1": "7.1", "6": "", "": "", "6.20": ""} {
		if got, _ := LookupWindowsSDK(version); got.SDK != want {
			t.Errorf("%q is SDK %q, want %q", version, got.SDK, want)
		}
	}
}

func TestCommunityKernelsFor(t *testing.T) {
	t.Parallel()
	got, ok := CommunityKernelsFor("6.2", "gfx1010")
	if !ok || got.Release != "v0.6.2.4" || got.Archive == "" {
		t.Errorf("gfx1010 in 6.2: %+v", got)
	}
	if _, ok := CommunityKernelsFor("7.1", "gfx1010"); ok {
		t.Error("nobody built kernels for 7.1")
	}
	if _, ok := CommunityKernelsFor("6.2", "gfx1100"); ok {
		t.Error("nobody needs kernels for gfx1100")
	}
}

func TestNewestSDKFor(t *testing.T) {
	t.Parallel()
	all := func(int) bool { return true }
	five := func(major int) bool { return major == 5 }
	for _, c := range []struct {
		gfx  string
		runs func(int) bool
		want string
	}{
		{"gfx1030", all, "6.4.2"},
		{"gfx1030", five, "5.7.1"},
		{"gfx1201", five, ""},
		{"gfx1100", all, "6.4.2"}, // that SDK 7.2 exists was not verified
		{"gfx1010", all, ""},
	} {
		if got, _ := NewestSDKFor(c.gfx, c.runs); got.Release != c.want {
			t.Errorf("%s: %q, want %q", c.gfx, got.Release, c.want)
		}
	}
}

func TestSDKOfVariable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"HIP_PATH_62": "6.2", "HIP_PATH_71": "7.1", "HIP_PATH": "", "HIP_PATH_99": ""} {
		if got, _ := SDKOfVariable(name); got.SDK != want {
			t.Errorf("%s is %q, want %q", name, got.SDK, want)
		}
	}
}

func TestDebianHolds(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]bool{"gfx1010": true, "gfx1100": true, "gfx1151": false, "gfx1201": false, "gfx942": false} {
		if DebianHolds(gfx) != want {
			t.Errorf("%s: %v", gfx, !want)
		}
	}
}

func TestRuntimeMajor(t *testing.T) {
	t.Parallel()
	for dll, want := range map[string]int{"amdhip64.dll": 5, "amdhip64_6.dll": 6, "AMDHIP64_7.DLL": 7, "amdhip64_x.dll": 0} {
		if got, _ := RuntimeMajor(dll); got != want {
			t.Errorf("%s: %d, want %d", dll, got, want)
		}
	}
}

func TestComgrNames(t *testing.T) {
	t.Parallel()
	got := ComgrNames(7)
	if len(got) < 3 || got[0] != "amd_comgr_3.dll" || !slices.Contains(got, "amd_comgr0701.dll") {
		t.Errorf("HIP 7 loads %v", got)
	}
	if got := ComgrNames(4); len(got) != 0 {
		t.Errorf("HIP 4 loads %v", got)
	}
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	if CompareVersions("10.0.3617.0", "10.0.3640.0") != -1 || CompareVersions("7.1", "7.1.0") != 0 || CompareVersions("7.10", "7.9") != 1 {
		t.Error("versions are compared as text")
	}
}
