package rocm

import (
	"slices"
	"testing"
)

func TestMatrixVerdict(t *testing.T) {
	t.Parallel()
	const supported, unstable, unsupported, none = "supported", "unstable", "unsupported", ""
	for _, c := range []struct{ rocm, fixed, older string }{
		{"7.14.0", supported, unstable}, {"7.12.0", supported, unstable}, {"7.11.0", supported, unstable},
		{"7.10.0", unsupported, unstable}, {"7.9.0", unsupported, unstable},
		{"7.2.4", supported, unstable}, {"7.2.1", supported, unstable},
		{"7.2.0", supported, unsupported}, {"7.2", supported, unsupported},
		{"7.1.0", unsupported, unstable}, {"7.1.1", unsupported, unstable},
		{"6.4.0", unsupported, unstable}, {"6.4.4", unsupported, unstable},
		{"10.1.0", none, none}, {"7.0.2", none, none}, {"6.4", unsupported, unstable}, {"rubbish", none, none},
	} {
		fixed, _, okFixed := MatrixVerdict("gfx1151", c.rocm, true)
		older, _, okOlder := MatrixVerdict("gfx1151", c.rocm, false)
		if fixed != c.fixed || older != c.older || okFixed != (c.fixed != none) || okOlder != (c.older != none) {
			t.Errorf("ROCm %s: %q fixed, %q older; want %q, %q", c.rocm, fixed, older, c.fixed, c.older)
		}
	}
	if state, _, ok := MatrixVerdict("gfx1100", "7.2.0", true); ok {
		t.Errorf("gfx1100 has a verdict %q", state)
	}
}

func TestKernelRuleMetBy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gfx, kernel string
		met         bool
	}{
		{"gfx1151", "6.18.8-200.fc43.x86_64", true},
		{"gfx1151", "6.18.4", true},
		{"gfx1151", "6.17.8-200.fc43.x86_64", false},
		{"gfx1151", "6.17.0-19-generic", true},
		{"gfx1151", "6.17.0-14-generic", false},
		{"gfx1151", "7.0.0-14-generic", true},
		{"gfx1151", "6.17.8-061708-generic", false}, // a mainline build has no Ubuntu fixes
		{"gfx1151", "6.14.0-1018-oem", true},
		{"gfx1151", "6.14.0-1017-oem", false},
		{"gfx1151", "6.18.0-rc6", false},
		{"gfx1201", "6.8.0-45-generic", false},
		{"gfx1201", "6.12.1", true},
		{"gfx90c", "5.4.0", true}, // no minimum is known
	} {
		rules := KernelRules(c.gfx)
		if len(rules) == 0 || rules[0].MetBy(c.kernel) != c.met {
			t.Errorf("%s on %s: met is not %v of %#v", c.gfx, c.kernel, c.met, rules)
		}
	}
	if rules := KernelRules("gfx803"); len(rules) != 0 {
		t.Errorf("gfx803 has rules %#v", rules)
	}
}

func TestFirmwareRules(t *testing.T) {
	t.Parallel()
	for gfx, file := range map[string]string{"gfx1151": "gc_11_5_1_mes_2.bin", "gfx1150": "gc_11_5_0_mes_2.bin"} {
		rules := FirmwareRules(gfx)
		if len(rules) != 1 || rules[0].Bad != 0x83 || rules[0].Good != 0x80 || !slices.Contains(rules[0].Files, file) {
			t.Errorf("FirmwareRules(%s) = %#v", gfx, rules)
		}
	}
	if rules := FirmwareRules("gfx1152"); len(rules) != 0 {
		t.Errorf("gfx1152 has rules %#v", rules)
	}
}

func TestAtomicsRules(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]int{"gfx1010": 145, "gfx1030": 92, "gfx1100": 509, "gfx1201": 2090} {
		if rules := AtomicsRules(gfx); len(rules) != 1 || rules[0].Needs != NeedsFirmware || rules[0].MinMEC != want {
			t.Errorf("AtomicsRules(%s) = %#v, want MEC %d", gfx, rules, want)
		}
	}
	if rules := AtomicsRules("gfx803"); len(rules) != 1 || rules[0].Needs != NeedsAtomics {
		t.Errorf("AtomicsRules(gfx803) = %#v", rules)
	}
	if rules := AtomicsRules("gfx906"); len(rules) != 1 || rules[0].Needs != NeedsNothing {
		t.Errorf("AtomicsRules(gfx906) = %#v", rules)
	}
}

func TestKnownBadKernels(t *testing.T) {
	t.Parallel()
	bad := KnownBadKernels("gfx1151")
	if len(bad) != 1 || CompareKernel("6.17.8", bad[0].KernelBelow) >= 0 || CompareKernel("6.18.0", bad[0].KernelBelow) < 0 {
		t.Errorf("KnownBadKernels(gfx1151) = %#v", bad)
	}
}

func TestLogPatterns(t *testing.T) {
	t.Parallel()
	lines := map[string]string{
		"kfd-no-atomics":         "kfd kfd: amdgpu: skipped device 1002:731f, PCI rejects atomics 90<145",
		"kfd-gc-unsupported":     "kfd kfd: amdgpu: GC IP 0b0501 not supported in kfd",
		"kfd-added":              "kfd kfd: amdgpu: added device 1002:744c",
		"fw-missing":             "amdgpu 0000:03:00.0: Direct firmware load for amdgpu/gc_12_0_1_pfp.bin failed with error -2",
		"gpu-init-failed":        "amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init",
		"mes-no-response":        "amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE",
		"ring-timeout":           "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=100, emitted seq=102",
		"gpu-page-fault":         "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32769)",
		"runlist-oversubscribed": "amdgpu: Runlist is getting oversubscribed due to too many queues. Expect reduced ROCm performance.",
	}
	seen := map[string]bool{}
	for _, p := range LogPatterns() {
		if p.ID == "" || seen[p.ID] || p.Pattern == nil || p.Meaning == "" {
			t.Errorf("pattern %#v lacks something or repeats its id", p)
			continue
		}
		seen[p.ID] = true
		if !slices.Contains([]string{"error", "warn", "info"}, p.Level) {
			t.Errorf("%s has level %q", p.ID, p.Level)
		}
		if line, ok := lines[p.ID]; ok && !p.Pattern.MatchString(line) {
			t.Errorf("%s does not match %q", p.ID, line)
		}
	}
	for id := range lines {
		if !seen[id] {
			t.Errorf("no pattern %s", id)
		}
	}
}

func TestLookupParameter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		module, name string
		ok           bool
	}{
		{"amdgpu", "cwsr_enable", true}, {"amdgpu", "aspm", true}, {"ttm", "pages_limit", true}, {"amdttm", "pages_limit", true},
		{"kernel", "iommu", true}, {"amdgpu", "gtt_size", false}, {"amdgpu", "pages_limit", false},
	} {
		if p, ok := LookupParameter(c.module, c.name); ok != c.ok || ok && p.Meaning == "" {
			t.Errorf("LookupParameter(%s, %s) = %#v, %v", c.module, c.name, p, ok)
		}
	}
}
