package rocm

import (
	"regexp"
	"strings"
	"testing"
)

func TestLookupPCI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		device, revision uint16
		name, gfx, kind  string
	}{
		{0x744c, 0xc8, "Radeon RX 7900 XTX", "gfx1100", "dgpu"},
		{0x744c, 0x99, "Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M", "gfx1100", "dgpu"},
		{0x73df, 0xc1, "Radeon RX 6700 XT", "gfx1031", "dgpu"},
		{0x73df, 0x00, "Radeon RX 6700/6700 XT/6750 XT / 6800M/6850M XT", "gfx1031", "dgpu"},
		{0x731f, 0xc1, "Radeon RX 5700 XT", "gfx1010", "dgpu"},
		{0x164e, 0xc9, "Raphael", "gfx1036", "apu"},
		{0x1586, 0xc1, "Radeon 8060S Graphics", "gfx1151", "apu"},
		{0x740f, 0x02, "Instinct MI210", "gfx90a", "dgpu"},
		{0x74a1, 0x00, "Instinct MI300X", "gfx942", "dgpu"},
		{0x74a0, 0x00, "Instinct MI300A", "gfx942", "apu"},
		{0x163f, 0xae, "AMD Custom GPU 0405", "gfx1033", "apu"},
		{0x67ba, 0x00, "Hawaii", "gfx701", "dgpu"},
	} {
		p, ok := LookupPCI(Vendor, c.device, c.revision)
		if !ok || p.Name != c.name || p.Gfx != c.gfx || p.Kind != c.kind || p.Vendor != "1002" {
			t.Errorf("LookupPCI(%04x rev %02x) = %#v, %v; want %s, %s, %s", c.device, c.revision, p, ok, c.name, c.gfx, c.kind)
		}
	}
}

func TestLookupPCINeverGuesses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]uint16{{0x1002, 0xffff}, {0x1002, 0}, {0x10de, 0x744c}, {0x1022, 0x1586}} {
		if p, ok := LookupPCI(c[0], c[1], 0); ok {
			t.Errorf("LookupPCI(%04x:%04x) = %#v, want none", c[0], c[1], p)
		}
	}
}

func TestPCIRowsAreWellFormed(t *testing.T) {
	t.Parallel()
	id, revisions := regexp.MustCompile(`^[0-9a-f]{4}$`), regexp.MustCompile(`^[0-9a-f]{2}( [0-9a-f]{2})*$`)
	seen := map[string]string{}
	for _, c := range knownProducts().chips {
		for _, d := range c.Devices {
			if !id.MatchString(d.ID) || seen[d.ID] != "" {
				t.Errorf("%s: device id %q is malformed or also belongs to %q", c.Chip, d.ID, seen[d.ID])
			}
			seen[d.ID] = c.Chip
			for name, list := range d.Names {
				if name == "" || !revisions.MatchString(list) {
					t.Errorf("%s: name %q has revisions %q", d.ID, name, list)
				}
			}
		}
	}
	if len(seen) < 242 {
		t.Errorf("%d PCI devices, want at least 242", len(seen))
	}
}

func TestFindProducts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, name, gfx string }{
		{"1002:744c", "Radeon RX 7900", "gfx1100"},
		{"744C", "Radeon RX 7900", "gfx1100"},
		{"0x744c", "Radeon RX 7900", "gfx1100"},
		{"RX 7900 XTX", "Radeon RX 7900 XTX", "gfx1100"},
		{"amd radeon rx 7900 xt", "Radeon RX 7900 XT", "gfx1100"},
		{"rx 6700 xt", "Radeon RX 6700 XT", "gfx1031"},
		{"5700 XT", "5700 XT", "gfx1010"},
		{"gfx1100", "", "gfx1100"},
		{"GFX90A", "", "gfx90a"},
		{"Navi 31", "", "gfx1100"},
		{"strix halo", "", "gfx1151"},
		{"8060S", "8060S", "gfx1151"},
		{"Ryzen AI Max+ 395", "Ryzen AI Max+ 395 (Radeon 8060S)", "gfx1151"},
		{"MI300X", "Instinct MI300X", "gfx942"},
		{"MI450", "MI450", "gfx1250"},
		{"780M", "780M", "gfx1103"},
		{"vega 64", "Radeon RX Vega", "gfx900"}, // sold under one name for two models
		{"Steam Deck", "AMD Custom GPU", "gfx1033"},
	} {
		found := FindProducts(c.query)
		if len(found) == 0 || len(found) > maxProducts {
			t.Errorf("FindProducts(%q) has %d answers", c.query, len(found))
			continue
		}
		for _, p := range found {
			if !strings.Contains(p.Name, c.name) || p.Gfx != c.gfx {
				t.Errorf("FindProducts(%q) has %q, %s; want %q, %s", c.query, p.Name, p.Gfx, c.name, c.gfx)
			}
		}
	}
	for _, query := range []string{"", "  ", "GeForce RTX 4090", "gfx9999", "ffff", "AMD"} {
		if found := FindProducts(query); len(found) != 0 {
			t.Errorf("FindProducts(%q) = %v, want none", query, found)
		}
	}
}

func BenchmarkFindProducts(b *testing.B) {
	for b.Loop() {
		FindProducts("RX 7900 XTX")
	}
}
