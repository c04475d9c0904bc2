package launch_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/programtest"
)

const (
	dockerSays = `*"info"*) echo '{"ServerVersion":"28.2.2","DefaultRuntime":"runc"}';;`
	podmanSays = `*"info"*) echo '{"host":{"ociRuntime":{"name":"crun"}},"version":{"Version":"4.3.1"}}';;`
	hasImage   = `*"image inspect"*) echo '{"Id":"sha256:abc123","Config":{"Entrypoint":["/go"]}}';;`
	hasNoImage = `*"image inspect"*) echo 'Error: No such image: x' >&2; exit 1;;`
)

// engines makes programs that answer as engines do, each a shell's case list, and
// returns an environment that finds them. What they are asked is in log.
func engines(t *testing.T, programs map[string]string) (env []string, log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	for name, cases := range programs {
		script := fmt.Sprintf("#!/bin/sh\necho \"%s $*\" >>%s\ncase \"$*\" in\n%s\n*) exit 0;;\nesac\n", name, log, cases)
		programtest.Write(t, filepath.Join(dir, name), script)
	}
	return []string{"PATH=" + dir, "HOME=" + dir}, log
}

func TestFindEngine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		programs map[string]string
		wanted   string
		kind     grant.Kind
		says     string
	}{
		{"docker alone", map[string]string{"docker": dockerSays + hasNoImage}, "", grant.Docker, ""},
		{"docker first", map[string]string{"docker": dockerSays + hasImage, "podman": podmanSays + hasImage}, "", grant.Docker, ""},
		{"the one that has the image", map[string]string{"docker": dockerSays + hasNoImage, "podman": podmanSays + hasImage}, "", grant.Podman, ""},
		{"neither has it", map[string]string{"docker": dockerSays + hasNoImage, "podman": podmanSays + hasNoImage}, "", grant.Docker, ""},
		{"the one that was named", map[string]string{"docker": dockerSays + hasImage, "podman": podmanSays + hasNoImage}, "podman", grant.Podman, ""},
		{"docker that is podman", map[string]string{"docker": podmanSays}, "", grant.Podman, ""},
		{"the one that runs", map[string]string{"docker": `*) echo 'Cannot connect to the Docker daemon' >&2; exit 1;;`, "podman": podmanSays}, "", grant.Podman, ""},
		{"not running", map[string]string{"docker": `*) echo 'Cannot connect to the Docker daemon at unix:///x' >&2; exit 1;;`}, "", "", "docker is installed and does not run"},
		{"no right", map[string]string{"docker": `*) echo 'permission denied while trying to connect to the docker API' >&2; exit 1;;`}, "", "", "you may not speak to docker"},
		{"a context here", map[string]string{"docker": `"context inspect"*) echo unix:///run/user/1000/docker.sock;;` + dockerSays}, "", grant.Docker, ""},
		{"a context elsewhere", map[string]string{"docker": `"context inspect"*) echo ssh://ada@far;;` + dockerSays}, "", "", "leads to ssh://ada@far, which is another machine"},
		{"no contexts", map[string]string{"docker": `"context "*) echo "docker: 'context' is not a docker command." >&2; exit 1;;` + dockerSays}, "", grant.Docker, ""},
		{"junk", map[string]string{"docker": `*) echo hello;;`}, "", "", "no JSON"},
		{"unknown name", map[string]string{"docker": dockerSays}, "lxc", "", "choose docker or podman"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, _ := engines(t, tt.programs)
			e, err := launch.FindEngine(t.Context(), env, tt.wanted, "x")
			switch {
			case tt.says == "" && (err != nil || e.Kind != tt.kind):
				t.Errorf("%s, %v, want %s", e.Kind, err, tt.kind)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

func TestFindEngineWhereNoneIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := launch.FindEngine(t.Context(), []string{"PATH=" + dir}, "", "x"); !errors.Is(err, launch.ErrNoEngine) {
		t.Errorf("%v", err)
	}
	programtest.Write(t, filepath.Join(dir, "apptainer"), "#!/bin/sh\n")
	var apptainer *launch.ApptainerError
	if _, err := launch.FindEngine(t.Context(), []string{"PATH=" + dir}, "", "x"); !errors.As(err, &apptainer) || apptainer.Program != filepath.Join(dir, "apptainer") {
		t.Errorf("%v", err)
	}
	for address, far := range map[string]bool{"ssh://u@far": true, "tcp://10.0.0.1:2375": true, "tcp://127.0.0.1:2375": false, "unix:///x": false} {
		env, _ := engines(t, map[string]string{"docker": dockerSays})
		_, err := launch.FindEngine(t.Context(), append(env, "DOCKER_HOST="+address), "", "")
		if (err != nil) != far {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestImageIsFetchedOnlyWhereItIsMissing(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, cases, says, asked string }{
		{"here", hasImage, "", "docker context inspect --format {{.Endpoints.docker.Host}}|docker info --format {{json .}}|docker image inspect --format {{json .}} x|"},
		{"unreachable", hasNoImage + `"pull"*) echo 'dial tcp: lookup r.io: no such host' >&2; exit 1;;`, "its registry cannot be reached", ""},
		{"no room", hasNoImage + `"pull"*) echo 'write /x: no space left on device' >&2; exit 1;;`, "no room on the disk", ""},
		{"unknown", hasNoImage + `"pull"*) echo 'manifest unknown' >&2; exit 1;;`, "no registry gives it out", ""},
		{"another failure", `*"image inspect"*) echo 'storage is broken' >&2; exit 1;;`, "storage is broken", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, log := engines(t, map[string]string{"docker": dockerSays + tt.cases})
			e, err := launch.FindEngine(t.Context(), env, "", "")
			if err != nil {
				t.Fatal(err)
			}
			var progress bytes.Buffer
			_, err = e.Image(t.Context(), "x", &progress)
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
			asked, _ := os.ReadFile(log)
			if got := strings.ReplaceAll(string(asked), "\n", "|"); tt.asked != "" && got != tt.asked {
				t.Errorf("asked %s", got)
			}
		})
	}
}

func TestSweepRemovesTheDead(t *testing.T) {
	t.Parallel()
	self, err := launch.Self()
	if err != nil {
		t.Fatal(err)
	}
	dead, foreign := self, self
	dead.Boot = "another"
	foreign.UID, foreign.Boot = self.UID+1, "another"
	env, log := engines(t, map[string]string{"docker": dockerSays + `"ps "*) echo living dead foreign;;
*living) echo '` + self.String() + `';;
*"dead") case "$1" in inspect) echo '` + dead.String() + `';; esac;;
*foreign) echo '` + foreign.String() + `';;`})
	e, err := launch.FindEngine(t.Context(), env, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if n := e.Sweep(t.Context(), self); n != 1 {
		t.Errorf("%d removed", n)
	}
	asked, _ := os.ReadFile(log)
	var removed []string
	for line := range strings.Lines(string(asked)) {
		if strings.HasPrefix(line, "docker rm ") {
			removed = append(removed, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(removed, []string{"docker rm --force --volumes dead"}) {
		t.Errorf("removed %q", removed)
	}
}

func TestKeepMakesFolders(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	caches := []grant.Cache{{Name: "miopen-kernels", Variable: "MIOPEN_CUSTOM_CACHE_DIR", Versioned: true}, {Name: "huggingface", Variable: "HF_HOME"}}
	kept, err := launch.Keep(caches, "rocm-6.4", []string{"HOME=" + home, "USER=ada", "HF_HOME=" + home + "/models"})
	if err != nil {
		t.Fatal(err)
	}
	base := home + "/.cache/rocsmith/run"
	want := []string{"HOME=" + base + "/shared/home", "USER=ada", "LOGNAME=ada", "MIOPEN_CUSTOM_CACHE_DIR=" + base + "/rocm-6.4/miopen-kernels", "HF_HOME=" + home + "/models"}
	if !slices.Equal(kept.Variables, want) {
		t.Errorf("variables %q", kept.Variables)
	}
	if got := written(kept.Mounts, ""); got != base+"/rocm-6.4 "+base+"/shared "+home+"/models" {
		t.Errorf("mounts %s", got)
	}
	for _, dir := range []string{base + "/shared/home", base + "/rocm-6.4/miopen-kernels", home + "/models"} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s holds %v, %v", dir, left, err)
		}
	}
	if _, err := launch.Keep(caches, "v", nil); err == nil {
		t.Error("caches are kept nowhere")
	}
	if err := os.WriteFile(home+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := launch.Keep(caches, "v", []string{"XDG_CACHE_HOME=" + home + "/file"}); err == nil {
		t.Error("a folder below a file")
	}
}

func TestHereFollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"snapshots/abc", "blobs", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "blobs/f00"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"snapshots/abc/model": "../../blobs/f00", "link": "home", "snapshots/abc/nothing": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := launch.Here([]string{"HOME=" + dir + "/link"})
	if err != nil || w.Home != dir+"/home" {
		t.Fatalf("%+v, %v", w, err)
	}
	if got := w.Look(dir + "/snapshots/abc"); got.Kind != launch.Folder || !slices.Equal(got.Beyond, []string{dir + "/blobs"}) {
		t.Errorf("%+v", got)
	}
	if got := w.Look(dir + "/snapshots/abc/model"); got.Kind != launch.File || got.Real != dir+"/blobs/f00" {
		t.Errorf("%+v", got)
	}
	if got := w.Look(dir + "/snapshots/abc/nothing"); got.Kind != launch.Nothing {
		t.Errorf("%+v", got)
	}
}
