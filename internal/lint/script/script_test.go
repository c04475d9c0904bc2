package script_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/script"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(script.Rules); err != nil {
		t.Error(err)
	}
}

func TestFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"both":                   {"docker run --device /dev/kfd --device /dev/dri rocm/pytorch:x", ""},
		"kfd alone":              {"docker run -it --device=/dev/kfd app", "1 script/devices fail"},
		"dri alone, of an app":   {"docker run --device=/dev/dri jellyfin/jellyfin:10", ""},
		"dri alone, for ROCm":    {"docker run -v /a:/b -p8080:80 -e A=1 --device=/dev/dri/renderD128 rocm/vllm:x serve", "1 script/devices fail"},
		"neither":                {"docker run --rm rocm/pytorch:x pip list", ""},
		"privileged":             {"docker run --privileged --device=/dev/dri rocm/pytorch:x", ""},
		"by a name":              {"podman run --device amd.com/gpu=all rocm/pytorch:x", ""},
		"more in a variable":     {"docker run $GPU_FLAGS --device=/dev/dri rocm/pytorch:x", ""},
		"the image in one":       {"IMAGE=rocm/pytorch:x\ndocker run --device=/dev/dri \"$IMAGE\" python a.py", "2 script/devices fail"},
		"the image in another":   {"docker run --device=/dev/dri $1", ""},
		"behind the image":       {"docker run --device=/dev/kfd --device=/dev/dri $OPTIONS \"$IMAGE\" --group-add render", ""},
		"before the image":       {"docker run --device=/dev/kfd --device=/dev/dri $OPTIONS --group-add render \"$IMAGE\"", "1 script/group-name warn"},
		"in the words of an app": {"docker run busybox echo --group-add render --device=/dev/kfd", ""},
		"a name, as root":        {"sudo docker run --device=/dev/kfd --device=/dev/dri --group-add=video app", "1 script/group-name warn"},
		"a name, as a user":      {"docker run -u $(id -u) --device=/dev/kfd --device=/dev/dri --group-add=render app", "1 script/group-name fail"},
		"numbers":                {"docker run --device=/dev/kfd --device=/dev/dri --group-add=110 --group-add keep-groups app", ""},
		"names of others":        {"docker run --group-add audio --group-add video --device /dev/snd app", ""},
		"not a run":              {"docker build -t rocm/pytorch:x . && docker ps --device=/dev/kfd && echo docker run --device=/dev/kfd x", ""},
		"nothing":                {"docker\npodman run\nsudo docker run -it\ndocker run --device", ""},
	} {
		s, _ := lint.OnExample("")
		var got []string
		for _, f := range lint.Run(lint.Example{Files: map[string]string{"a.sh": tc.text + "\n"}}.Project(false), s, script.Rules).Found {
			got = append(got, strings.TrimPrefix(f.Place(), "a.sh:")+" "+f.Rule.ID+" "+string(f.Verdict))
		}
		if strings.Join(got, "\n") != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestMends(t *testing.T) {
	t.Parallel()
	const nodes = "--device /dev/kfd --device /dev/dri"
	for name, tc := range map[string]struct{ on, before, after string }{
		"in two words":    {"", "docker run --device /dev/dri rocm/pytorch:x\n", "docker run --device /dev/dri --device /dev/kfd rocm/pytorch:x\n"},
		"lines":           {"", "docker run " + nodes + " \\\n  --group-add render \\\n  --group-add=video \\\n  app\n", "docker run " + nodes + " \\\n  --group-add \"$(stat -c %g /dev/kfd)\" \\\n  app\n"},
		"in quotes":       {"", "docker run " + nodes + " --group-add=\"render\" app\n", "docker run " + nodes + " --group-add=\"$(stat -c %g /dev/kfd)\" app\n"},
		"podman of root":  {"podman", "podman run " + nodes + " --group-add render app\n", "podman run " + nodes + " --group-add \"$(stat -c %g /dev/kfd)\" app\n"},
		"podman of users": {"rootless-podman", "podman run " + nodes + " --group-add video --group-add render app\n", "podman run " + nodes + " --group-add keep-groups app\n"},
		"by sudo":         {"rootless-podman", "sudo podman run " + nodes + " --group-add render app\n", "sudo podman run " + nodes + " --group-add \"$(stat -c %g /dev/kfd)\" app\n"},
	} {
		s, _ := lint.OnExample(tc.on)
		m := lint.MendAll(lint.Example{Files: map[string]string{"a.sh": tc.before}}.Project(false), s, script.Rules)
		if len(m.Changes) != 1 || string(m.Changes[0].After) != tc.after || len(m.Left.Found) > 0 {
			t.Errorf("%s: %+v, left %v, refused %v", name, m.Changes, m.Left.Found, m.Refused)
		}
	}
	remapped, _ := lint.OnExample("remapped")
	unknown, _ := lint.OnExample("")
	unknown.Podman = grant.Engine{}
	for name, s := range map[string]lint.Setting{"docker": remapped, "podman": unknown} {
		p := lint.Example{Files: map[string]string{"a.sh": name + " run " + nodes + " --group-add render app\n"}}.Project(false)
		if m := lint.MendAll(p, s, script.Rules); len(m.Changes) > 0 || len(m.Left.Found) != 1 {
			t.Errorf("%s: a number is written that does not reach the container: %+v", name, m.Changes)
		}
	}
}

func FuzzRuns(f *testing.F) {
	for _, seed := range []string{"docker run -it --device=/dev/dri --group-add video rocm/pytorch", "sudo podman container run --device /dev/kfd --group-add='render' \\\n --group-add render \\\n x", "A=rocm/x; docker run $A", "docker create -u 1", "podman run --group-add=render --device=/dev/kfd"} {
		f.Add(seed)
	}
	s, _ := lint.OnExample("")
	f.Fuzz(func(t *testing.T, text string) {
		p := lint.Example{Files: map[string]string{"a.sh": text}}.Project(false)
		for _, found := range lint.Run(p, s, script.Rules).Found {
			if strings.Contains(found.Message, "itself is broken") {
				t.Fatal(found.Message)
			}
		}
		_ = lint.MendAll(p, s, script.Rules)
	})
}
