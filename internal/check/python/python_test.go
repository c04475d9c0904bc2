package python

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func TestGatheredKeepsOppositesApart(t *testing.T) {
	t.Parallel()
	var g gathered
	g.add("torch", check.Finding{Subject: "a", Verdict: check.OK})
	g.add("torch", check.Finding{Subject: "b", Verdict: check.Warn})
	g.add("torch", check.Finding{Subject: "c", Verdict: check.Fail})
	got := g.findings("none")
	if len(got) != 2 || got[0].Verdict != check.OK || len(got[0].Evidence) != 0 {
		t.Fatalf("got %+v", got)
	}
	// The failure speaks for the warning.
	if got[1].Subject != "c" || got[1].Verdict != check.Fail || len(got[1].Evidence) != 1 || got[1].Evidence[0].From != "b" {
		t.Errorf("got %+v", got[1])
	}
	var none gathered
	if got := none.findings("no torch"); len(got) != 1 || got[0].Verdict != check.Skipped {
		t.Errorf("got %+v", got)
	}
}

func TestSaysOf(t *testing.T) {
	t.Parallel()
	guard, ok := rocm.GuardOf("numba")
	if !ok {
		t.Fatal("numba has no guard")
	}
	for _, tc := range []struct{ requirement, found, want string }{
		{"numpy<2.4,>=1.22", "2.4.1", "Numba needs NumPy 2.3 or less. Got NumPy 2.4."},
		{"numpy>=1.22,<2.1", "2.3.5", "Numba needs NumPy 2.0 or less. Got NumPy 2.3."},
		{"numpy<2,>=1.22", "2.3.5", ""},   // no minor number to name
		{"numpy<2.4,>=1.22", "1.20", ""},  // too old, not too new
		{"numpy<2.0,>=1.22", "2.3.5", ""}, // there is no 2.-1
	} {
		u := machine.UnmetRequirement{Name: "numpy", Requirement: tc.requirement, Found: tc.found}
		if got := saysOf(guard, u); got != tc.want {
			t.Errorf("%s, found %s: %q, want %q", tc.requirement, tc.found, got, tc.want)
		}
	}
}

func TestUnlike(t *testing.T) {
	t.Parallel()
	build := func(kind rocm.BuildKind, release string) machine.Fact[machine.PythonBuild] {
		return machine.Know(machine.PythonBuild{Kind: kind, ROCm: release}, "x")
	}
	torch := machine.PythonPackage{Package: "torch", PythonDistribution: machine.PythonDistribution{Name: "torch", Version: "2.9.1+rocm6.4"}, Build: build(rocm.BuildROCm, "6.4")}
	for _, tc := range []struct {
		version string
		build   machine.Fact[machine.PythonBuild]
		want    string
	}{
		{"0.24.1+rocm6.4", build(rocm.BuildROCm, "6.4"), ""},
		{"0.24.1+cpu", build(rocm.BuildCPU, ""), "it is a build for CPU"},
		{"0.24.1+rocm6.3", build(rocm.BuildROCm, "6.3"), "it is a build for ROCm 6.3"},
		{"0.15.2+rocm6.4", build(rocm.BuildROCm, "6.4"), "with this torch goes 0.24.x"},
	} {
		p := machine.PythonPackage{Package: "torchvision", PythonDistribution: machine.PythonDistribution{Name: "torchvision", Version: tc.version}, Build: tc.build}
		if got := unlike(torch, p); got != tc.want {
			t.Errorf("torchvision %s: %q, want %q", tc.version, got, tc.want)
		}
	}
}

// No command of a cure would install or remove something by the wrong tool, or
// under a name that a stranger may have taken.
func TestInstall(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{OS: "linux", Container: machine.Missing[machine.Container]("x")}
	torch := machine.PythonPackage{
		Package: "torch", PythonDistribution: machine.PythonDistribution{Name: "torch", Version: "2.9.1+rocm6.4"},
		Build: machine.Know(machine.PythonBuild{Kind: rocm.BuildROCm}, "x"),
	}
	list := []machine.UnmetRequirement{{Name: "sympy", Requirement: "sympy>=1.13"}, {Name: "mine", Requirement: "mine", Address: true}}
	for _, tc := range []struct {
		e    machine.PythonEnvironment
		want string
	}{
		{machine.PythonEnvironment{Prefix: "/v", Kind: "venv"}, "/v/bin/python -m pip install 'sympy>=1.13'"},
		{machine.PythonEnvironment{Prefix: "/v", Kind: "venv", Watched: []machine.PythonPackage{torch}}, "/v/bin/python -m pip install -c rocm-constraints.txt 'sympy>=1.13'"},
		{machine.PythonEnvironment{Prefix: "/v", Kind: "venv", Installer: "uv"}, "uv pip install --python /v/bin/python 'sympy>=1.13'"},
		{machine.PythonEnvironment{Prefix: "/my v", Kind: "venv"}, "'/my v/bin/python' -m pip install 'sympy>=1.13'"},
		{machine.PythonEnvironment{Prefix: "/usr", Kind: "system"}, ""},
	} {
		got := install(m, tc.e, list)
		if len(got) != 1 {
			t.Fatalf("%s: %+v", tc.e.Prefix, got)
		}
		if last := got[0].Steps[len(got[0].Steps)-1].Command; last != tc.want {
			t.Errorf("%s: %s, want %s", tc.e.Prefix, last, tc.want)
		}
	}
	if got := install(m, machine.PythonEnvironment{Prefix: "/v"}, list[1:]); got != nil {
		t.Errorf("a package by address: %+v", got)
	}
}

func TestClosedIsNotFine(t *testing.T) {
	t.Parallel()
	for _, active := range []bool{true, false} {
		e := machine.PythonEnvironment{Prefix: "/v", Kind: "venv", Active: active, Read: true, Closed: []string{"/v/lib"}}
		m := &machine.Machine{Python: machine.Know([]machine.PythonEnvironment{e}, "x")}
		for _, run := range []func(check.Input) []check.Finding{runRequirements, runPackages} {
			got := run(check.Input{Machine: m})
			want := check.Skipped
			if active {
				want = check.Unknown
			}
			if len(got) != 1 || got[0].Verdict != want || !strings.Contains(got[0].Message, "/v/lib may not be read") {
				t.Errorf("active %t: %+v", active, got)
			}
		}
	}
}
