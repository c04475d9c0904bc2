package pydist

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseRequirement(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, name, extras, specifier, url, marker string
	}{
		{"numpy", "numpy", "", "", "", ""},
		{"numpy<2.4,>=1.22", "numpy", "", "<2.4,>=1.22", "", ""},
		{"numpy (>=1.22,<2.4)", "numpy", "", ">=1.22,<2.4", "", ""},
		{"numpy ()", "numpy", "", "", "", ""},
		{"Typing.Extensions >= 4.5 ; python_version<'3.11'", "typing-extensions", "", ">=4.5", "", "python_version<'3.11'"},
		{"uvicorn[standard, Foo_Bar]>=0.12", "uvicorn", "standard,foo-bar", ">=0.12", "", ""},
		{"uvicorn[]", "uvicorn", "", "", "", ""},
		{"requests[a] (==2.*); extra == \"x\"", "requests", "a", "==2.*", "", `extra == "x"`},
		{"pip @ https://example.org/pip.zip#sha1=da39", "pip", "", "", "https://example.org/pip.zip#sha1=da39", ""},
		{"pip@https://e.org/a;b.zip ; os_name == 'nt'", "pip", "", "", "https://e.org/a;b.zip", "os_name == 'nt'"},
		{"  x  ", "x", "", "", "", ""},
	} {
		r, err := ParseRequirement(tc.text)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		got := []string{r.Name, strings.Join(r.Extras, ","), r.Specifier.String(), r.URL, r.Marker.String()}
		if want := []string{tc.name, tc.extras, tc.specifier, tc.url, tc.marker}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", tc.text, got, want)
		}
	}
}

func TestParseRequirementRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "-numpy", "numpy-", "numpy 1.0", "numpy[", "numpy[a b]", "numpy (>=1", "numpy; ", "numpy; python_version", "numpy @",
		"numpy @ https://e.org >=1", "numpy; foo == 'a'", "numpy; os_name == 'a", "numpy; os_name == 'a' or", "numpy; (os_name == 'a'",
		"numpy; os_name == 'a')", "numpy; os_name not 'a'", "numpy; os_name = 'a'", "numpy; os_name <> 'a'", "numpy>=1.0.*", "../x",
		"numpy; " + strings.Repeat("(", 100_000), strings.Repeat("n", 20_000),
		"numpy; " + strings.Repeat("(", 100) + "os_name=='a'" + strings.Repeat(")", 100),
	} {
		if r, err := ParseRequirement(text); err == nil {
			t.Errorf("%q was read as %q", clip(text), r)
		}
	}
}

var ubuntu = MarkersFor(Environment{Python: "3.12.3"}, "linux", "amd64")

func TestMarkers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		marker string
		want   bool
	}{
		{`python_version < "3.13"`, true},
		{`python_version >= "3.9"`, true}, // as text it would be less
		{`"3.9" <= python_version`, true},
		{`python_version == "3.12.*"`, true},
		{`python_version ~= "3.10"`, true},
		{`python_version not in "3.10, 3.11"`, true},
		{`python_version in "3.11, 3.12"`, true},
		{`python_full_version < "3.12.4"`, true},
		{`python_full_version != "3.12.3"`, false},
		{`sys_platform == "linux" and platform_machine == "x86_64"`, true},
		{`sys_platform == "win32" or sys_platform == "linux"`, true},
		{`sys_platform == "win32" or sys_platform == "darwin"`, false},
		{`sys_platform == "win32" and os_name == "nt" or os_name == "posix"`, true},
		{`os_name == "posix" or sys_platform == "win32" and os_name == "nt"`, true},
		{`os_name == "nt" and (sys_platform == "win32" or os_name == "posix")`, false},
		{`(((os_name == 'posix')))`, true},
		{`os.name == 'posix' and sys.platform == 'linux' and python_implementation == 'CPython'`, true},
		{`platform_system != "Darwin"`, true},
		{`implementation_name == "cpython" and platform_python_implementation != "PyPy"`, true},
		{`platform_release > "1"`, false}, // not known
		{`platform_release <= "1"`, false},
		{`sys_platform >= "lin"`, true}, // as texts
		{`sys_platform ~= "linux"`, false},
		{`"linux" in sys_platform`, true},
		{`extra == "test"`, false},
		{`extra != "test"`, true},
		{`"a" < "b"`, true},
	} {
		m, err := ParseMarker(tc.marker)
		if err != nil {
			t.Errorf("%s: %v", tc.marker, err)
			continue
		}
		if got := m.Applies(ubuntu); got != tc.want {
			t.Errorf("%s: %t, want %t", tc.marker, got, tc.want)
		}
	}
}

func TestMarkerExtras(t *testing.T) {
	t.Parallel()
	m, err := ParseMarker(`extra == "Foo_Bar" and python_version >= "3.8"`)
	if err != nil {
		t.Fatal(err)
	}
	if m.Applies(ubuntu) || m.Applies(ubuntu, "other") || !m.Applies(ubuntu, "other", "foo.bar") {
		t.Error("the extra was not compared by its normalised name")
	}
}

// Where only "3.12" is known, a question about the third number holds for none.
func TestMarkersOfUnknownPatch(t *testing.T) {
	t.Parallel()
	env := MarkersFor(Environment{Python: "3.12"}, "windows", "arm64")
	for text, want := range map[string]bool{
		`python_full_version >= "3.11.4"`:                         true,
		`python_full_version >= "3.12.4"`:                         false,
		`python_full_version < "3.12.4"`:                          false,
		`python_version == "3.12"`:                                true,
		`platform_machine == "ARM64" and os_name == "nt"`:         true,
		`sys_platform == "win32" and platform_system=="Windows" `: true,
	} {
		m, err := ParseMarker(text)
		if err != nil || m.Applies(env) != want {
			t.Errorf("%s: %t, %v", text, !want, err)
		}
	}
	if none := MarkersFor(Environment{}, "linux", "x86_64"); none.PythonVersion != "" || none.PythonFullVersion != "" {
		t.Errorf("of no Python: %+v", none)
	}
}

func TestRequirementString(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`numpy[a,b]>=1.22,<2.4; python_version < "3.13"`, `pip @ https://e.org/p.zip ; os_name == "nt"`, "torch==2.9.1+rocm6.4",
	} {
		r, err := ParseRequirement(text)
		if err != nil || r.String() != text {
			t.Errorf("%s became %s, %v", text, r, err)
		}
	}
}

func FuzzParseRequirement(f *testing.F) {
	f.Add(`numpy[a,b]>=1.22,<2.4; python_version < "3.13" and (extra == "x" or os_name != 'nt')`)
	f.Add("pip @ https://e.org/p.zip ; os_name == 'nt'")
	f.Add("x (===a)")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRequirement(text)
		if err != nil {
			return
		}
		r.Marker.Applies(ubuntu, "x")
		r.Specifier.Contains("2.9.1+rocm6.4")
		again, err := ParseRequirement(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%q became %q, and that became %q (%v)", text, r, again, err)
		}
	})
}

func FuzzParseMarker(f *testing.F) {
	f.Add(`python_version < "3.13" and (extra == "x" or os_name not in 'nt posix')`)
	f.Add(`"2!1.0a1" ~= implementation_version`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMarker(text)
		if err != nil {
			return
		}
		if m.Applies(ubuntu) && !m.Applies(ubuntu, "x") {
			t.Errorf("%q applies without an extra and not with one", text)
		}
	})
}

func FuzzParseSpecifier(f *testing.F) {
	f.Add(">=0.46.0.dev0,<0.47", "0.46.0rc1")
	f.Add("==2.*,!=1!2.post1", "2.9.1+rocm6.4")
	f.Fuzz(func(t *testing.T, text, version string) {
		s, err := ParseSpecifier(text)
		if err != nil {
			return
		}
		again, err := ParseSpecifier(s.String())
		if err != nil || s.Contains(version) != again.Contains(version) {
			t.Errorf("%q and %q differ on %q (%v)", text, s, version, err)
		}
	})
}
