package cli_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/cli"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// flagsOf are the flags that a command's own help names.
func flagsOf(t *testing.T, command string) []string {
	t.Helper()
	var out bytes.Buffer
	app := cli.App{Version: "test", Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}
	if code := app.Run([]string{command, "--help"}); code != 0 {
		t.Fatalf("rocsmith %s --help: exit %d", command, code)
	}
	return regexp.MustCompile(`--[a-z-]+`).FindAllString(out.String(), -1)
}

// What other projects start is what there is.
func TestHookAndActionCallWhatThereIs(t *testing.T) {
	t.Parallel()
	flags := flagsOf(t, "lint")
	for _, file := range []string{"../../.pre-commit-hooks.yaml", "../../action.yml"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var parsed any
		if err := yaml.Unmarshal(data, &parsed); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		named := regexp.MustCompile(`--[a-z]+`).FindAllString(string(data), -1)
		if !slices.Contains(named, "--for") {
			t.Errorf("%s names no flag at all: %q", file, named)
		}
		for _, flag := range named {
			if !slices.Contains(flags, flag) {
				t.Errorf("%s names %s, which lint does not have", file, flag)
			}
		}
	}
}

// An actionStep is the step of the action that runs lint.
type actionStep struct {
	Run string            `yaml:"run"`
	Env map[string]string `yaml:"env"`
}

func readAction(t *testing.T) (inputs []string, last actionStep) {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]any `yaml:"inputs"`
		Runs   struct {
			Steps []actionStep `yaml:"steps"`
		} `yaml:"runs"`
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(action.Inputs)), action.Runs.Steps[len(action.Runs.Steps)-1]
}

// Every input of the action reaches its script, and only as a variable.
func TestActionUsesItsInputs(t *testing.T) {
	t.Parallel()
	inputs, step := readAction(t)
	for _, input := range inputs {
		name := "LINT_" + strings.ToUpper(input)
		if step.Env[name] != "${{ inputs."+input+" }}" || !strings.Contains(step.Run, "$"+name) {
			t.Errorf("the input %s does not reach the script", input)
		}
	}
	if strings.Contains(step.Run, "${{") {
		t.Error("the script holds text of a workflow, which a shell would obey")
	}
}

// The script of the action, with this rocsmith.
func TestActionRuns(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	rocsmith, err := exec.LookPath("rocsmith") // the test itself, under this name
	if err != nil {
		t.Fatal(err)
	}
	_, step := readAction(t)
	for name, tc := range map[string]struct {
		text, strict string
		want         int
	}{
		"fine":   {"services:\n  app:\n    image: example/app:1\n", "false", 0},
		"broken": {"services: [\n", "true", 2},
		"warned": {"# rocsmith-ignore: project/readable\nservices: {}\n", "true", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "compose.yml"), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bash, "-e", "-o", "pipefail", "-c", step.Run)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+filepath.Dir(rocsmith), "LINT_PATH=.", "LINT_FOR=", "LINT_STRICT="+tc.strict, "LINT_SARIF=out.sarif")
			said, err := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != tc.want || !strings.Contains(string(said), "rules asked") {
				t.Errorf("exit %d (%v), want %d:\n%s", got, err, tc.want, said)
			}
			if sarif, err := os.ReadFile(filepath.Join(dir, "out.sarif")); err != nil || !strings.Contains(string(sarif), `"version": "2.1.0"`) {
				t.Errorf("the file for GitHub: %v\n%s", err, sarif)
			}
		})
	}
}

// The hook is started by changes of the files that lint knows.
func TestHookKnowsTheFilesOfLint(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		Entry string `yaml:"entry"`
		Files string `yaml:"files"`
	}
	if err := yaml.Unmarshal(data, &hooks); err != nil || len(hooks) != 1 || hooks[0].Entry != "rocsmith lint" {
		t.Fatalf("%+v, %v", hooks, err)
	}
	files := regexp.MustCompile(hooks[0].Files)
	for _, name := range []string{
		"compose.yml", "deploy/docker-compose.rocm.yaml", "k8s/pod.yaml", "requirements/base.txt", "install.bash", "Dockerfile", "Dockerfile.rocm", "app.dockerfile", "Containerfile", "requirements.txt", "constraints-rocm.txt",
		"pyproject.toml", ".devcontainer/devcontainer.json", "whisper.container", "setup.sh", ".env", ".env.example", lint.IgnoreFile,
	} {
		if _, known := lint.KindOf(name); !known && name != lint.IgnoreFile && name != "k8s/pod.yaml" { // which is told by its contents
			t.Errorf("lint does not know %s", name)
		}
		if !files.MatchString(name) {
			t.Errorf("a change of %s does not start the hook", name)
		}
	}
	if files.MatchString("main.go") || files.MatchString("README.md") {
		t.Error("the hook is started by files that lint does not read")
	}
}
