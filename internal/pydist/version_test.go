package pydist

import (
	"cmp"
	"strings"
	"testing"
)

func TestContains(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		specifier, version string
		want               bool
	}{
		{"", "1.0", true},
		{"", "no version", true},
		{">=0.46.0.dev0,<0.47", "0.46.0", true},
		{">=0.46.0dev0,<0.47", "0.46.0", true},
		{">=0.46.0.dev0,<0.47", "0.46.0rc1", true},
		{">=0.46.0.dev0,<0.47", "0.47.0", false},
		{">=0.46.0.dev0,<0.47", "0.47.0.dev0", false},
		{"<2.4,>=1.22", "2.4.1", false},
		{"<2.4,>=1.22", "2.4.0rc1", false},
		{"<2.4,>=1.22", "2.3.5", true},
		{"<2.4rc2", "2.4.0rc1", true},
		{"<2.4", "2.3rc1", true},
		{"~=2.2", "2.9", true},
		{"~=2.2", "3.0", false},
		{"~=2.2", "2.1", false},
		{"~=2.2.0", "2.3", false},
		{"~=2.2.post3", "2.3", true},
		{"~=1.2a1", "1.3", true},
		{"~=1.2a1", "2.0", false},
		{"==2.*", "2.9.1+rocm6.4", true},
		{"==2.*", "3.0", false},
		{"==v2.*", "2.1", true},
		{"==2.4.*", "2.4rc1", true},
		{"==2.0.*", "2", true},
		{"==1!2.*", "2.1", false},
		{"!=2.4.*", "2.4.3", false},
		{"!=2.4.*", "2.5", true},
		{"==2.9.1", "2.9.1+rocm6.4", true},
		{"==2.9.1+rocm6.4", "2.9.1+rocm6.4", true},
		{"==2.9.1+rocm6.4", "2.9.1", false},
		{"==2.9.1+rocm6.4", "2.9.1+ROCM6_4", true},
		{"!=2.9.1", "2.9.1+rocm6.4", false},
		{"==2.9", "2.9.0", true},
		{"<=2.9.1", "2.9.1+rocm6.4", true},
		{">=2.9.1", "2.9.1+rocm6.4", true},
		{">2.9.1", "2.9.1+rocm6.4", false},
		{">2.9", "2.9.1+rocm6.4", true},
		{">1.7", "1.7.0.post1", false},
		{">1.7.post2", "1.7.0.post3", true},
		{">1.7", "1.7.1.post1", true},
		{"===2.9.1+rocm6.4", "2.9.1+rocm6.4", true},
		{"===2.9.1", "2.9.1+rocm6.4", false},
		{"===whatever", "Whatever", true},
		{">=1.0", "no version", false},
		{">=2013", "2013b", false},
		{"<1!1", "3000", true},
		{">=1,", "1.0", true},
	} {
		s, err := ParseSpecifier(tc.specifier)
		if err != nil {
			t.Errorf("%s: %v", tc.specifier, err)
			continue
		}
		if got := s.Contains(tc.version); got != tc.want {
			t.Errorf("%s contains %s: %t, want %t", tc.specifier, tc.version, got, tc.want)
		}
	}
}

func TestParseSpecifierRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.0", "=1.0", ">=", ">=1.0.*", "~=1", "~=1.0.*", "<1.0+local", "==1.0a1.*", "==1.0+x.*", ">>1", "==*", "===", "=== a b",
		">=1.0 <2", "!1.0", "== ",
	} {
		if s, err := ParseSpecifier(text); err == nil {
			t.Errorf("%q was read as %q", text, s)
		}
	}
}

// The order of PEP 440, from its own examples and a few more; equal ones share a
// line.
func TestOrder(t *testing.T) {
	t.Parallel()
	order := [][]string{
		{"0.9"},
		{"1.dev0", "1.0.dev", "1.0-dev0", "v1.0.DEV0"},
		{"1.0.dev456"},
		{"1.0a1.dev1"},
		{"1.0a1", "1.0.alpha.1", "1.0-a1"},
		{"1.0a2.dev456"},
		{"1.0a12.dev456"},
		{"1.0a12"},
		{"1.0b", "1.0beta0"},
		{"1.0b1.dev456"},
		{"1.0b2"},
		{"1.0b2.post345.dev456"},
		{"1.0b2.post345", "1.0b2-345"},
		{"1.0rc1.dev456"},
		{"1.0rc1", "1.0c1", "1.0pre1", "1.0-preview_1"},
		{"1.0", "1", "1.0.0", "01.00"},
		{"1.0+abc.5"},
		{"1.0+abc.7"},
		{"1.0+5", "1.0+05"},
		{"1.0+5.1", "1.0+5-1", "1.0+5_1"},
		{"1.0.post456.dev34"},
		{"1.0.post456", "1.0-456", "1.0.rev456", "1.0r456"},
		{"1.0.15"},
		{"1.1.dev1"},
		{"99999999999999999999999"},
		{"1!0.1"},
	}
	for i, equal := range order {
		for j, others := range order {
			for _, a := range equal {
				for _, b := range others {
					v, okV := parseVersion(a)
					w, okW := parseVersion(b)
					if got, want := v.compare(w), cmp.Compare(i, j); !okV || !okW || got != want {
						t.Errorf("%s and %s: %d, want %d (%t, %t)", a, b, got, want, okV, okW)
					}
				}
			}
		}
	}
}

func TestNoVersions(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "v", "1.", ".1", "1..2", "1.0x", "1.0+", "1.0+a..b", "1.0+.a", "1.0+ä", "1!", "a1", "1.0 2", "1.0-", "1.0a1b1", "1.0.dev1.post1", strings.Repeat("1", 300)} {
		if v, ok := parseVersion(s); ok {
			t.Errorf("%q was read as %s", s, v)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, s := range []string{"1!2.3a4.post5.dev6+rocm7.8", "1.0-1", "v1.0c", "1.0a.", "1.0--"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := parseVersion(s)
		if !ok {
			return
		}
		again, ok := parseVersion(v.String())
		if !ok || again.compare(v) != 0 || again.String() != v.String() {
			t.Errorf("%q is %s, and that is %s (%t)", s, v, again, ok)
		}
	})
}

func TestSpecifierString(t *testing.T) {
	t.Parallel()
	s, err := ParseSpecifier(" >= 1.22 , != 2.0.* ,<2.4")
	if err != nil || s.String() != ">=1.22,!=2.0.*,<2.4" || s.IsZero() {
		t.Errorf("got %q, %v", s, err)
	}
}
