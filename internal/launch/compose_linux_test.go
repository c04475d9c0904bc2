package launch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
)

const composeText = `
version: "3.8"
services:
  app:
    image: rocm/dev:6.4
    working_dir: /app
    user: "1234"
    volumes: [".:/app", "~/models:/models:ro", "named:/var/lib/x", "/tmp"]
    environment: {GREETING: hello, HF_HOME: /models}
    devices: ["/dev/dri:/dev/dri"]
    group_add: [video, "110"]
    cap_add: [SYS_PTRACE]
    network_mode: none
    ulimits: {memlock: -1, nofile: {soft: 1024, hard: 2048}}
    read_only: true
    depends_on: [db]
    entrypoint: /go --fast
    x-note: mine
  plain:
    image: small
  db:
    build: .
`

// projectIn writes a compose project to a folder of its own.
func projectIn(t *testing.T, name, text string, env ...string) (launch.Project, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "compose.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return launch.ReadProject(env, filepath.Join(dir, "sub"))
}

func TestReadProject(t *testing.T) {
	t.Parallel()
	p, err := projectIn(t, "My [Project]", composeText)
	if err != nil || p.Name != "myproject" || p.Version != "3.8" || len(p.Files) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.Named("web"); err == nil || !strings.Contains(err.Error(), "there are: app, plain, db") {
		t.Errorf("%v", err)
	}
	if p, err := projectIn(t, "x", "name: Told\n"+composeText, "COMPOSE_PROJECT_NAME=set"); err != nil || p.Name != "set" {
		t.Errorf("%s, %v", p.Name, err)
	}
	if p, err := projectIn(t, "x", "name: told\n"+composeText); err != nil || p.Name != "told" {
		t.Errorf("%s, %v", p.Name, err)
	}
	if _, err := projectIn(t, "x", "services: [", "COMPOSE_FILE=../compose.yaml"); err == nil {
		t.Error("broken YAML was read")
	}
	if _, err := launch.ReadProject(nil, t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no compose file") {
		t.Errorf("%v", err)
	}
}

// runOf makes a run of a service, with an engine that has nothing running.
func runOf(t *testing.T, p launch.Project, service string) launch.ServiceRun {
	t.Helper()
	s, err := p.Named(service)
	if err != nil {
		t.Fatal(err)
	}
	env, _ := engines(t, map[string]string{"docker": dockerSays})
	e, err := launch.FindEngine(t.Context(), env, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return launch.ServiceRun{
		Composer: launch.Composer{Engine: e, Argv: []string{e.Program, "compose"}}, Project: p, Service: s,
		Container: launch.Container{
			Command: []string{"python3", "x"}, UID: 1000, GID: 1001, Owner: me, Name: "rocsmith-run-x",
			Access:    grant.Access{Devices: []string{"/dev/kfd", "/dev/dri/renderD128"}, Groups: []string{"110", "105"}},
			Mounts:    []launch.Mount{{Source: "/data", Target: "/data", ReadOnly: true}, {Source: "/a:b", Target: "/a:b"}},
			Variables: []string{"HOME=/h/$x", "HF_HOME=/mine", "HSA_ENABLE_SDMA"},
		},
	}
}

func TestServiceIsGivenWhatItLacks(t *testing.T) {
	t.Parallel()
	type said struct {
		Devices, Environment []string
		Groups               []string `yaml:"group_add"`
		User                 string
		Volumes              []any
		Shm                  string `yaml:"shm_size"`
		Labels               map[string]string
	}
	p, err := projectIn(t, "proj", composeText)
	if err != nil {
		t.Fatal(err)
	}
	for service, want := range map[string]said{
		"app":   {Devices: []string{"/dev/kfd:/dev/kfd"}, Groups: []string{"105"}, Environment: []string{"HOME=/h/$$x", "HSA_ENABLE_SDMA"}},
		"plain": {Devices: []string{"/dev/kfd:/dev/kfd", "/dev/dri/renderD128:/dev/dri/renderD128"}, Groups: []string{"110", "105"}, User: "1000:1001", Environment: []string{"HOME=/h/$$x", "HF_HOME=/mine", "HSA_ENABLE_SDMA"}},
	} {
		r := runOf(t, p, service)
		command, err := r.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Before(); err != nil {
			t.Fatal(err)
		}
		i := slices.Index(command.Argv, "run")
		if i < 0 || !slices.Equal(command.Argv[i:], []string{"run", "--rm", "--name", "rocsmith-run-x", "--label", "io.github.rocsmith.run=" + me.String(), "-T", service, "python3", "x"}) {
			t.Errorf("%q", command.Argv)
		}
		over := command.Argv[i-1]
		text, err := os.ReadFile(over)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Version  string
			Services map[string]said
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		got := file.Services[service]
		if file.Version != "3.8" || !slices.Equal(got.Devices, want.Devices) || !slices.Equal(got.Groups, want.Groups) || got.User != want.User ||
			!slices.Equal(got.Environment, want.Environment) || got.Shm != "8g" || len(got.Volumes) != 2 || got.Volumes[0] != "/data:/data:ro" {
			t.Errorf("%s lacks\n%s", service, text)
		}
		if owner := file.Services["db"].Labels["io.github.rocsmith.dependency"]; (owner == me.String()) != (service == "app") {
			t.Errorf("%s marks db with %q", service, owner)
		}
		command.After()
		if _, err := os.Stat(over); err == nil {
			t.Errorf("%s is left", over)
		}
	}
}

func TestDefine(t *testing.T) {
	t.Parallel()
	p, s, d := defined(t, composeText)
	flags := strings.Join(d.Flags, " ")
	for _, want := range []string{"--device /dev/dri:/dev/dri:rwm", "--group-add video", "--group-add 110", "--cap-add SYS_PTRACE", "--network none", "--ulimit memlock=-1", "--ulimit nofile=1024:2048", "--read-only", "--volume proj_named:/var/lib/x", "--volume /tmp"} {
		if !strings.Contains(flags, want) {
			t.Errorf("%s lacks %s", flags, want)
		}
	}
	if d.User != "1234" || d.Dir != "/app" || !slices.Equal(d.Entrypoint, []string{"/go", "--fast"}) || !slices.Equal(d.Ignored, []string{"depends_on"}) {
		t.Errorf("%+v", d)
	}
	mounts := launch.ServiceMounts(s, "/home/ada")
	dir := filepath.Dir(p.Files[0])
	if !slices.Equal(mounts, []launch.Mount{{Source: dir, Target: "/app"}, {Source: "/home/ada/models", Target: "/models", ReadOnly: true}}) {
		t.Errorf("%+v", mounts)
	}
	r := runOf(t, p, "app")
	args, err := r.Composer.Engine.Arguments(d.Without(r.Container, s))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(args, " ")
	for _, want := range []string{"--user 1234", "--device /dev/kfd ", "--group-add 105", "--env GREETING=hello", "--env HF_HOME=/models", "--env HOME=/h/$x", "--workdir /app", "--entrypoint /go rocm/dev:6.4 --fast python3 x"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s lacks %s", line, want)
		}
	}
	if strings.Contains(line, "/mine") || strings.Contains(line, "renderD128") {
		t.Errorf("%s says again what the service says", line)
	}
	if db, _ := p.Named("db"); db != nil {
		if _, err := launch.Define(db, p); err == nil || !strings.Contains(err.Error(), "names no image") {
			t.Errorf("%v", err)
		}
	}
}
