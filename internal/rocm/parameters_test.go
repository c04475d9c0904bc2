package rocm

import "testing"

func TestDefaultOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, gfx, kernel, want string }{
		{"noretry", "gfx900", "6.12.1", "1"}, {"noretry", "gfx942", "6.14.0-34-generic", "1"}, {"noretry", "gfx1030", "6.14.0-34-generic", "1"},
		{"noretry", "gfx1100", "7.2.13", "1"}, {"noretry", "gfx1151", "6.18.8", "1"}, {"noretry", "gfx902", "6.14.0", "0"}, {"noretry", "gfx904", "6.14.0", "0"},
		{"noretry", "gfx1010", "6.14.0-34-generic", "0"}, {"noretry", "gfx1012", "6.18.35", "0"}, // e47b0056a08d is in 6.18.36
		{"noretry", "gfx1010", "6.18.36", "1"}, {"noretry", "gfx1010", "6.18.52-0-lts", "1"}, {"noretry", "gfx1010", "7.2.13+deb14-amd64", "1"},
		{"noretry", "gfx1010", "6.19.4", ""}, {"noretry", "gfx1010", "7.0.3", ""}, {"noretry", "gfx1010", "", ""}, // not told apart
		{"noretry", "gfx90c", "6.1.0", "1"}, {"noretry", "gfx90c", "6.9.0", ""}, {"noretry", "gfx90c", "6.12.0", "0"},
		{"noretry", "gfx1250", "7.2.0", ""}, {"noretry", "gfx803", "6.12.0", ""}, {"noretry", "gfx1030", "5.4.0", ""},
		{"vm_fragment_size", "gfx1010", "6.14.0", "9"}, {"vm_fragment_size", "gfx1010", "", "9"}, {"vm_fragment_size", "gfx803", "6.14.0", ""},
		{"cwsr_enable", "gfx1100", "6.14.0", "1"}, {"sched_policy", "", "", "0"}, {"runpm", "gfx1100", "6.14.0", ""}, {"gtt_size", "gfx1010", "6.14.0", ""},
	} {
		if got, ok := DefaultOf(c.name, c.gfx, c.kernel); got != c.want || ok != (c.want != "") {
			t.Errorf("DefaultOf(%s, %s, %s) = %q, %v; want %q", c.name, c.gfx, c.kernel, got, ok, c.want)
		}
	}
}

func TestNextDefault(t *testing.T) {
	t.Parallel()
	p, _ := LookupParameter("amdgpu", "noretry")
	if value, from, ok := p.NextDefault("gfx1010", "6.14.0-34-generic"); value != "1" || from != "6.18.36" || !ok {
		t.Errorf("gfx1010 on 6.14: %q from %q, %v", value, from, ok)
	}
	for gfx, kernel := range map[string]string{"gfx1010": "7.2.13", "gfx1030": "6.14.0", "gfx1012": ""} {
		if value, from, ok := p.NextDefault(gfx, kernel); ok {
			t.Errorf("%s on %q: %q from %q", gfx, kernel, value, from)
		}
	}
}

func TestParameterReaches(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]bool{"gfx942": true, "gfx950": true, "gfx90a": false, "gfx1010": false, "": false} {
		if p, _ := LookupParameter("amdgpu", "mtype_local"); p.Reaches(gfx) != want {
			t.Errorf("mtype_local reaches %q: not %v", gfx, want)
		}
	}
}

func TestCaution(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value, gfx, kernel string
		want                     bool
	}{
		{"sched_policy", "2", "gfx1100", "6.12.0", true}, {"sched_policy", "0x2", "gfx1100", "6.12.0", true}, {"sched_policy", "1", "gfx1100", "6.12.0", false},
		{"cwsr_enable", "0", "gfx1100", "6.12.0", true}, {"cwsr_enable", "0", "gfx1151", "6.17.8", false}, {"cwsr_enable", "0", "gfx1151", "6.18.8", true},
		{"cwsr_enable", "0", "gfx1151", "", true}, {"cwsr_enable", "1", "gfx1100", "6.12.0", false},
	} {
		p, _ := LookupParameter("amdgpu", c.name)
		if why, got := p.Caution(c.value, c.gfx, c.kernel); got != c.want || got && why == "" {
			t.Errorf("%s=%s on %s with %q: %v %q", c.name, c.value, c.gfx, c.kernel, got, why)
		}
	}
}

func TestNearestParameter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ module, name, wantModule, want string }{
		{"amdgpu", "gtt_size", "amdgpu", "gttsize"}, {"amdgpu", "no_retry", "amdgpu", "noretry"}, {"amdgpu", "cwsr_enabel", "amdgpu", "cwsr_enable"},
		{"amdgpu", "pages_limit", "ttm", "pages_limit"}, {"ttm", "page_limit", "ttm", "pages_limit"}, {"amdgpu", "turbo", "", ""}, {"amdgpu", "#", "", ""},
	} {
		module, got, ok := NearestParameter(c.module, c.name)
		if got != c.want || ok != (c.want != "") || ok && module != c.wantModule {
			t.Errorf("NearestParameter(%s, %s) = %s %s %v, want %s %s", c.module, c.name, module, got, ok, c.wantModule, c.want)
		}
	}
}

func TestKnownParameterName(t *testing.T) {
	t.Parallel()
	if kernels, ok := KnownParameterName("amdgpu", "mes"); !ok || len(kernels) != 2 || kernels[1] != "6.12" {
		t.Errorf("mes: %v %v", kernels, ok)
	}
	if _, ok := KnownParameterName("amdgpu", "dyndbg"); !ok || !IsModuleWide("dyndbg") || IsModuleWide("noretry") {
		t.Error("dyndbg belongs to every module")
	}
	for _, p := range Parameters() { // a row for a name that no kernel has would never be read
		if _, ok := KnownParameterName(p.Module, p.Name); !ok {
			t.Errorf("%s.%s is not among the names", p.Module, p.Name)
		}
	}
}

func TestSameParameterValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"0", "0", true}, {"Y", "1", true}, {"N", "0", true}, {"0x10", "16", true}, {"-1", "18446744073709551615", true},
		{"", "0", false}, {"$(date)", "0", false}, {"a,b", "a,b", true}, {"9", "4", false},
	} {
		if SameParameterValue(c.a, c.b) != c.want {
			t.Errorf("%q and %q: not %v", c.a, c.b, c.want)
		}
	}
}

func FuzzNearestParameter(f *testing.F) {
	f.Add("amdgpu", "gtt_size")
	f.Fuzz(func(t *testing.T, module, name string) {
		m, near, ok := NearestParameter(module, name)
		if _, known := KnownParameterName(m, near); ok && !known {
			t.Errorf("%q of %q is near %q of %q, which does not exist", name, module, near, m)
		}
	})
}
