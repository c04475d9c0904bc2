package machine_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// withDLLs is a machine with one installation and the DLLs of its folder.
func withDLLs(i machine.Installation, dlls ...string) *machine.Machine {
	f := machine.DLLFolder{Place: machine.PlaceSDK, Owner: i.Path}
	for _, name := range dlls {
		f.DLLs = append(f.DLLs, machine.DLL{Name: name})
	}
	m := &machine.Machine{OS: "windows", ROCm: machine.Know([]machine.Installation{i}, "test")}
	m.Windows.Folders = machine.Know([]machine.DLLFolder{f}, "test")
	return m
}

func TestHIPMajor(t *testing.T) {
	t.Parallel()
	sdk := func(version string) machine.Installation {
		return machine.Installation{Path: `C:\sdk`, Version: version, How: machine.HowHIPSDK}
	}
	for name, c := range map[string]struct {
		sdk  machine.Installation
		dlls []string
		want int
	}{
		"the folder tells":                     {sdk("9.9"), []string{"amdhip64_7.dll"}, 7},
		"the folder before the table":          {sdk("6.2"), []string{"amdhip64_7.dll"}, 7},
		"of two, the one of the version":       {sdk("6.2"), []string{"amdhip64_6.dll", "amdhip64_7.dll"}, 6},
		"of two without a version, the newest": {sdk(""), []string{"amdhip64.dll", "amdhip64_6.dll"}, 6},
		"no DLL, a version that is known":      {sdk("6.2.4"), nil, 6},
		"no DLL, a row that is a hint":         {sdk("7.2"), nil, 0},
		"nothing tells":                        {sdk("7.3"), nil, 0},
		"wheels have versions of their own":    {machine.Installation{Path: `C:\w`, Version: "6.2", How: machine.HowWheels}, nil, 0},
	} {
		if got := withDLLs(c.sdk, c.dlls...).HIPMajor(c.sdk); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestSamePath(t *testing.T) {
	t.Parallel()
	const long = `C:\Program Files\AMD\ROCm\6.2`
	for path, want := range map[string]bool{
		long:                                true,
		`c:\program files\amd\rocm\6.2\`:    true,
		`C:/Program Files/AMD/ROCm/6.2/`:    true,
		`C:\PROGRA~1\AMD\ROCm\6.2`:          true,
		`C:\PROGRA~1\AMD\ROCm\7.1`:          false,
		`C:\Program Files\AMD\ROCm`:         false,
		`C:\Program Files\AMD\ROCm\6.2\bin`: false,
		`D:\Program Files\AMD\ROCm\6.2`:     false,
		`C:\WINDOW~1\AMD\ROCm\6.2`:          false,
		``:                                  false,
	} {
		if machine.SamePath(path, long) != want || machine.SamePath(long, path) != want {
			t.Errorf("%q: want %v", path, want)
		}
	}
}

func TestSDKName(t *testing.T) {
	t.Parallel()
	for want, i := range map[string]machine.Installation{
		"HIP SDK 6.2":             {How: machine.HowHIPSDK, Version: "6.2"},
		`the SDK in D:\hip`:       {How: machine.HowHIPSDK, Path: `D:\hip`},
		"the wheels of ROCm 7.12": {How: machine.HowWheels, Version: "7.12"},
	} {
		if got := i.SDKName(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
