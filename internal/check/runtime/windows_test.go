package runtime

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

const sdkRoot = `C:\Program Files\AMD\ROCm\`

// A testSDK is an SDK with the GPUs that its rocBLAS holds.
type testSDK struct {
	version string
	dlls    []machine.DLL
	holds   []string
	onPath  int
}

func testDLL(name, version string) machine.DLL {
	return machine.DLL{Name: name, Version: machine.Know(version, "test")}
}

// testMachine has one GPU, a driver with some runtimes, and SDKs.
func testMachine(gfx string, driver []machine.DLL, sdks ...testSDK) *machine.Machine {
	m := &machine.Machine{OS: "windows"}
	m.GPUs = machine.Know([]machine.GPU{{Vendor: machine.AMD, Gfx: machine.Know(gfx, "test")}}, "test")
	folders := []machine.DLLFolder{{Place: machine.PlaceDriver, Path: `C:\Windows\System32`, DLLs: driver}}
	var found []machine.Installation
	var kernels []machine.KernelFolder
	for _, s := range sdks {
		path := sdkRoot + s.version
		found = append(found, machine.Installation{Version: s.version, Path: path, How: machine.HowHIPSDK})
		folders = append(folders, machine.DLLFolder{Place: machine.PlaceSDK, Path: path + `\bin`, Owner: path, DLLs: s.dlls, OnPath: s.onPath, Listed: machine.Know(len(s.dlls), "test")})
		k := machine.KernelFolder{Library: machine.RocBLAS, Owner: path, Listed: machine.Know(1, "test")}
		for _, h := range s.holds {
			one := machine.KernelFiles{Plain: 1}
			k.Targets = append(k.Targets, machine.KernelTarget{Gfx: h, Index: one, Tuned: one, Helpers: one, Whole: 1})
		}
		kernels = append(kernels, k)
	}
	m.ROCm, m.Kernels, m.Windows.Folders = machine.Know(found, "test"), machine.Know(kernels, "test"), machine.Know(folders, "test")
	return m
}

var (
	hip5        = testDLL("amdhip64.dll", "10.0.3354.13")
	hip6        = testDLL("amdhip64_6.dll", "10.0.3617.0")
	hip7        = testDLL("amdhip64_7.dll", "10.0.3679.0")
	allRuntimes = []machine.DLL{hip5, hip6, hip7}
)

func TestFits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gfx    string
		driver []machine.DLL
		sdks   []testSDK
		want   []string // best first
		better bool     // the first is better than the second, for a reason
	}{
		"the driver decides":            {"gfx1100", []machine.DLL{hip6}, []testSDK{{version: "6.2", holds: []string{"gfx1100"}}, {version: "7.1", holds: []string{"gfx1100"}}}, []string{"6.2", "7.1"}, true},
		"the kernels decide":            {"gfx1030", allRuntimes, []testSDK{{version: "6.4", holds: []string{"gfx1030"}}, {version: "7.1"}}, []string{"6.4", "7.1"}, true},
		"an unread table is no reason":  {"gfx1100", allRuntimes, []testSDK{{version: "6.4"}, {version: "7.1"}}, []string{"6.4", "7.1"}, false},
		"with kernels the table is not": {"gfx1031", allRuntimes, []testSDK{{version: "6.1", holds: []string{"gfx1031"}}, {version: "6.4", holds: []string{"gfx1031"}}}, []string{"6.4", "6.1"}, false},
		"the tables decide":             {"gfx1201", allRuntimes, []testSDK{{version: "6.2"}, {version: "6.4"}}, []string{"6.4", "6.2"}, true},
		"a newer number is no reason":   {"gfx1100", allRuntimes, []testSDK{{version: "6.2"}, {version: "6.4"}}, []string{"6.4", "6.2"}, false},
		"what others built":             {"gfx1010", allRuntimes, []testSDK{{version: "5.5"}, {version: "5.7"}}, []string{"5.7", "5.5"}, true},
		"an unknown major is no reason": {"gfx1100", allRuntimes, []testSDK{{version: "6.4", holds: []string{"gfx1100"}}, {version: "7.3"}}, []string{"6.4", "7.3"}, false},
	} {
		got := fits(testMachine(c.gfx, c.driver, c.sdks...))
		var order []string
		for _, f := range got {
			order = append(order, f.sdk.Version)
		}
		if !slices.Equal(order, c.want) || got[0].better(got[1]) != c.better || got[1].better(got[0]) {
			t.Errorf("%s: %v, better %v; want %v, %v", name, order, got[0].better(got[1]), c.want, c.better)
		}
	}
}

func TestTooOldRemedies(t *testing.T) {
	t.Parallel()
	seven, _ := rocm.DriverDLLOf(7)
	for name, c := range map[string]struct {
		gfx  string
		sdks []testSDK
		want string // the first advice
	}{
		"the SDK holds the GPU":      {"gfx1100", []testSDK{{version: "7.1", holds: []string{"gfx1100"}}}, "windows-newer-driver"},
		"AMD lists the GPU":          {"gfx1100", []testSDK{{version: "7.2"}}, "windows-newer-driver"},
		"the GPU gains nothing":      {"gfx1010", []testSDK{{version: "7.1"}}, "hip-sdk-for-driver"},
		"it was dropped":             {"gfx1030", []testSDK{{version: "7.2"}}, "hip-sdk-for-driver"},
		"another SDK here runs":      {"gfx1100", []testSDK{{version: "7.1", holds: []string{"gfx1100"}}, {version: "6.2"}}, "hip-sdk-for-driver"},
		"without kernels it is open": {"gfx1100", []testSDK{{version: "7.1"}}, "hip-sdk-for-driver"},
	} {
		m := testMachine(c.gfx, []machine.DLL{hip5, hip6}, c.sdks...)
		got := tooOldRemedies(m, m.ROCm.Value[0], seven)
		if len(got) != 2 || got[0].ID != c.want {
			t.Errorf("%s: first %s, want %s", name, got[0].ID, c.want)
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	const same = "10.0.3617.0"
	for name, c := range map[string]struct {
		sdk  string // "" is System32
		dlls []machine.DLL
		cure string // "" for none
		path string // what is renamed
	}{
		"a newer name in an SDK":     {"6.2", []machine.DLL{testDLL("amdhip64_6.dll", same), testDLL("amdhip64_7.dll", same)}, "remove-dll-copy", "amdhip64_7.dll"},
		"an older name in an SDK":    {"6.2", []machine.DLL{testDLL("amdhip64.dll", same), testDLL("amdhip64_6.dll", same)}, "remove-dll-copy", `\amdhip64.dll`},
		"an SDK that nobody knows":   {"9.9", []machine.DLL{testDLL("amdhip64_6.dll", same), testDLL("amdhip64_7.dll", same)}, "none", ""},
		"an SDK that is only a hint": {"7.2", []machine.DLL{testDLL("amdhip64_6.dll", same), testDLL("amdhip64_7.dll", same)}, "none", ""},
		"System32":                   {"", []machine.DLL{testDLL("amdhip64_6.dll", same), testDLL("amdhip64_7.dll", same)}, "windows-repair-driver", ""},
		"different versions":         {"6.2", []machine.DLL{hip6, hip7}, "", ""},
		"no versions":                {"", []machine.DLL{testDLL("amdhip64.dll", "0.0.0.0"), testDLL("amdhip64_6.dll", "0.0.0.0")}, "", ""},
	} {
		m := testMachine("gfx1100", c.dlls, testSDK{version: "6.2"})
		folder := m.DriverFolder()
		if c.sdk != "" {
			m = testMachine("gfx1100", allRuntimes, testSDK{version: c.sdk, dlls: c.dlls})
			folder = m.DLLsOf(m.ROCm.Value[0])
		}
		got := copies(m, folder)
		switch {
		case c.cure == "" && len(got) == 0:
		case len(got) != 1 || got[0].Verdict != check.Warn:
			t.Errorf("%s: %+v", name, got)
		case c.cure == "none" && len(got[0].Remedies) == 0:
		case len(got[0].Remedies) != 1 || got[0].Remedies[0].ID != c.cure || !strings.HasSuffix(got[0].Remedies[0].Steps[0].Path, c.path):
			t.Errorf("%s: %+v", name, got[0].Remedies)
		}
	}
}

func TestJudgePATH(t *testing.T) {
	t.Parallel()
	six := testSDK{version: "6.4", dlls: []machine.DLL{hip6}, holds: []string{"gfx1100"}}
	seven := testSDK{version: "7.1", dlls: []machine.DLL{hip7}, holds: []string{"gfx1100"}}
	on := func(s testSDK, place int) testSDK { s.onPath = place; return s }
	for name, c := range map[string]struct {
		driver  []machine.DLL
		sdks    []testSDK
		hipPath string
		keep    string // "" where nothing is wrong
	}{
		"one major":                    {allRuntimes, []testSDK{on(six, 1), seven}, "", ""},
		"the one that runs":            {[]machine.DLL{hip6}, []testSDK{on(seven, 1), on(six, 2)}, "7.1", "6.4"},
		"both run, HIP_PATH decides":   {allRuntimes, []testSDK{on(seven, 1), on(six, 2)}, "7.1", "7.1"},
		"both run, HIP_PATH the other": {allRuntimes, []testSDK{on(seven, 1), on(six, 2)}, "6.4", "6.4"},
	} {
		m := testMachine("gfx1100", c.driver, c.sdks...)
		if c.hipPath != "" {
			m.Variables = machine.Know([]machine.Variable{{Name: hipPath, Value: sdkRoot + c.hipPath + `\`}}, "test")
		}
		got := judgePATH(m)
		if c.keep == "" {
			if len(got) != 1 || got[0].Verdict != check.OK {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if text := got[0].Remedies[0].Steps[0].Text; !strings.HasPrefix(text, "keep "+sdkRoot+c.keep+`\bin and`) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// HIP_PATH is set where it is set now.
func TestHIPPathScope(t *testing.T) {
	t.Parallel()
	variable := func(version string) machine.Fact[[]machine.Variable] {
		return machine.Know([]machine.Variable{{Name: hipPath, Value: sdkRoot + version + `\`}}, "test")
	}
	none := machine.Know[[]machine.Variable](nil, "test")
	for name, c := range map[string]struct {
		process, user, everybody machine.Fact[[]machine.Variable]
		want                     string
	}{
		"everybody":                   {none, none, variable("7.1"), "hip-path-set"},
		"the user before everybody":   {none, variable("7.1"), variable("6.2"), "hip-path-set-user"},
		"the process has the user's":  {variable("7.1"), variable("7.1"), variable("6.2"), "hip-path-set-user"},
		"the process alone":           {variable("7.1"), none, none, "hip-path-set-here"},
		"the process and the machine": {variable("7.1"), none, variable("6.2"), "hip-path-set-here"},
	} {
		m := testMachine("gfx1100", []machine.DLL{hip6}, testSDK{version: "7.1", dlls: []machine.DLL{hip7}}, testSDK{version: "6.2", dlls: []machine.DLL{hip6}})
		m.Variables, m.Windows.UserVariables, m.Windows.Variables = c.process, c.user, c.everybody
		got := runHIPPath(check.Input{Machine: m})
		if len(got) != 1 || len(got[0].Remedies) != 1 || got[0].Remedies[0].ID != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}
