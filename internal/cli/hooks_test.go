package cli_test

import (
	"bytes"
	"os"
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

// Every input of the action reaches its script, and only as a variable.
func TestActionUsesItsInputs(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]any `yaml:"inputs"`
		Runs   struct {
			Steps []struct {
				Run string            `yaml:"run"`
				Env map[string]string `yaml:"env"`
			} `yaml:"steps"`
		} `yaml:"runs"`
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	step := action.Runs.Steps[len(action.Runs.Steps)-1]
	for input := range action.Inputs {
		name := "LINT_" + strings.ToUpper(input)
		if step.Env[name] != "${{ inputs."+input+" }}" || !strings.Contains(step.Run, "$"+name) {
			t.Errorf("the input %s does not reach the script", input)
		}
	}
	if strings.Contains(step.Run, "${{") {
		t.Error("the script holds text of a workflow, which a shell would obey")
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
		"compose.yml", "deploy/docker-compose.rocm.yaml", "Dockerfile", "Dockerfile.rocm", "app.dockerfile", "Containerfile", "requirements.txt", "constraints-rocm.txt",
		"pyproject.toml", ".devcontainer/devcontainer.json", "whisper.container", "setup.sh", ".env", ".env.example", lint.IgnoreFile,
	} {
		if _, known := lint.KindOf(name); !known && name != lint.IgnoreFile {
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
