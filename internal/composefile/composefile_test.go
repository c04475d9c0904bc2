package composefile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/composefile"
)

// project makes files of "-- name --" sections.
func project(text string) fstest.MapFS {
	out := fstest.MapFS{}
	name := ""
	for line := range strings.Lines(text) {
		if after, found := strings.CutPrefix(line, "-- "); found {
			name = strings.TrimSuffix(strings.TrimSpace(after), " --")
			out[name] = &fstest.MapFile{}
			continue
		}
		out[name].Data = append(out[name].Data, line...)
	}
	return out
}

func load(fsys fs.FS, shell map[string]string, files ...string) (*composefile.Project, error) {
	return composefile.Load(composefile.Options{
		Read:  func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) },
		Shell: func(name string) (string, bool) { v, set := shell[name]; return v, set },
	}, files...)
}

func mustLoad(t *testing.T, text string, shell map[string]string, files ...string) *composefile.Project {
	t.Helper()
	p, err := load(project(text), shell, files...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// where writes values with their places.
func where(values []*composefile.Value) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%s@%s:%d", v.Text, v.File.Path, v.Line()))
	}
	return strings.Join(out, " ")
}

func TestEveryValueKnowsItsPlace(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, `-- compose.yaml --
include:
  - sub/compose.yaml
x-gpu: &gpu
  group_add: [render]
services:
  a:
    <<: *gpu
    image: rocm/pytorch
    devices:
      - /dev/kfd
  b:
    extends:
      file: base.yml
      service: base
    group_add:
      - "44"
-- compose.override.yaml --
services:
  a:
    group_add:
      - 110
    devices:
      - /dev/dri:/dev/dri
      - /dev/other:/dev/kfd:r
-- base.yml --
services:
  base:
    extends: root
    group_add: [video]
  root:
    group_add: [audio]
    volumes: ["./cache:/cache"]
-- sub/compose.yaml --
services:
  c:
    group_add: ["${GID:-7}"]
    volumes: [./c:/c]
-- sub/.env --
GID=8
`, nil, "compose.yaml", "compose.override.yaml")
	for service, want := range map[string]string{
		"a": "render@compose.yaml:4 110@compose.override.yaml:4",
		"b": "audio@base.yml:6 video@base.yml:4 44@compose.yaml:16",
		"c": "8@sub/compose.yaml:3",
	} {
		if got := where(p.Service(service).Groups()); got != want {
			t.Errorf("groups of %s: %s, want %s", service, got, want)
		}
	}
	var devices []string
	for _, d := range p.Service("a").Devices() {
		devices = append(devices, d.Source+">"+d.Target+">"+d.Permissions)
	}
	if want := []string{"/dev/other>/dev/kfd>r", "/dev/dri>/dev/dri>rwm"}; !slices.Equal(devices, want) {
		t.Errorf("devices %v, want %v", devices, want)
	}
	if v := p.Service("c").Volumes()[0]; v.Source != "sub/c" || !v.Inside || !v.Creates {
		t.Errorf("volume %+v", v)
	}
	if ref := p.Service("c").Groups()[0].Vars[0]; ref.From != composefile.FromEnvFile || ref.Setting.Path != "sub/.env" || ref.Setting.Line != 1 {
		t.Errorf("variable %+v", ref)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	shell := map[string]string{"SET": "s", "EMPTY": ""}
	tests := []struct{ text, want, fails string }{
		{"$SET ${SET} $$SET", "s s $SET", ""},
		{"${NONE:-a${SET}b} ${NONE-x} ${EMPTY:-y} ${EMPTY-z}", "asb x y ", ""},
		{"${SET:+p}${NONE+q}", "p", ""},
		{"${FILE}", "f", ""},
		{"$5 $", "$5 $", ""},
		{"${NONE:?please ${SET}}", "", "NONE must be set: please s"},
		{"${SET", "", "not closed"},
		{"${}", "", "no reference"},
		{"${A:}", "", "no reference"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			p, err := load(fstest.MapFS{
				".env":         {Data: []byte("FILE=f\nSET=not-this\n")},
				"compose.yaml": {Data: []byte("services:\n  a:\n    image: '" + tt.text + "'\n")},
			}, shell, "compose.yaml")
			if tt.fails != "" {
				var placed *composefile.Error
				if !errors.As(err, &placed) || placed.Line != 3 || !strings.Contains(placed.Reason, tt.fails) {
					t.Errorf("error %v, want %q in line 3", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Service("a").Get("image").Text; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhatCannotBeReadIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, files, want string }{
		{"include loop", "-- compose.yaml --\ninclude:\n  - b.yaml\n-- b.yaml --\nservices: {}\ninclude:\n  - compose.yaml\n", "b.yaml:3: this include leads back"},
		{"extends loop", "-- compose.yaml --\nservices:\n  a: {extends: b}\n  b: {extends: a}\n", "compose.yaml:2: the service a extends itself"},
		{"extends loop over files", "-- compose.yaml --\nservices:\n  a:\n    extends: {file: b.yaml, service: b}\n-- b.yaml --\nservices:\n  b:\n    extends: {file: compose.yaml, service: a}\n", "extends itself"},
		{"no such service", "-- compose.yaml --\nservices:\n  a:\n    extends: nobody\n", `compose.yaml:3: the service a extends "nobody"`},
		{"no such include", "-- compose.yaml --\nservices: {}\ninclude: [gone.yaml]\n", "compose.yaml:2: gone.yaml"},
		{"broken include", "-- compose.yaml --\ninclude: [b.yaml]\n-- b.yaml --\nservices:\n  a: 1\n  a: 2\n", `b.yaml:3: the key "a"`},
		{"env file", "-- compose.yaml --\nservices: {}\n-- .env --\nA=1\nB C=2\n", ".env:2: the name"},
		{"quote", "-- compose.yaml --\nservices: {}\n-- .env --\nA=1\nB='\n", ".env:"},
		{"kinds", "-- compose.yaml --\nservices:\n  a:\n    devices: [x]\n---\nservices:\n  a:\n    devices: {x: y}\n", "compose.yaml:7: this cannot replace"},
		{"services", "-- compose.yaml --\nservices: [a]\n", "compose.yaml:1: services is not"},
		{"no keys", "-- compose.yaml --\n- a\n", "compose.yaml:1: this is no compose file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(project(tt.files), nil, "compose.yaml")
			var placed *composefile.Error
			if !errors.As(err, &placed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRemotePartsAreSkippedAndTold(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, "-- d/compose.yaml --\ninclude:\n  - oci://example.com/x\n  - ../../up.yaml\nservices:\n  a: {image: x}\n", nil, "d/compose.yaml")
	if len(p.Skipped) != 2 || p.Skipped[0].Line != 2 || p.Service("a") == nil {
		t.Errorf("skipped %v", p.Skipped)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, `-- compose.yaml --
services:
  a:
    env_file:
      - one.env
      - {path: gone.env, required: false}
    environment:
      A: from-compose
      B:
      C: ""
      N: 0x10
-- compose.override.yaml --
services:
  a:
    environment:
      - A=over
      - Z
-- one.env --
# comment
A=file
D="x\ty $E" # c
E=e
export F='$E' 
-- .env --
B=b
`, map[string]string{"Z": "z"}, "compose.yaml", "compose.override.yaml")
	vars, whole := p.Service("a").Environment()
	got := map[string]string{}
	for _, v := range vars {
		got[v.Name] = fmt.Sprintf("%s/%v", v.Text, v.Set)
	}
	want := map[string]string{"A": "over/true", "B": "b/true", "C": "/true", "N": "16/true", "Z": "z/true", "D": "x\ty /true", "E": "e/true", "F": "$E/true"}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s is %q, want %q", name, got[name], w)
		}
	}
	if !whole || len(got) != len(want) {
		t.Errorf("whole %v, %v", whole, got)
	}
}

func TestVolumesAreLaidOverOneAnother(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, `-- compose.yaml --
include: [sub/compose.yaml]
services: {app: {image: x}}
volumes:
  models: {external: true, name: "${WHERE}"}
  plain:
-- sub/compose.yaml --
services: {other: {image: x}}
volumes: {models: {name: below}, deep: {name: deep}}
-- over.yaml --
volumes: {models: {name: over}, plain: {name: set}}
`, map[string]string{"WHERE": "here"}, "compose.yaml", "over.yaml")
	for name, want := range map[string]string{"models": "over", "plain": "set", "deep": "deep", "none": ""} {
		if got := p.Volumes[name].Get("name").String(); got != want {
			t.Errorf("%s is named %q, want %q", name, got, want)
		}
	}
	if p.Volumes["models"].Get("external").String() != "true" {
		t.Error("an override took away what it does not name")
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	got := composefile.Default([]string{"d/docker-compose.yml", "d/compose.yml", "d/docker-compose.override.yml", "d/compose.gpu.yml"})
	if want := []string{"d/compose.yml", "d/docker-compose.override.yml"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := composefile.Default([]string{"d/compose.gpu.yml"}); got != nil {
		t.Error(got)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("services:\n  a:\n    extends: b\n    environment: {A: '${B:-c}'}\n  b: {devices: [/dev/kfd]}\n", "services: {a: {devices: !reset []}}", "B=1\n")
	f.Add("include: [b.yaml]\nservices: {a: {volumes: [./a:/b:ro,z]}}\n", "services:\n  a: !override\n    image: x\n", "A='x\n")
	f.Fuzz(func(t *testing.T, one, two, env string) {
		fsys := fstest.MapFS{"compose.yaml": {Data: []byte(one)}, "b.yaml": {Data: []byte(two)}, ".env": {Data: []byte(env)}}
		p, err := load(fsys, nil, "compose.yaml", "b.yaml")
		if err != nil {
			var placed *composefile.Error
			if !errors.As(err, &placed) || placed.Line < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, s := range p.Services {
			s.Environment()
			s.Devices()
			s.Volumes()
			for _, g := range s.Groups() {
				if g.File == nil || g.Node == nil {
					t.Fatal("a value without its place")
				}
			}
		}
	})
}

func FuzzEnvFile(f *testing.F) {
	f.Add("A=1\nexport B=\"x\\n$A\" # c\nC='\\''\nD\n")
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := composefile.ParseEnvFile(".env", []byte(text), nil)
		if err != nil {
			return
		}
		for _, s := range settings {
			if s.Start < 0 || s.End < s.Start || s.End > len(text) || s.Line < 1 || s.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%+v", s)
			}
		}
	})
}
