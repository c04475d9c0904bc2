package rocm

import (
	"path"
	"slices"
	"testing"
)

func TestPythonTablesAreSourced(t *testing.T) {
	t.Parallel()
	checkRows(t, PythonPackages(), func(r PythonPackage) Provenance { return r.Provenance })
	checkRows(t, knownPython().Guards, func(r ImportGuard) Provenance { return r.Provenance })
	checkRows(t, knownPython().Numba, func(r NumbaBound) Provenance { return r.Provenance })
	checkRows(t, knownPackageTargets(), func(r PackageTarget) Provenance { return r.Provenance })
	checkRows(t, []torchIndex{knownTorchFile().Index}, func(r torchIndex) Provenance { return r.Provenance })
	for _, r := range knownPackageTargets() {
		if _, _, ok := PythonPackageOf(r.Package); !ok {
			t.Errorf("targets of %s, which is no package that is looked for", r.Package)
		}
		for _, gfx := range r.Gfx {
			if _, ok := LookupTarget(gfx); !ok {
				t.Errorf("%s names %q, which is no known target", r.Package, gfx)
			}
		}
	}
	for _, p := range PythonPackages() {
		for _, patterns := range p.Files {
			for _, pattern := range patterns {
				if _, err := path.Match(pattern, ""); err != nil {
					t.Errorf("%s: %s: %v", p.Name, pattern, err)
				}
			}
		}
	}
}

func TestLocalBuild(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]struct {
		kind    BuildKind
		release string
	}{
		"2.9.1+rocm6.4":             {BuildROCm, "6.4"},
		"2.11.0+rocm7.14.0a2026081": {BuildROCm, "7.14.0"},
		"2.9.1+rocm7.2.0.lw.git7e":  {BuildROCm, "7.2.0"},
		"2.9.1+xpu":                 {BuildXPU, ""},
		"2.9.1+cu128":               {BuildCUDA, "12.8"},
		"1.10.0+cu92":               {BuildCUDA, "9.2"},
		"2.9.1+cpu":                 {BuildCPU, ""},
		"2.9.1+cpu.cxx11.abi":       {BuildCPU, ""},
		"2.9.1":                     {"", ""},
		"2.9.1+git1234567":          {"", ""},
		"2.9.1+custom":              {"", ""},
	} {
		kind, release, ok := LocalBuild(version)
		if kind != want.kind || release != want.release || ok != (want.kind != "") {
			t.Errorf("%s: %s, %q, %t", version, kind, release, ok)
		}
	}
}

func TestPythonPackageOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		pkg  string
		kind BuildKind
	}{
		"torch": {"torch", ""}, "pytorch-triton-rocm": {"triton", BuildROCm}, "onnxruntime-gpu": {"onnxruntime", BuildCUDA}, "numpy": {"", ""},
	} {
		p, kind, ok := PythonPackageOf(name)
		if p.Name != want.pkg || kind != want.kind || ok != (want.pkg != "") {
			t.Errorf("%s: %s, %s, %t", name, p.Name, kind, ok)
		}
	}
}

func TestTorchFor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ gfx, python, release, version, rocm string }{
		{"gfx1100", "3.12", "", "2.14.0", "7.14"},
		{"gfx1100", "3.12", "2.9.1+cu128", "2.9.1", "6.4"},
		{"gfx1151", "3.12", "2.9.1", "2.14.0", "7.14"}, // 2.9 has no code for it
		{"gfx1100", "3.12", "2.12.0.dev20260301+rocm7.1", "2.12.*", "7.2"},
		{"gfx1100", "3.12", "2.5.1.post303", "2.5.*", "6.2"},
		{"gfx1100", "3.9", "2.14.0", "2.8.0", "6.4"}, // 2.14 has no wheel for it
		{"gfx906", "3.12", "", "2.14.0", "7.2"},      // the newest build has dropped it
		{"gfx803", "3.9", "", "1.10.*", "4.2"},
		{"gfx1010", "3.12", "2.9.1", "", ""},
		{"gfx1100", "3.4", "", "", ""},
	} {
		c, ok := TorchFor(tc.gfx, tc.python, tc.release)
		if c.Version != tc.version || c.ROCm != tc.rocm || ok != (tc.version != "") {
			t.Errorf("%s on Python %s: torch %s for ROCm %s, want %s for %s", tc.gfx, tc.python, c.Version, c.ROCm, tc.version, tc.rocm)
		}
		if want := "https://download.pytorch.org/whl/rocm" + tc.rocm; ok && c.Index != want {
			t.Errorf("the index is %s, want %s", c.Index, want)
		}
	}
}

func TestPackageTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, version, release string
		gfx                    string
		holds                  bool
	}{
		{"ctranslate2", "4.7.1", "", "gfx1100", true},
		{"ctranslate2", "4.8.1", "7.2", "gfx1010", false},
		{"bitsandbytes", "0.49.1", "6.2.4", "gfx1100", true},
		{"bitsandbytes", "0.49.1", "6.2.4", "gfx1201", false},
		{"bitsandbytes", "0.49.1", "7.0", "gfx1201", true},
	} {
		row, ok := PackageTargets(tc.name, tc.version, tc.release)
		if !ok || slices.Contains(row.Gfx, tc.gfx) != tc.holds {
			t.Errorf("%s %s for ROCm %s and %s: %v, %t", tc.name, tc.version, tc.release, tc.gfx, row.Gfx, ok)
		}
	}
	if row, ok := PackageTargets("ctranslate2", "4.6.0", ""); ok {
		t.Errorf("4.6.0 has no ROCm: %v", row)
	}
}

func TestNumbaFor(t *testing.T) {
	t.Parallel()
	for numpy, want := range map[string]string{"2.4": "0.64.0", "2.4.1": "0.64.0", "2.3": "0.62.0", "1.20": "0.56.2", "3.0": ""} {
		if got, _ := NumbaFor(numpy); got.Numba != want {
			t.Errorf("NumPy %s: numba %s, want %s", numpy, got.Numba, want)
		}
	}
}

func TestNewerWithTarget(t *testing.T) {
	t.Parallel()
	if row, ok := NewerWithTarget("bitsandbytes", "0.48.2", "6.4", "gfx1151"); !ok || row.Since != "0.49" {
		t.Errorf("%+v, %t", row, ok)
	}
	if row, ok := NewerWithTarget("bitsandbytes", "0.48.2", "6.3", "gfx1201"); ok {
		t.Errorf("no build for 6.3 holds gfx1201: %+v", row)
	}
}

func TestTorchCompanion(t *testing.T) {
	t.Parallel()
	want, ok := TorchCompanion("2.9.1+rocm6.4", "torchvision")
	if !ok || !SameRelease(want, "0.24.1+cpu") || SameRelease(want, "0.15.2+rocm5.4.2") {
		t.Errorf("torchvision for 2.9.1 is %q, %t", want, ok)
	}
}

// Wheels that pytorch.org did not publish have lists of their own.
func TestTorchTargetsOfOthers(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.9.1+rocm7.2.0.lw.git7e1940d4", "2.9.1+rocm7.2", "2.12.0.dev20260301+rocm7.1", "2.10.0+rocm7.12.0"} {
		if gfx, _, ok := TorchTargets(version); ok {
			t.Errorf("%s holds %v", version, gfx)
		}
	}
}
