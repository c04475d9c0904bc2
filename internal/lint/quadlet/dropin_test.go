package quadlet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/quadlet"
)

// TestDropIns holds the rules to what podman makes of a unit and the files beside it.
func TestDropIns(t *testing.T) {
	t.Parallel()
	const section = "[Container]\n"
	for name, tc := range map[string]struct {
		files map[string]string
		on    string
		want  []string
	}{
		"devices":            {map[string]string{"a.container": head, "a.container.d/gpu.conf": section + gpu}, "podman", nil},
		"of another unit":    {map[string]string{"a.container": head, "b.container.d/gpu.conf": section + gpu}, "podman", []string{"a.container:2 devices fail"}},
		"no .conf":           {map[string]string{"a.container": head, "a.container.d/gpu.bak": section + gpu}, "podman", []string{"a.container:2 devices fail"}},
		"of all units":       {map[string]string{"q/a.container": head, "q/container.d/gpu.conf": section + gpu}, "podman", nil},
		"of all of a name":   {map[string]string{"llm-a-b.container": head, "llm-.container.d/gpu.conf": section + gpu}, "podman", nil},
		"of a template":      {map[string]string{"a@1.container": head, "a@.container.d/gpu.conf": section + gpu}, "podman", nil},
		"unreadable":         {map[string]string{"a.container": head, "a.container.d/gpu.conf": strings.Repeat("# long\n", 1<<20)}, "podman", []string{"a.container:1 devices unknown"}},
		"a folder":           {map[string]string{"a.container": head + gpu, "a.container.d/gpu.conf/x": section}, "podman", nil},
		"taken back":         {map[string]string{"a.container": head + gpu, "a.container.d/10.conf": section + "AddDevice=\n"}, "podman", []string{"a.container:2 devices fail"}},
		"in their order":     {map[string]string{"a.container": head, "a.container.d/10.conf": section + "AddDevice=\n", "container.d/05.conf": section + gpu}, "podman", []string{"a.container:2 devices fail"}},
		"the unit's own":     {map[string]string{"a.container": head, "a.container.d/10.conf": section + gpu, "container.d/10.conf": section + "AddDevice=/dev/x\n"}, "podman", nil},
		"groups":             {map[string]string{"a.container": head + gpu, "a.container.d/10.conf": section + "GroupAdd=keep-groups\n"}, "rootless-podman", nil},
		"a name":             {map[string]string{"a.container": head + gpu, "a.container.d/10.conf": section + "# why\nGroupAdd=render\n"}, "podman", []string{"a.container.d/10.conf:3 group-name fail"}},
		"two that clash":     {map[string]string{"a.container": head + gpu + "GroupAdd=44\n", "a.container.d/10.conf": section + "GroupAdd=keep-groups\n"}, "rootless-podman", []string{"a.container.d/10.conf:2 keep-groups-alone fail"}},
		"another image":      {map[string]string{"a.container": head, "a.container.d/10.conf": section + "Image=nginx:1\n"}, "podman", nil},
		"the system's":       {map[string]string{"a.container": head + gpu + "User=1000\n\n[Install]\nWantedBy=multi-user.target\n"}, "rootless-podman", []string{"a.container:5 groups fail"}},
		"a user's":           {map[string]string{"a.container": head + gpu + "\n[Install]\nWantedBy=default.target\n"}, "rootless-podman", []string{"a.container:3 groups fail"}},
		"ids of their own":   {map[string]string{"a.container": head + gpu + "User=1000\nUserNS=auto\n"}, "podman", nil},
		"mounted, by a user": {map[string]string{"a.container": head + "Volume=/dev/kfd:/dev/kfd\nVolume=/dev/dri/:/dev/dri\nGroupAdd=keep-groups\n"}, "rootless-podman", nil},
		"mounted, by root":   {map[string]string{"a.container": head + "Volume=/dev/kfd:/dev/kfd\nVolume=/dev/dri:/dev/dri\n"}, "podman", []string{"a.container:2 devices fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample(tc.on)
			var got []string
			for _, f := range lint.Run(lint.Example{Files: tc.files}.Project(false), setting, quadlet.Rules).Found {
				got = append(got, fmt.Sprintf("%s %s %s", f.Place(), strings.TrimPrefix(f.Rule.ID, "quadlet/"), f.Verdict))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// What a drop-in says is mended there.
func TestDropInsAreMended(t *testing.T) {
	t.Parallel()
	setting, _ := lint.OnExample("podman")
	files := map[string]string{"a.container": head + "AddDevice=/dev/dri\n", "a.container.d/10.conf": "[Container]\nAddDevice=/dev/dri\nGroupAdd=render\n"}
	m := lint.MendAll(lint.Example{Files: files}.Project(false), setting, quadlet.Rules)
	if len(m.Changes) != 1 || m.Changes[0].File.Path != "a.container.d/10.conf" || len(m.Left.Found) > 0 {
		t.Fatalf("changes %+v, left %+v, refused %+v", m.Changes, m.Left.Found, m.Refused)
	}
	if got, want := string(m.Changes[0].After), "[Container]\nAddDevice=/dev/dri\nAddDevice=/dev/kfd\nGroupAdd=110\n"; got != want {
		t.Errorf("became %q, want %q", got, want)
	}
}

// A drop-in of several units is theirs together: what one of them lacks, another may
// not want.
func TestSharedDropInsAreLeftAlone(t *testing.T) {
	t.Parallel()
	setting, _ := lint.OnExample("podman")
	files := map[string]string{
		"a.container": head + "User=1000\n", "b.container": head + gpu + "GroupAdd=110\n",
		"container.d/10.conf": "[Container]\nAddDevice=/dev/dri\nGroupAdd=keep-groups\nGroupAdd=video\n",
	}
	m := lint.MendAll(lint.Example{Files: files}.Project(false), setting, quadlet.Rules)
	if len(m.Refused) > 0 || len(m.Left.Found) == 0 {
		t.Fatalf("left %+v, refused %+v", m.Left.Found, m.Refused)
	}
	for _, c := range m.Changes {
		t.Errorf("%s became %q", c.File.Path, c.After)
	}
}
