package survey

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestProductName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, build, want string }{
		{"Windows 10 Pro", "26200", "Windows 11 Pro"},
		{"Windows 10 Home", "22000", "Windows 11 Home"},
		{"Windows 10 Pro", "19045", "Windows 10 Pro"},
		{"Windows Server 2022 Standard", "20348", "Windows Server 2022 Standard"},
		{"Windows 10 Pro", "", "Windows 10 Pro"},
	} {
		if got := productName(c.name, c.build); got != c.want {
			t.Errorf("%s build %s: %s, want %s", c.name, c.build, got, c.want)
		}
	}
}

func TestDriverDate(t *testing.T) {
	t.Parallel()
	if got := driverDate(machine.Know("1-28-2025", "test")); got.Value != "2025-01-28" {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"", "28-1-2025", "yesterday"} {
		if got := driverDate(machine.Know(bad, "test")); !got.Unread() {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}
