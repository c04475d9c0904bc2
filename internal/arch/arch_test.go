package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHouse(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(sources, func(s source) bool { return s.file == "cmd/rocsmith/main.go" }) {
		t.Fatalf("read %d files below %s, and main.go is not among them", len(sources), root)
	}
	for _, complaint := range judge(sources) {
		t.Error(complaint)
	}
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"cmd/rocsmith", "internal/cli", true},
		{"cmd/rocsmith", "internal/host", true},
		{"cmd/rocsmith", "internal/job", false},
		{"internal/cli", "internal/rocm", true},
		{"internal/job", "internal/cli", false},
		{"internal/job", "internal/check/all", true},
		{"internal/report", "internal/check/all", false},
		{"internal/report", "internal/check", true},
		{"internal/check/all", "internal/check/access", true},
		{"internal/check/all", "internal/check", true},
		{"internal/check/all", "internal/host", false},
		{"internal/check/access", "internal/check", true},
		{"internal/check/access", "internal/cure", true},
		{"internal/check/access", "internal/rocm", true},
		{"internal/check/access", "internal/host", false},
		{"internal/check/access", "internal/check/gpu", false},
		{"internal/cli", "internal/arch", false},
		{"internal/survey", "internal/host", true},
		{"internal/survey", "internal/explain", false},
		{"internal/check", "internal/machine", true},
		{"internal/check", "internal/host", false},
		{"internal/cure", "internal/check", false},
		{"internal/host", "internal/machine", false},
		{"internal/example", "internal/host", true},
		{"internal/example", "internal/machine", false},
		{"internal/cause", "internal/remedy", true},
		{"internal/machine", "internal/rocm", true},
		{"internal/machine", "internal/cause", false},
		{"internal/rocm", "internal/machine", false},
		{"internal/remedy", "internal/rocm", false},
	} {
		if got := allowed(tc.from, tc.to); got != tc.want {
			t.Errorf("%s imports %s: allowed is %t, want %t", tc.from, tc.to, got, tc.want)
		}
	}
}

// sound is a file that no rule objects to.
func sound(file string, imports ...string) source {
	dir := filepath.Base(filepath.Dir(file))
	return source{file: file, pkg: dir, doc: "Package " + dir + " is sound.", imports: imports, lines: 10}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	with := func(s source, change func(*source)) source {
		change(&s)
		return s
	}
	main := source{file: "cmd/rocsmith/main.go", pkg: "main", doc: "Command rocsmith is sound.", lines: 29}
	for name, tc := range map[string]struct {
		sources []source
		want    string // "" where nothing is wrong
	}{
		"sound":         {[]source{sound("internal/survey/a.go", module+"/internal/host", "os", "github.com/x/y")}, ""},
		"upward":        {[]source{sound("internal/host/a.go", module+"/internal/survey")}, "internal/host may not import internal/survey"},
		"upward test":   {[]source{sound("internal/host/a.go"), sound("internal/host/a_test.go", module+"/internal/survey")}, "internal/host may not import internal/survey"},
		"test of self":  {[]source{sound("internal/host/a.go"), sound("internal/host/a_test.go", module+"/internal/host")}, ""},
		"unknown room":  {[]source{sound("internal/util/a.go")}, "internal/util: this room is not in the house: add it to the table"},
		"unknown guest": {[]source{sound("internal/survey/a.go", module+"/internal/util")}, "imports internal/util, which is not in the house"},
		"new area":      {[]source{sound("internal/check/python/a.go", module+"/internal/check")}, ""},

		"command":         {[]source{sound("internal/survey/a.go", "os/exec")}, "may import os/exec"},
		"command by host": {[]source{sound("internal/host/a.go", "os/exec")}, ""},
		"command in test": {[]source{sound("internal/survey/a.go"), sound("internal/survey/a_test.go", "os/exec")}, ""},
		"purego":          {[]source{sound("internal/probe/a.go", "github.com/ebitengine/purego")}, "only internal/device may import"},
		"device":          {[]source{sound("internal/job/a.go", module+"/internal/device")}, "only cmd/rocsmith-probe may import"},

		"init":           {[]source{with(sound("internal/rocm/a.go"), func(s *source) { s.init = true })}, "has an init()"},
		"per system":     {[]source{with(sound("internal/rocm/a.go"), func(s *source) { s.perSystem = true })}, "on some systems only"},
		"host on one":    {[]source{with(sound("internal/host/a.go"), func(s *source) { s.perSystem = true })}, ""},
		"no doc":         {[]source{with(sound("internal/rocm/a.go"), func(s *source) { s.doc = "" })}, "no file carries the package doc"},
		"two docs":       {[]source{sound("internal/rocm/a.go"), sound("internal/rocm/b.go")}, "stands in a.go and b.go"},
		"doc of another": {[]source{with(sound("internal/rocm/a.go"), func(s *source) { s.doc = "Package cuda is." })}, `start with "Package rocm "`},
		"test with doc":  {[]source{sound("internal/rocm/a.go"), sound("internal/rocm/a_test.go")}, ""},

		"main":          {[]source{main}, ""},
		"long main":     {[]source{with(main, func(s *source) { s.lines = 30 })}, "has 30 lines"},
		"main as a doc": {[]source{with(main, func(s *source) { s.doc = "Package main is." })}, `start with "Command rocsmith "`},
		"beside main":   {[]source{main, with(main, func(s *source) { s.file, s.doc = "cmd/rocsmith/flags.go", "" })}, "main.go and nothing else"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judge(tc.sources)
			switch {
			case tc.want == "" && len(got) > 0:
				t.Errorf("complains: %q", got)
			case tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)):
				t.Errorf("says %q, want one sentence with %q", got, tc.want)
			}
		})
	}
}

func TestReadFindsWhatTheRulesNeed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for file, text := range map[string]string{
		"internal/rocm/a.go":                "// Package rocm knows.\npackage rocm\n\nimport _ \"os/exec\"\n\nfunc init() {}\n",
		"internal/rocm/a_windows.go":        "package rocm\n",
		"internal/rocm/b.go":                "//go:build !windows\n\npackage rocm\n",
		"internal/rocm/c.go":                "package rocm\n\ntype t int\n\nfunc (t) init() {}\n",
		"internal/rocm/testdata/broken.go":  "this is not Go",
		"internal/rocm/nested/go.mod":       "module nested\n",
		"internal/rocm/nested/elsewhere.go": "package nested\n",
		".cache/hidden.go":                  "package hidden\n",
	} {
		file = filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"internal/rocm/a.go: only internal/host, internal/probe, internal/launch, internal/state may import os/exec",
		"internal/rocm/a.go: has an init(); say it in a list or a function that somebody calls",
		"internal/rocm/a_windows.go: is built on some systems only; let the decision depend on data instead",
		"internal/rocm/b.go: is built on some systems only; let the decision depend on data instead",
	}
	if got := judge(sources); !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(sources) != 4 {
		t.Errorf("read %d files, want 4", len(sources))
	}
}
