package rocm

import (
	"strings"
	"testing"
)

func mustParse(t *testing.T, text string) TargetID {
	t.Helper()
	id, err := ParseTargetID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func codesFor(t *testing.T, targets ...string) []Code {
	t.Helper()
	var codes []Code
	for _, target := range targets {
		codes = append(codes, Code{Target: mustParse(t, target)})
	}
	return codes
}

// TestAsComgrPicks repeats what comgr itself answered for a bundle with these six entries, ISA by ISA.
func TestAsComgrPicks(t *testing.T) {
	t.Parallel()
	bundle := codesFor(t, "gfx906:sramecc+:xnack-", "gfx90a:xnack+", "gfx942", "gfx1030", "gfx1100", "gfx1201")
	for isa, want := range map[string]string{
		"gfx906:sramecc+:xnack-": "gfx906:sramecc+:xnack-",
		"gfx906":                 "",
		"gfx906:sramecc-:xnack-": "",
		"gfx906:sramecc+:xnack+": "",
		"gfx90a:sramecc+:xnack+": "gfx90a:xnack+",
		"gfx90a:xnack+":          "gfx90a:xnack+",
		"gfx90a":                 "",
		"gfx90a:sramecc+:xnack-": "",
		"gfx942:sramecc+:xnack-": "gfx942",
		"gfx942:sramecc+:xnack+": "gfx942",
		"gfx950":                 "",
		"gfx1031":                "",
		"gfx1036":                "",
		"gfx1101":                "",
		"gfx1103":                "",
		"gfx1151":                "",
		"gfx1200":                "",
	} {
		match, code, why := BestMatch(bundle, mustParse(t, isa))
		if got := code.Target.String(); got != want || (match == MatchExact) != (want != "") || why == "" {
			t.Errorf("%s picks %q (%s: %s), want %q", isa, got, match, why, want)
		}
	}
}

func TestRunsGeneric(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code    string
		version int
		gpu     string
		want    Match
	}{
		{"gfx10-3-generic", 1, "gfx1036", MatchGeneric},
		{"gfx10-3-generic", 0, "gfx1036", MatchGeneric}, // the version was not read
		{"gfx10-3-generic", 1, "gfx1010", MatchNone},
		{"gfx11-generic", 1, "gfx1151", MatchGeneric},
		{"gfx9-generic", 1, "gfx908", MatchNone},
		{"gfx9-4-generic", 1, "gfx908", MatchNone},
		{"gfx9-generic:xnack+", 1, "gfx90c:xnack-", MatchNone},
		{"gfx9-4-generic:xnack-", 1, "gfx942:sramecc+:xnack-", MatchGeneric},
		{"gfx13-generic", 1, "gfx1310", MatchNone}, // members unknown: nothing is claimed
		{"gfx11-generic", 1, "gfx11-generic", MatchExact},
	} {
		code := Code{Target: mustParse(t, c.code), GenericVersion: c.version}
		if got, why := Runs(code, mustParse(t, c.gpu)); got != c.want || !strings.HasSuffix(why, ".") {
			t.Errorf("%s version %d on %s: %s (%s), want %s", c.code, c.version, c.gpu, got, why, c.want)
		}
	}
}

func TestBestMatchOrder(t *testing.T) {
	t.Parallel()
	spirv, generic, exact := "amdgcnspirv", "gfx11-generic", "gfx1151"
	for _, c := range []struct {
		codes []string
		want  Match
	}{
		{[]string{spirv, generic, exact}, MatchExact},
		{[]string{spirv, generic, "gfx1100"}, MatchGeneric},
		{[]string{"gfx1100", spirv}, MatchSPIRV},
		{[]string{"gfx1100"}, MatchNone},
		{nil, MatchNone},
	} {
		if got, _, why := BestMatch(codesFor(t, c.codes...), mustParse(t, exact)); got != c.want || why == "" {
			t.Errorf("%v on %s: %s (%s), want %s", c.codes, exact, got, why, c.want)
		}
	}
}

func TestNoMatchSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codes     []string
		gpu, want string
	}{
		{[]string{"gfx900", "gfx90a:xnack+"}, "gfx90a:sramecc+:xnack-", "It wants xnack on, and gfx90a runs with xnack off."},
		{[]string{"gfx90a:xnack+"}, "gfx90a", "It wants xnack on, and gfx90a says nothing of xnack."},
		{[]string{"gfx1100", "gfx1030", "gfx1030"}, "gfx1151", "It holds code for gfx1030, gfx1100, and none for gfx1151."},
		{nil, "gfx1151", "There is no GPU code in it."},
	} {
		if _, _, got := BestMatch(codesFor(t, c.codes...), mustParse(t, c.gpu)); got != c.want {
			t.Errorf("%v on %s: %q, want %q", c.codes, c.gpu, got, c.want)
		}
	}
}
