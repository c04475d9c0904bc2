package rocm

import (
	"slices"
	"testing"
)

// TestEveryRowIsSourced loads every table, which would panic on a malformed one, and holds each row to its citation.
func TestEveryRowIsSourced(t *testing.T) {
	t.Parallel()
	for table, count := range map[string]int{
		"targets":            checkRows(t, Targets(), func(r Target) Provenance { return r.Provenance }),
		"generics":           checkRows(t, Generics(), func(r Generic) Provenance { return r.Provenance }),
		"gc_ip":              checkRows(t, targetData.IPs, func(r ipVersion) Provenance { return r.Provenance }),
		"overrides":          checkRows(t, targetData.Overrides, func(r overrideRow) Provenance { return r.Provenance }),
		"chips":              checkRows(t, knownProducts().chips, func(r chip) Provenance { return r.Provenance }),
		"apu_products":       checkRows(t, knownProducts().apus, func(r apuProduct) Provenance { return r.Provenance }),
		"releases":           checkRows(t, Releases(), func(r Release) Provenance { return r.Provenance }),
		"coverage":           checkRows(t, knownReleases().coverage, func(r coverageRow) Provenance { return r.Provenance }),
		"regressions":        checkRows(t, knownReleases().regressions, func(r Regression) Provenance { return r.Provenance }),
		"sonames":            checkRows(t, Sonames(), func(r Soname) Provenance { return r.Provenance }),
		"drivers":            checkRows(t, DriverVersions(), func(r DriverVersion) Provenance { return r.Provenance }),
		"kernels":            checkRows(t, knownLinux().kernels, func(r KernelRule) Provenance { return r.Provenance }),
		"firmware":           checkRows(t, knownLinux().firmware, func(r FirmwareRule) Provenance { return r.Provenance }),
		"known_bad":          checkRows(t, knownLinux().knownBad, func(r KnownBadKernel) Provenance { return r.Provenance }),
		"atomics":            checkRows(t, knownLinux().atomics, func(r AtomicsRule) Provenance { return r.Provenance }),
		"firmware_files":     checkRows(t, FirmwareFiles(), func(r FirmwareFile) Provenance { return r.Provenance }),
		"parameters":         checkRows(t, Parameters(), func(r Parameter) Provenance { return r.Provenance }),
		"memory":             checkRows(t, knownLinux().memory, func(r MemoryRule) Provenance { return r.Provenance }),
		"log_patterns":       checkRows(t, LogPatterns(), func(r LogPattern) Provenance { return r.Provenance }),
		"distro_permissions": checkRows(t, DistroPermissions(), func(r DistroPermission) Provenance { return r.Provenance }),
		"variables":          checkRows(t, Variables(), func(r Variable) Provenance { return r.Provenance }),
		"components":         checkRows(t, load[nameFile]("env_names").Components, func(r readerRow) Provenance { return r.Provenance }),
		"inventions":         checkRows(t, Inventions(), func(r Invention) Provenance { return r.Provenance }),
		"setting rules":      checkRows(t, SettingRules(), func(r SettingRule) Provenance { return r.Provenance }),
		"setting enums":      checkRows(t, settingData.Enums, func(r enumRule) Provenance { return r.Provenance }),
		"setting numbers":    checkRows(t, settingData.Numbers, func(r numberRule) Provenance { return r.Provenance }),
		"setting booleans":   checkRows(t, settingData.Booleans, func(r booleanRule) Provenance { return r.Provenance }),
		"setting paths":      checkRows(t, PathRules(), func(r PathRule) Provenance { return r.Provenance }),
		"hip sdks":           checkRows(t, WindowsSDKs(), func(r WindowsSDK) Provenance { return r.Provenance }),
		"sdk coverage":       checkRows(t, knownWindows().Coverage, func(r SDKCoverage) Provenance { return r.Provenance }),
		"driver dlls":        checkRows(t, DriverDLLs(), func(r DriverDLL) Provenance { return r.Provenance }),
		"windows rules":      checkRows(t, knownWindows().Rules, func(r WindowsRule) Provenance { return r.Provenance }),
		"community kernels":  checkRows(t, knownWindows().Community, func(r CommunityKernels) Provenance { return r.Provenance }),
		"kernel archives":    checkRows(t, knownWindows().Archives, func(r KernelArchive) Provenance { return r.Provenance }),
		"code libraries":     checkRows(t, codeData.Libraries, func(r CodeLibrary) Provenance { return r.Provenance }),
		"code objects":       checkRows(t, codeData.CodeObjects, func(r CodeObjectRule) Provenance { return r.Provenance }),
		"amd builds":         checkRows(t, knownAMDBuilds(), func(r AMDBuild) Provenance { return r.Provenance }),
		"images":             checkRows(t, Images(), func(r Image) Provenance { return r.Provenance }),
		"python requires":    checkRows(t, PythonRequirements(), func(r PythonRequires) Provenance { return r.Provenance }),
		"python indices":     checkRows(t, PythonIndices(), func(r PythonIndex) Provenance { return r.Provenance }),
		"filter_layers":      checkRows(t, DeviceFilterLayers(), func(r FilterLayer) Provenance { return r.Provenance }),
	} {
		if count == 0 {
			t.Errorf("table %s is empty", table)
		}
	}
}

func checkRows[T any](t *testing.T, list []T, of func(T) Provenance) int {
	t.Helper()
	grades := []Confidence{Documented, SourceCode, Community}
	for _, r := range list {
		if p := of(r); p.Source == "" || !slices.Contains(grades, p.Confidence) {
			t.Errorf("%T %#v has provenance %#v", r, r, p)
		}
	}
	return len(list)
}

// TestNamedTargetsAreKnown holds every gfx name in every table against the table of targets.
func TestNamedTargetsAreKnown(t *testing.T) {
	t.Parallel()
	known := func(where string, names ...string) {
		for _, gfx := range names {
			if _, ok := LookupTarget(gfx); !ok && gfx != everyGPU {
				t.Errorf("%s names %q, which is no known target", where, gfx)
			}
		}
	}
	for _, g := range Generics() {
		known(g.Name, g.Members...)
	}
	for _, ip := range targetData.IPs {
		known("gc_ip "+ip.GC, ip.Gfx)
	}
	for _, o := range targetData.Overrides {
		known("override "+o.Value, o.Real...)
	}
	for _, c := range knownProducts().chips {
		known("chip "+c.Chip, c.Gfx)
	}
	for _, a := range knownProducts().apus {
		known(a.Product, a.Gfx)
	}
	for _, r := range Releases() {
		known("release "+r.Version, slices.Concat(r.Gfx, r.Deprecated)...)
	}
	for _, c := range knownReleases().coverage {
		known("coverage of "+c.Library, slices.Concat(c.Gfx, c.Excluded)...)
	}
	for _, r := range knownReleases().regressions {
		known("regression "+r.Symptom, r.Gfx...)
	}
	for _, c := range knownWindows().Coverage {
		known("SDK "+c.SDK, slices.Concat(c.Libraries, c.RuntimeOnly, c.Unsupported, c.Dropped)...)
	}
	for _, c := range knownWindows().Community {
		known(c.Project, c.Gfx...)
	}
	for _, a := range knownWindows().Archives {
		known(a.Name, a.Gfx...)
	}
	for _, b := range knownAMDBuilds() {
		known("build of "+b.Package, b.Gfx...)
	}
	for _, k := range knownLinux().kernels {
		known("kernel rule "+k.Text, k.Gfx...)
	}
}

func TestProvenanceString(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Provenance{
		"documented: ROCm/rocm-docs":      {Source: "ROCm/rocm-docs", Confidence: Documented},
		"community: a log (not verified)": {Source: "a log", Confidence: Community, Unverified: true},
	} {
		if got := p.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// BenchmarkLoad bounds what the tables cost at start-up; it goes past the cached ones.
func BenchmarkLoad(b *testing.B) {
	for _, table := range []struct {
		name string
		load func()
	}{
		{"gpus+linux", func() { loadProducts(); loadLinux() }},
		{"gpus", func() { loadProducts() }},
		{"linux", func() { loadLinux() }},
		{"releases", func() { loadReleases() }},
		{"env", func() { loadVariables() }},
		{"env_names", func() { loadNames() }},
	} {
		b.Run(table.name, func(b *testing.B) {
			for b.Loop() {
				table.load()
			}
		})
	}
}
