package pydist

import (
	"slices"
	"strings"
	"testing"
)

// unmet writes what Resolve finds, for comparing.
func unmet(dists []Distribution, env Markers) []string {
	var out []string
	for _, u := range Resolve(dists, env).Unmet {
		out = append(out, strings.TrimSpace(u.By.Name+" "+u.By.Version+": "+u.Requirement.String()+" "+string(u.Kind)+" "+u.Found))
	}
	return out
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		dists map[string][]string
		want  []string
	}{
		"numba too old": {map[string][]string{
			"numba 0.63.1": {"Requires-Dist: llvmlite<0.47,>=0.46.0dev0", "Requires-Dist: numpy<2.4,>=1.22"},
			"numpy 2.4.1":  nil,
		}, []string{"numba 0.63.1: llvmlite<0.47,>=0.46.0dev0 missing", "numba 0.63.1: numpy<2.4,>=1.22 wrong-version 2.4.1"}},
		"numba new enough": {map[string][]string{
			"numba 0.64.0":    {"Requires-Dist: llvmlite<0.47,>=0.46.0dev0", "Requires-Dist: numpy<2.5,>=1.22"},
			"numpy 2.4.1":     nil,
			"llvmlite 0.46.0": nil,
		}, nil},
		"extras are passed on": {map[string][]string{
			"a 1": {"Requires-Dist: B[x,z]"},
			"b 1": {"Provides-Extra: x", "Requires-Dist: c[y]; extra == 'x'", "Requires-Dist: never; extra == 'w'", "Requires-Dist: b[all]; extra == 'z'", "Requires-Dist: everything; extra == 'all'"},
			"c 1": {"Requires-Dist: d; extra == 'y'", "Requires-Dist: never; extra == 'x'"},
		}, []string{"b 1: everything; extra == 'all' missing", "c 1: d; extra == 'y' missing"}},
		"no extras for roots": {map[string][]string{"a 1": {"Requires-Dist: never; extra == 'test'"}}, nil},
		"other machines": {map[string][]string{
			"a 1": {"Requires-Dist: pywin32; sys_platform == 'win32'", "Requires-Dist: tomli; python_version < '3.11'"},
		}, nil},
		"a pre-release is there already": {map[string][]string{"a 1": {"Requires-Dist: b>=1"}, "b 2.0rc1": nil}, nil},
		"a local build is that version":  {map[string][]string{"a 1": {"Requires-Dist: torch==2.9.1"}, "torch 2.9.1+rocm6.4": nil}, nil},
		"a url says no version":          {map[string][]string{"a 1": {"Requires-Dist: b @ https://e.org/b.zip"}, "b 1": nil}, nil},
		"a url that is missing":          {map[string][]string{"a 1": {"Requires-Dist: b @ https://e.org/b.zip"}}, []string{"a 1: b @ https://e.org/b.zip missing"}},
		"said once":                      {map[string][]string{"a 1": {"Requires-Dist: b>1; os_name == 'posix'", "Requires-Dist: b>1"}}, []string{"a 1: b>1; os_name == 'posix' missing"}},
		"python":                         {map[string][]string{"a 1": {"Requires-Python: <3.12"}}, []string{"a 1: python<3.12 wrong-python 3.12.3"}},
		"an odd version is not judged":   {map[string][]string{"a 1": {"Requires-Dist: b>1"}, "b one": nil}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, packages(tc.dists))
			if got := unmet(s.Distributions, ubuntu); !slices.Equal(got, tc.want) {
				t.Errorf("got %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestResolveSearchPath(t *testing.T) {
	t.Parallel()
	first := read(t, packages(map[string][]string{"numpy 1.26": nil, "a 1": {"Requires-Dist: numpy<2"}})).Distributions
	second := read(t, packages(map[string][]string{"numpy 2.4": nil, "a 0": {"Requires-Dist: gone"}})).Distributions
	if got := unmet(slices.Concat(first, second), ubuntu); got != nil {
		t.Errorf("what is shadowed counted: %q", got)
	}
	if got := unmet(slices.Concat(second, first), ubuntu); !slices.Equal(got, []string{"a 0: gone missing"}) {
		t.Errorf("got %q", got)
	}
}

func TestResolveUnknownPatch(t *testing.T) {
	t.Parallel()
	s := read(t, packages(map[string][]string{"a 1": {"Requires-Python: >=3.12.5"}, "b 1": {"Requires-Python: >=3.13"}}))
	env := MarkersFor(Environment{Python: "3.12"}, "linux", "x86_64")
	if got := unmet(s.Distributions, env); !slices.Equal(got, []string{"b 1: python>=3.13 wrong-python 3.12"}) {
		t.Errorf("got %q", got)
	}
}

func TestChains(t *testing.T) {
	t.Parallel()
	s := read(t, packages(map[string][]string{
		"comfyui 1": {"Requires-Dist: whisper", "Requires-Dist: audio"},
		"whisper 1": {"Requires-Dist: numba"},
		"audio 1":   {"Requires-Dist: deeper"},
		"deeper 1":  {"Requires-Dist: numba"},
		"numba 1":   {"Requires-Dist: llvmlite"},
		"alone 1":   {"Requires-Dist: llvmlite"},
		"left 1":    {"Requires-Dist: right", "Requires-Dist: lost"},
		"right 1":   {"Requires-Dist: left"},
		"self 1":    {"Requires-Dist: self", "Requires-Dist: lost"},
	}))
	r := Resolve(s.Distributions, ubuntu)
	for name, want := range map[string]string{
		"llvmlite": "alone|comfyui whisper numba", "LOST": "left|self", "nobody": "", "numba": "comfyui audio deeper|comfyui whisper",
	} {
		var chains []string
		for _, chain := range r.Chains(name) {
			var names []string
			for _, d := range chain {
				names = append(names, d.Name)
			}
			chains = append(chains, strings.Join(names, " "))
		}
		if got := strings.Join(chains, "|"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
