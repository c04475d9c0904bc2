package quadlet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/quadlet"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(quadlet.Rules); err != nil {
		t.Error(err)
	}
}

const (
	head = "[Container]\nImage=rocm/vllm:x\n"
	gpu  = "AddDevice=/dev/kfd\nAddDevice=/dev/dri\n"
)

func TestFindings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text, on, file string
		want           []string
	}{
		"as it should be":         {head + gpu + "GroupAdd=keep-groups\n", "rootless-podman", "", nil},
		"no GPU":                  {"[Container]\nImage=nginx:1\nGroupAdd=video\nAddDevice=/dev/dri\nPodmanArgs=--privileged\n", "podman", "", nil},
		"another section":         {"[Service]\nEnvironment=HSA_X=1\n[Container]\nImage=nginx:1\n", "podman", "", nil},
		"by CDI":                  {head + "AddDevice=amd.com/gpu=all\n", "podman", "", nil},
		"by CDI, rootless":        {head + "AddDevice=amd.com/gpu=0\n", "rootless-podman", "", []string{"3 groups fail"}},
		"no device":               {head, "podman", "", []string{"2 devices fail"}},
		"by variable":             {"[Container]\nImage=own:1\nEnvironment=HSA_XNACK=1\n", "podman", "", []string{"2 devices fail"}},
		"devices by PodmanArgs":   {head + "PodmanArgs=--device /dev/kfd --device=/dev/dri/renderD128:/dev/dri/renderD128\n", "podman", "", nil},
		"optional device":         {head + "AddDevice=-/dev/kfd\nAddDevice=/dev/dri/\n", "podman", "", nil},
		"reset":                   {head + gpu + "AddDevice=\n", "podman", "", []string{"2 devices fail"}},
		"built here":              {"[Container]\nImage=mine.build\n", "podman", "", nil},
		"names":                   {head + gpu + "GroupAdd=video\nGroupAdd=render\n", "podman", "", []string{"5 group-name warn", "6 group-name fail"}},
		"user, only the cards":    {head + gpu + "GroupAdd=video\nUser=1000\n", "podman", "", []string{"5 group-name warn", "6 groups fail"}},
		"rootless, the cards":     {head + gpu + "GroupAdd=video\n", "rootless-podman", "", []string{"5 group-name fail"}},
		"name by argument":        {head + gpu + "PodmanArgs=--group-add=render\n", "podman", "", []string{"5 group-name fail"}},
		"names, open nodes":       {head + gpu + "GroupAdd=render\n", "open", "", []string{"5 group-name warn"}},
		"names, nothing known":    {head + gpu + "GroupAdd=render\n", "unread", "", []string{"5 group-name warn"}},
		"another name":            {head + gpu + "GroupAdd=audio\n", "podman", "", nil},
		"root, no group":          {head + gpu, "podman", "", nil},
		"user, no group":          {head + gpu + "User=1000\n", "podman", "", []string{"5 groups fail"}},
		"user, its group":         {head + gpu + "User=1000\nGroupAdd=110\n", "podman", "", nil},
		"user, main group":        {head + gpu + "User=1000\nGroup=110\n", "podman", "", nil},
		"user, stale number":      {head + gpu + "User=1000\nGroupAdd=992\n", "podman", "", []string{"5 groups fail"}},
		"user, open nodes":        {head + gpu + "User=1000\n", "open", "", nil},
		"user, Docker here":       {head + gpu + "User=1000\n", "", "", nil},
		"of the system by folder": {head + gpu + "User=1000\n", "rootless-podman", "etc/containers/systemd/a.container", []string{"5 groups fail"}},
		"of a user by folder":     {head + gpu, "", "home/.config/containers/systemd/a.container", []string{"3 groups fail"}},
		"rootless, a number":      {head + gpu + "GroupAdd=110\n", "rootless-podman", "", []string{"5 groups fail"}},
		"by annotation":           {head + gpu + "Annotation=run.oci.keep_original_groups=1\n", "rootless-podman", "", nil},
		"by an argument for it":   {head + gpu + "PodmanArgs=--annotation run.oci.keep_original_groups=1\n", "rootless-podman", "", nil},
		"keep-groups and more":    {head + gpu + "GroupAdd=keep-groups\nGroupAdd=110\n", "rootless-podman", "", []string{"5 keep-groups-alone fail"}},
		"privileged":              {head + "PodmanArgs=--privileged --x\n", "podman", "", []string{"3 privileged warn"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample(tc.on)
			file := "a.container"
			if tc.file != "" {
				file = tc.file
			}
			p := lint.Example{Files: map[string]string{file: tc.text}}.Project(false)
			if len(p.Files) != 1 {
				t.Fatalf("%d files: %v", len(p.Files), p.Problems)
			}
			var got []string
			for _, f := range lint.Run(p, setting, quadlet.Rules).Found {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, strings.TrimPrefix(f.Rule.ID, "quadlet/"), f.Verdict))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q of\n%s", got, tc.want, tc.text)
			}
		})
	}
}

func TestMends(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ on, before, after string }{
		"two names":             {"podman", head + gpu + "GroupAdd=video\nGroupAdd=render\n", head + gpu + "GroupAdd=44\nGroupAdd=110\n"},
		"a name and its own":    {"podman", head + gpu + "GroupAdd=110\n# why\nGroupAdd=render\n", head + gpu + "GroupAdd=110\n# why\n"},
		"two names, rootless":   {"rootless-podman", head + gpu + "GroupAdd=video\nGroupAdd=render\nExec=x\n", head + gpu + "GroupAdd=keep-groups\nExec=x\n"},
		"a number, rootless":    {"rootless-podman", head + gpu + "GroupAdd=110\n", head + gpu + "GroupAdd=keep-groups\n"},
		"in arguments":          {"podman", head + gpu + "PodmanArgs=--x --group-add render --y\n", head + gpu + "PodmanArgs=--x --group-add 110 --y\n"},
		"two in arguments":      {"rootless-podman", head + gpu + "PodmanArgs=--ipc=host --group-add video --group-add=render --x\n", head + gpu + "PodmanArgs=--ipc=host --group-add keep-groups --x\n"},
		"on lines of arguments": {"rootless-podman", head + gpu + "GroupAdd=video\nPodmanArgs=--ipc=host \\\n  --group-add=render \\\n  --x\n", head + gpu + "GroupAdd=keep-groups\nPodmanArgs=--ipc=host \\\n  --x\n"},
		"the last of lines":     {"podman", head + gpu + "GroupAdd=110\nPodmanArgs=--ipc=host \\\n  --group-add=render\n", head + gpu + "GroupAdd=110\nPodmanArgs=--ipc=host\n"},
		"nothing at all":        {"rootless-podman", "[Container]\nImage=rocm/vllm:x", "[Container]\nImage=rocm/vllm:x\nAddDevice=/dev/kfd\nAddDevice=/dev/dri\nGroupAdd=keep-groups"},
		"taken back behind":     {"podman", head + "Exec=x\nAddDevice=\n", head + "Exec=x\nAddDevice=\nAddDevice=/dev/kfd\nAddDevice=/dev/dri\n"},
		"groups taken back":     {"rootless-podman", head + gpu + "GroupAdd=video\nGroupAdd=\n", head + gpu + "GroupAdd=video\nGroupAdd=\nGroupAdd=keep-groups\n"},
		"goes on to the end":    {"podman", head + "AddDevice=/dev/dri \\", head + "AddDevice=/dev/dri \\\n\nAddDevice=/dev/kfd"},
		"goes on to a comment":  {"podman", head + "AddDevice=/dev/dri \\\n# why\n", head + "AddDevice=/dev/dri \\\n# why\n\nAddDevice=/dev/kfd\n"},
		"in quotes":             {"podman", head + gpu + "GroupAdd=\"render\"\n", head + gpu + "GroupAdd=110\n"},
		"a name twice":          {"podman", head + gpu + "GroupAdd=video\nGroupAdd=video\n", head + gpu + "GroupAdd=44\n"},
		"a user":                {"podman", head + gpu + "User=1000\n", head + gpu + "GroupAdd=110\nUser=1000\n"},
		"a stale number stays":  {"podman", head + gpu + "User=1000\nGroupAdd=992\n", head + gpu + "User=1000\nGroupAdd=992\nGroupAdd=110\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample(tc.on)
			p := lint.Example{Files: map[string]string{"a.container": tc.before}}.Project(false)
			m := lint.MendAll(p, setting, quadlet.Rules)
			if len(m.Changes) != 1 {
				t.Fatalf("%d changes, refused %v", len(m.Changes), m.Refused)
			}
			if got := string(m.Changes[0].After); got != tc.after || len(m.Left.Found) > 0 {
				t.Errorf("it became\n%s\nand not\n%s\nleft %v", got, tc.after, m.Left.Found)
			}
		})
	}
}

// Where compose is Docker's, units are podman's all the same.
func TestUnitsArePodmans(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rootless bool
		after    string
	}{
		"of root":   {false, head + gpu + "GroupAdd=110\n"},
		"of a user": {true, head + gpu + "GroupAdd=keep-groups\n"},
	} {
		setting, _ := lint.OnExample("")
		setting.Podman = grant.Engine{Kind: grant.Podman, Version: "5.4.2", Rootless: tc.rootless}
		p := lint.Example{Files: map[string]string{"a.container": head + gpu + "GroupAdd=render\n"}}.Project(false)
		if m := lint.MendAll(p, setting, quadlet.Rules); len(m.Changes) != 1 || string(m.Changes[0].After) != tc.after {
			t.Errorf("%s: %+v", name, m.Changes)
		}
	}
}

// TestGroupIsOfItsNode holds the advice to the node that each group opens.
func TestGroupIsOfItsNode(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("podman")
	p := lint.Example{Files: map[string]string{"a.container": head + gpu + "GroupAdd=video\nGroupAdd=render\n"}}.Project(false)
	var got []string
	for _, f := range lint.Run(p, s, quadlet.Rules).Found {
		got = append(got, f.Advice[0].Steps[0].Text)
	}
	if len(got) != 2 || !strings.Contains(got[0], "stat -c %g /dev/dri/card0") || !strings.Contains(got[1], "stat -c %g /dev/kfd") {
		t.Errorf("advised: %q", got)
	}
}

// TestPreviewKeepsGroups: each mend is right alone, whichever group is quoted.
func TestPreviewKeepsGroups(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("rootless-podman")
	p := lint.Example{Files: map[string]string{"a.container": head + gpu + "PodmanArgs=\"--group-add=render\"\nGroupAdd='video'\n"}}.Project(false)
	found := lint.Run(p, s, quadlet.Rules).Found
	if len(found) != 2 {
		t.Fatalf("found %v", found)
	}
	for _, f := range found {
		if got, want := string(f.File.Preview(*f.Mend)), head+gpu+"GroupAdd=keep-groups\n"; got != want {
			t.Errorf("becomes %q, want %q", got, want)
		}
	}
}
