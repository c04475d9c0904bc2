package host

import (
	"slices"
	"strings"
	"testing"
)

func TestStackAssignments(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]Assignment{
		"export HSA_XNACK=1":                                {{"HSA_XNACK", "1"}},
		"  HSA_XNACK=1  # a comment":                        {{"HSA_XNACK", "1"}},
		`export HIP_PATH="/opt/my rocm" HSA_XNACK='0'`:      {{"HIP_PATH", "/opt/my rocm"}, {"HSA_XNACK", "0"}},
		"set -gx MIOPEN_FIND_MODE FAST":                     {{"MIOPEN_FIND_MODE", "FAST"}},
		"set --global --export HSA_XNACK 1":                 {{"HSA_XNACK", "1"}},
		"set -Ux HSA_XNACK":                                 {{"HSA_XNACK", ""}},
		"declare -x HSA_XNACK=1; export HSA_DEBUG=":         {{"HSA_XNACK", "1"}, {"HSA_DEBUG", ""}},
		"export ROCM_PATH=${HOME}/rocm":                     {{"ROCM_PATH", "${HOME}/rocm"}},
		"export ROCM_PATH=$(which hipcc) HSA_XNACK=1":       {{"ROCM_PATH", unevaluated}},
		"export ROCM_PATH=`which hipcc`":                    {{"ROCM_PATH", unevaluated}},
		`export HSA_X=it\'s`:                                {{"HSA_X", "it's"}},
		"export OPENAI_API_KEY=secret HSA_XNACK=1":          {{"HSA_XNACK", "1"}},
		"if true; then export HSA_XNACK=1; fi":              {{"HSA_XNACK", "1"}},
		"rocm() { HSA_XNACK=1; }":                           {{"HSA_XNACK", "1"}},
		"# export HSA_XNACK=1":                              nil,
		"HSA_XNACK=1 python train.py":                       nil,
		"alias t='HSA_XNACK=1 python'":                      nil,
		"set -g HSA_XNACK 1":                                nil,
		"set -x":                                            nil,
		"export HSA_XNACK":                                  nil,
		"unset HSA_XNACK":                                   nil,
		"export TORCH_HUB_TOKEN=secret":                     nil,
		"export PATH=/opt/rocm/bin:$PATH":                   nil,
		"":                                                  nil,
		"export HSA_X=" + strings.Repeat("x", maxShellLine): nil,
	} {
		if got := StackAssignments(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestIsShellFile(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"/etc/environment": true, "/etc/profile.d/x.sh": true, "/home/user1/.bashrc": true, "/etc/bash.bashrc": true,
		"/etc/profile": true, "/home/user1/.zprofile": true, "/home/user1/.zshenv": true,
		"/etc/systemd/system/ollama.service": true, "/etc/systemd/system/ollama.service.d/gpu.conf": true, "/srv/app/.env": true,
		"/home/user1/.config/environment.d/a.conf": true, "/home/user1/.config/fish/config.fish": true,
		"/etc/os-release": false, "/etc/passwd": false, "/proc/cmdline": false,
	} {
		if got := isShellFile(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// What a snapshot keeps of a line is read back as the same settings, and holds
// no other.
func FuzzStackAssignments(f *testing.F) {
	f.Add("export HSA_X='a b' HIP_Y=\"c\" KEY=secret")
	f.Add("set -gx MIOPEN_FIND_MODE FAST; HSA_X=$(x)")
	f.Add(`HSA_X=it\'s\ ${HOME} # x`)
	f.Fuzz(func(t *testing.T, line string) {
		var lines []string
		got := StackAssignments(line)
		for _, a := range got {
			if !IsStackVariable(a.Name) || !isVariableName(a.Name) {
				t.Errorf("%q is none of ours", a.Name)
			}
			lines = append(lines, a.line())
		}
		kept := strings.Join(lines, "; ")
		if again := StackAssignments(kept); len(kept) <= maxShellLine && !slices.Equal(again, got) {
			t.Errorf("%q became %q", got, again)
		}
	})
}

func TestUnitsOfSystemdSetVariables(t *testing.T) {
	t.Parallel()
	got := StackAssignments(`Environment="HSA_OVERRIDE_GFX_VERSION=10.3.0" "OLLAMA_HOST=0.0.0.0" HIP_VISIBLE_DEVICES=0`)
	want := []Assignment{{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}, {"HIP_VISIBLE_DEVICES", "0"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
