package pydist

import (
	"cmp"
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

// The short way and the library must give the same answers.
func TestPlainVersions(t *testing.T) {
	t.Parallel()
	all := []string{"0", "1", "1.0", "1.0.0", "1.2", "1.10", "01.2", "2.4.1", "20240101", "1.0.0.0.1", "999999999999999999"}
	for _, a := range all {
		for _, b := range all {
			v, _ := parseVersion(a)
			w, _ := parseVersion(b)
			if v.plain == nil || w.plain == nil {
				t.Fatalf("%s or %s is not plain", a, b)
			}
			if got, want := v.compare(w), v.thorough().full.Compare(*w.thorough().full); cmp.Compare(got, 0) != cmp.Compare(want, 0) {
				t.Errorf("%s and %s: %d, the library says %d", a, b, got, want)
			}
		}
	}
}

func TestSpecifierString(t *testing.T) {
	t.Parallel()
	s, err := ParseSpecifier(" >= 1.22 , != 2.0.* ,<2.4")
	if err != nil || s.String() != ">=1.22,!=2.0.*,<2.4" || s.IsZero() {
		t.Errorf("got %q, %v", s, err)
	}
}
