package lint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/lint"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]lint.Kind{
		"compose.yml": lint.Compose, "docker-compose.override.yaml": lint.Compose, "deploy/compose.rocm.yml": lint.Compose, "podman-compose.yml": lint.Compose,
		"Dockerfile": lint.Dockerfile, "Containerfile": lint.Dockerfile, "Dockerfile.rocm": lint.Dockerfile, "app.dockerfile": lint.Dockerfile, "build/App.Dockerfile": lint.Dockerfile,
		"requirements.txt": lint.Requirements, "requirements-rocm.txt": lint.Requirements, "constraints.txt": lint.Requirements, "dev-requirements.in": lint.Requirements, "requirements/base.txt": lint.Requirements,
		"pyproject.toml": lint.PyProject, ".devcontainer/devcontainer.json": lint.DevContainer, ".devcontainer.json": lint.DevContainer,
		"whisper.container": lint.Quadlet, "setup.sh": lint.Script, ".env": lint.EnvFile, ".env.example": lint.EnvFile, "rocm.env": lint.EnvFile,
		"overlays/gpu/kustomization.yaml": lint.Kubernetes, "composer.yml": "", "README.md": "", "notes.txt": "", "Dockerfile.dockerignore": "", "Dockerfile.5.gz": "", "Dockerfile.j2": "", "compose.yml~": "", "deployment.yaml": "", "package.json": "", "environment.yml": "",
	} {
		if got, known := lint.KindOf(name); got != want || known != (want != "") {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

const manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"

func names(p *lint.Project) []string {
	var out []string
	for _, f := range p.Files {
		out = append(out, fmt.Sprintf("%s %s", f.Path, f.Kind))
	}
	return out
}

func TestDiscoverTakesProjectFilesAndLeavesOthers(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{
		"compose.yml": "services: {}\n", "k8s/pod.yaml": manifest, "k8s/values.yaml": "a: 1\n",
		".github/workflows/ci.yml": "on: push\n", "chart/templates/pod.yaml": "apiVersion: v1\nkind: Pod\n{{- if .Values.gpu }}\nspec: {{ toYaml .Values.spec }}\n{{- end }}\n",
		"node_modules/x/compose.yml": "x", ".git/compose.yml": "x", "env/pyvenv.cfg": "home = /usr\n", "env/requirements.txt": "torch\n",
		"other/.git": "gitdir: ../.git/modules/other\n", "other/compose.yml": "services: {}\n",
		"vendor/Dockerfile": "FROM x\n", ".devcontainer/devcontainer.json": "{\n // why\n \"image\": \"x\",\n}\n", "notes.txt": "x",
	})
	want := []string{".devcontainer/devcontainer.json devcontainer", "compose.yml compose", "k8s/pod.yaml kubernetes"}
	if got := names(p); !slices.Equal(got, want) || len(p.Problems) != 1 || !p.Problems[0].Template || p.Problems[0].File.Path != "chart/templates/pod.yaml" {
		t.Errorf("found %q, want %q; problems %+v", got, want, p.Problems)
	}
}

func TestWhatCannotBeReadIsAProblem(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"a/compose.yml":       {Data: []byte("services:\n  a: [\n"), Mode: 0o644},
		"b/compose.yml":       {Data: []byte("services:\n  a:\n    image: x\n    image: y\n"), Mode: 0o644},
		"c/compose.yml":       {Mode: fs.ModeNamedPipe},
		"d/compose.yml":       {Mode: fs.ModeDevice},
		"e/Dockerfile":        {Data: make([]byte, 50<<20), Mode: 0o644},
		"f/devcontainer.json": {Data: []byte("{\n\"image\": \"x\"\n\"user\": \"y\"}"), Mode: 0o644},
		"g/.env":              {Data: []byte("A=1\nB=\x00\n"), Mode: 0o644},
		"h/pod.yml":           {Data: []byte("apiVersion: v1\nkind: Pod\nspec:\n\t- a\n"), Mode: 0o644},
		"i/devcontainer.json": {Data: []byte("{\"a\": [{\"b\": \"b\"}, {\"b\": \"a\"}], // why\n\"b\": 1,\n\"\\u0061\": 2\n}"), Mode: 0o644},
	}
	p, err := lint.Discover(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a/compose.yml:2 this cannot be read as YAML", "b/compose.yml:4 this cannot be read as YAML: the key \"image\" stands here and in line 3", "c/compose.yml:0 this is a named pipe", "d/compose.yml:0 this is a device",
		"e/Dockerfile:0 it could not be read: it has 50 MiB", "f/devcontainer.json:3 this is not JSON", "g/.env:2 a zero byte", "h/pod.yml:4 this cannot be read as YAML",
		"i/devcontainer.json:3 the key \"a\" is there twice"}
	var got []string
	for _, problem := range p.Problems {
		got = append(got, fmt.Sprintf("%s:%d %s", problem.File.Path, problem.Line, problem.What))
	}
	if len(got) != len(want) || len(p.Files) != 0 {
		t.Fatalf("problems %q, files %q", got, names(p))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("says %q, want %q", got[i], want[i])
		}
	}
}

func TestOneFileIsKnownByItsContent(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"rocm.yml": {Data: []byte("services: {}\n")}, "pod.yml": {Data: []byte(manifest)}, "install": {Data: []byte("#!/bin/bash\n")},
		"README.md": {Data: []byte("hello")}, "compose.yml": {Data: []byte("services: {}\n")},
	}
	for at, want := range map[string]string{"rocm.yml": "rocm.yml compose", "pod.yml": "pod.yml kubernetes", "install": "install script", "compose.yml": "compose.yml compose"} {
		p, err := lint.Discover(fsys, at)
		if err != nil || !slices.Equal(names(p), []string{want}) {
			t.Errorf("%s: %v, %v", at, p, err)
		}
	}
	if _, err := lint.Discover(fsys, "README.md"); err == nil || !strings.Contains(err.Error(), "not a kind of file that lint knows") {
		t.Errorf("README.md: %v", err)
	}
	// Whoever asked knows the path, and that within the project is none of the machine.
	if _, err := lint.Discover(fsys, "none.yml"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "none.yml") {
		t.Errorf("none.yml: %v", err)
	}
}

// A template may be well formed; rules pass over it all the same, and that is told.
func TestTemplatesThatCanBeReadAreTold(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{
		"a.yaml": "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: 'rocm/pytorch:{{ .Values.tag }}'}]}\n",
		"b.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {a: '{{ .Values.a }}'}\n",
	})
	if len(p.Files) != 2 || len(p.Problems) != 1 || !p.Problems[0].Template || p.Problems[0].File.Path != "a.yaml" {
		t.Errorf("files %q, problems %+v", names(p), p.Problems)
	}
}

// A project without end is not looked at to its end, and that is said.
func TestDiscoveryIsBounded(t *testing.T) {
	t.Parallel()
	deep := fstest.MapFS{strings.Repeat("d/", 40) + "compose.yml": {Data: []byte("services: {}\n")}}
	many := fstest.MapFS{}
	for i := range 2100 {
		many[fmt.Sprintf("%04d/.env", i)] = &fstest.MapFile{Data: []byte("A=1\n")}
	}
	for name, fsys := range map[string]fstest.MapFS{"nested": deep, "more than": many} {
		p, err := lint.Discover(fsys, ".")
		if err != nil || len(p.Problems) != 1 || !strings.Contains(p.Problems[0].What, name) || len(p.Files) > 2000 {
			t.Errorf("%s: %d files, problems %+v, %v", name, len(p.Files), p.Problems, err)
		}
	}
}

func TestLinksAreNotFollowedOutOfTheProject(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"rocm.yml":           {Data: []byte("services: {}\n")},
		"compose.yml":        {Data: []byte("rocm.yml"), Mode: fs.ModeSymlink},               // under no name of its own
		"docker-compose.yml": {Data: []byte("deploy/compose.yml"), Mode: fs.ModeSymlink},     // found there
		"deploy/compose.yml": {Data: []byte("services: {}\n")},                               //
		".env":               {Data: []byte("../../etc/environment"), Mode: fs.ModeSymlink},  // outside
		"setup.sh":           {Data: []byte("/etc/profile.d/rocm.sh"), Mode: fs.ModeSymlink}, // outside
		"loop.sh":            {Data: []byte("loop.sh"), Mode: fs.ModeSymlink},                // nowhere
		"up":                 {Data: []byte("."), Mode: fs.ModeSymlink},                      // for ever
		"Dockerfile":         {Data: []byte("images/none/Dockerfile"), Mode: fs.ModeSymlink}, // dangling
		"images/a.txt":       {Data: []byte("x")},
	}
	p, err := lint.Discover(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(p), []string{"compose.yml compose", "deploy/compose.yml compose"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	var unread []string
	for _, problem := range p.Problems {
		unread = append(unread, problem.File.Path+": "+problem.What)
	}
	for i, name := range []string{".env", "Dockerfile", "loop.sh", "setup.sh"} {
		if want := name + ": this is a link that leads out of the project, or nowhere, and it was not followed"; len(unread) != 4 || unread[i] != want {
			t.Errorf("said %q, want %s", unread, want)
		}
	}
}

// Somebody tired sees no tab, and knows no tokens.
func TestWellFormedNamesTheTab(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"services:\n\ta:\n\t  image: x\n":        "line 2: this cannot be read as YAML: a tab stands before the text of this line, where only blanks may",
		"services:\n  a:\n  \timage: [x\n":       "line 3: this cannot be read as YAML: a tab stands before the text of this line, where only blanks may",
		"services:\n  a: [\n  b: 1\tx\n  ]: 1\n": "",
	} {
		err := lint.WellFormed(lint.Compose, []byte(text))
		if err == nil || want != "" && err.Error() != want || want == "" && strings.Contains(err.Error(), "tab") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add("services:\n  a: {image: x}\n---\na: [1\n", "{ // c\n \"a\": [1,], /* d */ \"b\": \"//\" ,}")
	f.Add("a: &x {b: 1}\nc: *x\n<<: *x\n", `{"a": "\"/*"}`)
	f.Add("a: 1\na: 2\n", "[1,,]")
	f.Fuzz(func(t *testing.T, yaml, jsonc string) {
		for kind, text := range map[lint.Kind]string{lint.Compose: yaml, lint.Kubernetes: yaml, lint.DevContainer: jsonc, lint.Script: jsonc} {
			_ = lint.WellFormed(kind, []byte(text))
		}
		stripped := lint.StripJSONC([]byte(jsonc))
		if len(stripped) != len(jsonc) || strings.Count(string(stripped), "\n") != strings.Count(jsonc, "\n") {
			t.Errorf("%q became %q: positions moved", jsonc, stripped)
		}
		if again := lint.StripJSONC(stripped); string(again) != string(stripped) && lint.WellFormed(lint.DevContainer, []byte(jsonc)) == nil {
			t.Errorf("%q became %q, and that %q", jsonc, stripped, again)
		}
	})
}
