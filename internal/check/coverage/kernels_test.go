package coverage

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func complete(gfx string) machine.KernelTarget {
	one := machine.KernelFiles{Plain: 1}
	return machine.KernelTarget{Gfx: gfx, Index: one, Tuned: one, Helpers: one, Whole: 1}
}

func folderOf(owner string, gfx ...string) machine.KernelFolder {
	f := machine.KernelFolder{Library: machine.RocBLAS, Path: owner + "/lib/rocblas/library", Owner: owner, Listed: machine.Know(len(gfx), "test")}
	for _, g := range gfx {
		f.Targets = append(f.Targets, complete(g))
	}
	return f
}

// on is a machine with GPUs, installations and their folders of kernels.
func on(system string, gfx []string, installed []machine.Installation, folders ...machine.KernelFolder) *machine.Machine {
	m := &machine.Machine{OS: system, ROCm: machine.Know(installed, "test"), Kernels: machine.Know(folders, "test")}
	m.Distro = machine.Know(machine.Distro{ID: "ubuntu", Like: []string{"debian"}}, "test")
	m.Variables = machine.Know[[]machine.Variable](nil, "test")
	var gpus []machine.GPU
	for n, g := range gfx {
		gpus = append(gpus, machine.GPU{Vendor: machine.AMD, Name: "card " + g, Gfx: machine.Know(g, "test"), Node: machine.Know(n+1, "test")})
	}
	m.GPUs = machine.Know(gpus, "test")
	if system == "windows" {
		m.Distro = machine.Know(machine.Distro{ID: "windows"}, "test")
		m.Windows.Folders = machine.Know([]machine.DLLFolder{{Place: machine.PlaceDriver, DLLs: []machine.DLL{{Name: "amdhip64.dll"}, {Name: "amdhip64_6.dll"}}}}, "test")
	}
	return m
}

func TestRocBLAS(t *testing.T) {
	t.Parallel()
	amd := func(version string) machine.Installation {
		return machine.Installation{Version: version, Path: "/opt/rocm-" + version, How: machine.HowAMDPackages}
	}
	sdk := func(version string) machine.Installation {
		return machine.Installation{Version: version, Path: `C:\ROCm\` + version, How: machine.HowHIPSDK}
	}
	closed := folderOf("/opt/rocm-6.4.0")
	closed.Listed = machine.Unknown[int]("test", "permission denied")
	gone := folderOf("/opt/rocm-6.4.0")
	gone.Listed = machine.Missing[int]("test")
	named := gone
	named.Owner, named.Variable = "", "ROCBLAS_TENSILE_LIBPATH"
	for name, c := range map[string]struct {
		m     *machine.Machine
		want  check.Verdict
		cures []string
	}{
		"there":                          {on("linux", []string{"gfx1030"}, []machine.Installation{amd("6.4.0")}, folderOf("/opt/rocm-6.4.0", "gfx1030")), check.OK, nil},
		"lost from a package":            {on("linux", []string{"gfx1030"}, []machine.Installation{amd("6.4.0")}, folderOf("/opt/rocm-6.4.0")), check.Fail, []string{"reinstall-rocblas"}},
		"Debian holds it":                {on("linux", []string{"gfx1010"}, []machine.Installation{amd("6.4.0")}, folderOf("/opt/rocm-6.4.0", "gfx1100")), check.Fail, []string{"native-wheels", "distribution-rocblas"}},
		"Debian does not":                {on("linux", []string{"gfx1151"}, []machine.Installation{amd("6.4.0")}, folderOf("/opt/rocm-6.4.0", "gfx1100")), check.Fail, []string{"native-wheels"}},
		"a folder that is gone":          {on("linux", []string{"gfx1030"}, []machine.Installation{amd("6.4.0")}, gone), check.Fail, []string{"reinstall-rocblas"}},
		"a folder that is closed":        {on("linux", []string{"gfx1030"}, []machine.Installation{amd("6.4.0")}, closed), check.Unknown, nil},
		"a variable leads nowhere":       {on("linux", []string{"gfx1030"}, []machine.Installation{amd("6.4.0")}, folderOf("/opt/rocm-6.4.0", "gfx1030"), named), check.Fail, []string{"env-unset"}},
		"another release has them":       {on("linux", []string{"gfx1030"}, []machine.Installation{amd("6.2.0"), amd("6.4.0")}, folderOf("/opt/rocm-6.2.0"), folderOf("/opt/rocm-6.4.0", "gfx1030")), check.Warn, []string{"other-installation"}},
		"another release may have them":  {on("linux", []string{"gfx1201"}, []machine.Installation{amd("6.2.0"), amd("6.4.0")}, folderOf("/opt/rocm-6.2.0"), closed), check.Warn, []string{"native-wheels"}},
		"another GPU has its own":        {on("linux", []string{"gfx1151", "gfx1030"}, []machine.Installation{amd("6.4.0")}, folderOf("/opt/rocm-6.4.0", "gfx1030")), check.Warn, []string{"native-wheels"}},
		"Windows, a known archive":       {on("windows", []string{"gfx1010"}, []machine.Installation{sdk("6.2")}, folderOf(`C:\ROCm\6.2`, "gfx1100")), check.Fail, []string{"community-kernels"}},
		"Windows, no archive by name":    {on("windows", []string{"gfx900"}, []machine.Installation{sdk("5.7")}, folderOf(`C:\ROCm\5.7`, "gfx1100")), check.Fail, []string{"community-kernels-look"}},
		"Windows, another SDK lists it":  {on("windows", []string{"gfx1200"}, []machine.Installation{sdk("6.2")}, folderOf(`C:\ROCm\6.2`, "gfx1100")), check.Fail, []string{"hip-sdk-other", "native-wheels"}},
		"Windows, nobody has built it":   {on("windows", []string{"gfx803"}, []machine.Installation{sdk("5.5")}, folderOf(`C:\ROCm\5.5`, "gfx1100")), check.Fail, []string{"kernels-own-build"}},
		"Windows, the names may not fit": {on("windows", []string{"gfx1010"}, []machine.Installation{sdk("6.2")}, folderOf(`C:\ROCm\6.2`, "gfx1010")), check.Warn, nil},
		"Windows, a major nobody knows":  {on("windows", []string{"gfx1100"}, []machine.Installation{sdk("7.3")}, folderOf(`C:\ROCm\7.3`, "gfx1100")), check.OK, nil},
		"Windows, the driver lacks it":   {on("windows", []string{"gfx1100"}, []machine.Installation{sdk("7.1")}, folderOf(`C:\ROCm\7.1`, "gfx1100")), check.Skipped, nil},
	} {
		got := runRocBLAS(check.Input{Machine: c.m})[0]
		var ids []string
		for _, r := range got.Remedies {
			ids = append(ids, r.ID)
		}
		if got.Verdict != c.want || !slices.Equal(ids, c.cures) {
			t.Errorf("%s: %s %v, want %s %v\n%s", name, got.Verdict, ids, c.want, c.cures, got.Message)
		}
	}
}

// Who replaces rocBLAS is told which other GPU may lose its kernels, and how to
// come back.
func TestReplacingSaysWhatItCosts(t *testing.T) {
	t.Parallel()
	m := on("windows", []string{"gfx1010", "gfx1100"}, []machine.Installation{{Version: "6.2", Path: `C:\ROCm\6.2`, How: machine.HowHIPSDK}}, folderOf(`C:\ROCm\6.2`, "gfx1100"))
	got := runRocBLAS(check.Input{Machine: m})[0]
	var text strings.Builder
	for _, s := range got.Remedies[0].Steps {
		text.WriteString(s.Text + "\n")
	}
	for _, want := range []string{"card gfx1100 (gfx1100)", "may lose", "administrator", "undo", "hash"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if got.Remedies[0].Risk == "safe" || got.Verdict != check.Warn {
		t.Errorf("%s, %s", got.Remedies[0].Risk, got.Verdict)
	}
}
