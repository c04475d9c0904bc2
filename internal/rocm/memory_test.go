package rocm

import "testing"

func TestPagesFor(t *testing.T) {
	t.Parallel()
	// 100 GiB is AMD's own example.
	for gib, want := range map[int64]int64{0: 0, 1: 262144, 62: 16252928, 100: 26214400, 108: 28311552} {
		if got := PagesFor(gib); got != want {
			t.Errorf("PagesFor(%d) = %d, want %d", gib, got, want)
		}
	}
}

func TestMemoryRulesAreThere(t *testing.T) {
	t.Parallel()
	for _, id := range []string{MemoryPool, MemoryCarveOut, MemoryOldKernel, MemoryOfferedLess, MemoryNearRAM, MemoryPage} {
		if r, ok := LookupMemoryRule(id); !ok || r.Text == "" {
			t.Errorf("LookupMemoryRule(%q) = %#v, %v", id, r, ok)
		}
	}
	for _, module := range []string{TTM, AMDTTM} {
		if _, ok := LookupParameter(module, "pages_limit"); !ok {
			t.Errorf("%s has no pages_limit", module)
		}
	}
}
