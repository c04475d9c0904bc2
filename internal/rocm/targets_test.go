package rocm

import (
	"slices"
	"testing"
)

func TestFamilyOf(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]string{
		"gfx1036": "gfx10-3-generic", "gfx1010": "gfx10-1-generic", "gfx1151": "gfx11-generic", "gfx906": "gfx9-generic",
		"gfx950": "gfx9-4-generic", "gfx1201": "gfx12-generic", "gfx908": "gfx908", "gfx90a": "gfx90a", "gfx9999": "gfx9999",
	} {
		if got := FamilyOf(gfx); got != want {
			t.Errorf("FamilyOf(%q) = %q, want %q", gfx, got, want)
		}
	}
}

// TestGenericsAndMembersAgree: the two sides of the membership are written apart and must not drift.
func TestGenericsAndMembersAgree(t *testing.T) {
	t.Parallel()
	for _, g := range Generics() {
		for _, member := range g.Members {
			if FamilyOf(member) != g.Name {
				t.Errorf("%s lists %s, whose family is %s", g.Name, member, FamilyOf(member))
			}
		}
	}
	for _, target := range Targets() {
		if target.Generic == "" {
			continue
		}
		g, ok := LookupGeneric(target.Generic)
		if !ok || !slices.Contains(g.Members, target.Gfx) {
			t.Errorf("%s says it belongs to %s, which lists %v", target.Gfx, target.Generic, g.Members)
		}
		if target.GenericMinVersion < 1 || target.GenericMinVersion > g.Version {
			t.Errorf("%s joined %s in version %d of %d", target.Gfx, g.Name, target.GenericMinVersion, g.Version)
		}
	}
}

func TestProcessorOfELF(t *testing.T) {
	t.Parallel()
	for number, want := range map[uint8]string{
		0x2f: "gfx906", 0x3f: "gfx90a", 0x41: "gfx1100", 0x4a: "gfx1151", 0x53: "gfx10-3-generic", 0x54: "gfx11-generic", 0x27: "",
	} {
		got, ok := ProcessorOfELF(number)
		if got != want || ok != (want != "") {
			t.Errorf("ProcessorOfELF(%#x) = %q, %v; want %q", number, got, ok, want)
		}
	}
}

func TestELFNumbersAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[uint8]string{}
	note := func(number uint8, name string) {
		if number == 0 || seen[number] != "" {
			t.Errorf("%s has ELF number %#x, as %q has", name, number, seen[number])
		}
		seen[number] = name
	}
	for _, target := range Targets() {
		note(target.ELF, target.Gfx)
	}
	for _, g := range Generics() {
		note(g.ELF, g.Name)
	}
}
