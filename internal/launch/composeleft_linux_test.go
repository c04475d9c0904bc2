package launch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/launch"
)

// A projectEngine is an engine with parts of the project proj, and the folder of
// rocsmith's files beside it.
type projectEngine struct {
	composer launch.Composer
	self     launch.Owner
	dir, log string
}

// engineWith makes one. Each part is ID|SERVICE|ONE-OFF|RUN|DEPENDENCY, as docker
// ps writes them; the project has the networks oldnet, newnet and joined, the
// last with a container of somebody's that has ended.
func engineWith(t *testing.T, parts ...string) projectEngine {
	t.Helper()
	self, err := launch.Self()
	if err != nil {
		t.Fatal(err)
	}
	env, log := engines(t, map[string]string{"docker": dockerSays + fmt.Sprintf(`
*"network=joined"*) echo ended;;
*"network="*) ;;
"ps "*"project=proj"*) printf '%%b\n' %q;;
"network ls"*) echo oldnet newnet joined;;`, strings.Join(parts, "\n"))})
	e, err := launch.FindEngine(t.Context(), env, "", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimPrefix(env[1], "HOME=") + "/.cache/rocsmith/run/compose"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return projectEngine{launch.Composer{Engine: e, Argv: []string{e.Program, "compose"}}, self, dir, log}
}

// left writes the file of a run in a project that had oldnet before.
func (p projectEngine) left(t *testing.T, name, project string, owner launch.Owner) {
	t.Helper()
	text := "# rocsmith run " + owner.String() + "\n# project " + project + "\n# networks before oldnet\nservices: {}\n"
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// removed are the questions to the engine that remove something.
func (p projectEngine) removed(t *testing.T) string {
	t.Helper()
	asked, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(asked)) {
		if line = strings.TrimSpace(line); strings.Contains(line, " rm ") || strings.Contains(line, " kill ") {
			out = append(out, strings.TrimPrefix(line, "docker "))
		}
	}
	return strings.Join(out, "; ")
}

func (p projectEngine) files(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(p.dir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return strings.Join(names, " ")
}

// ownersBeside are a rocsmith that was killed, and one that lives.
func ownersBeside(self launch.Owner) (dead, living launch.Owner) {
	dead, living = self, self
	dead.Boot = "another"
	living.UID++ // whose processes may be hidden: it counts as alive
	return dead, living
}

func TestSweepProjectsRemovesWhatIsMarked(t *testing.T) {
	t.Parallel()
	self, err := launch.Self()
	if err != nil {
		t.Fatal(err)
	}
	dead, _ := ownersBeside(self)
	p := engineWith(t,
		"ours|db|False||"+dead.String(),
		"run|app|True|"+dead.String()+"|",
		"upped|web|False||", // by the user, long after the kill
		"job|app|True||",    // docker compose run, by the user
		"forged|x|False|"+dead.String()+"|",
	)
	p.left(t, "dead.yaml", "proj", dead)
	p.left(t, "alive.yaml", "other", self)
	if err := os.WriteFile(filepath.Join(p.dir, "junk.yaml"), []byte("services: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.composer.SweepProjects(t.Context(), self)
	if got, want := p.removed(t), "kill run; rm --force --volumes run; kill ours; rm --force ours; network rm newnet"; got != want {
		t.Errorf("removed: %s\nwant %s", got, want)
	}
	if got := p.files(t); got != "alive.yaml junk.yaml" {
		t.Errorf("left: %s", got)
	}
}

func TestSweepProjectsWaitsForTheLastRun(t *testing.T) {
	t.Parallel()
	self, err := launch.Self()
	if err != nil {
		t.Fatal(err)
	}
	dead, living := ownersBeside(self)
	for name, p := range map[string]projectEngine{
		"by its file":      engineWith(t, "ours|db|False||"+dead.String()),
		"by its container": engineWith(t, "ours|db|False||"+dead.String(), "run|app|True|"+living.String()+"|"),
	} {
		p.left(t, "dead.yaml", "proj", dead)
		if name == "by its file" {
			p.left(t, "living.yaml", "proj", living)
		}
		p.composer.SweepProjects(t.Context(), self)
		if got := p.removed(t); got != "" || !strings.Contains(p.files(t), "dead.yaml") {
			t.Errorf("%s: removed %s, left %s", name, got, p.files(t))
		}
	}
}

// A run that ends removes what carries its own mark, and takes its file away last:
// where it is killed in between, the next one finds the rest.
func TestServiceLeaves(t *testing.T) {
	t.Parallel()
	self, err := launch.Self()
	if err != nil {
		t.Fatal(err)
	}
	_, living := ownersBeside(self)
	project, err := projectIn(t, "proj", composeText)
	if err != nil {
		t.Fatal(err)
	}
	s, err := project.Named("app")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		parts         []string
		removed, file string
	}{
		"alone": {
			[]string{"ours|db|False||" + self.String(), "upped|web|False||"},
			"kill ours; rm --force ours", "",
		},
		"killed": {
			[]string{"run|app|True|" + self.String() + "|"},
			"kill run; rm --force --volumes run", "",
		},
		"beside another": {
			[]string{"ours|db|False||" + self.String(), "theirs|app|True|" + living.String() + "|"},
			"", "rocsmith-run-x.yaml",
		},
	} {
		p := engineWith(t, tt.parts...)
		r := launch.ServiceRun{
			Composer: p.composer, Project: project, Service: s,
			Container: launch.Container{Command: []string{"true"}, Owner: self, Name: "rocsmith-run-x"},
		}
		command, err := r.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Before(); err != nil {
			t.Fatal(err)
		}
		command.After()
		if got := p.removed(t); got != tt.removed || p.files(t) != tt.file {
			t.Errorf("%s: removed %s, left %s", name, got, p.files(t))
		}
	}
}

// compose replaces a container whose labels are to be others: what runs already
// keeps the mark that it has, or has none.
func TestServiceMarksWhatItStarts(t *testing.T) {
	t.Parallel()
	project, err := projectIn(t, "proj", `
services:
  app: {image: x, depends_on: {web: {condition: service_started}}, network_mode: "service:net"}
  web: {image: x, depends_on: [db], links: ["cache:c"]}
  db: {image: x, depends_on: [app]}
  cache: {image: x}
  net: {image: x, volumes_from: [data]}
  data: {image: x}
  other: {image: x}
`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := project.Named("app")
	if err != nil {
		t.Fatal(err)
	}
	p := engineWith(t, "a|db|False||", "b|cache|False||"+me.String(), "c|data|True||")
	r := launch.ServiceRun{
		Composer: p.composer, Project: project, Service: s,
		Container: launch.Container{Command: []string{"true"}, Owner: p.self, Name: "rocsmith-run-x"},
	}
	command, err := r.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Before(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(p.dir, "rocsmith-run-x.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct{ Labels map[string]string }
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for service, want := range map[string]string{
		"app": "", "web": p.self.String(), "db": "", "cache": me.String(), "net": p.self.String(), "data": p.self.String(), "other": "",
	} {
		if got := file.Services[service].Labels["io.github.rocsmith.dependency"]; got != want {
			t.Errorf("%s is marked %q, want %q", service, got, want)
		}
	}
}
