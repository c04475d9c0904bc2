package compose

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// TestLinesToPaste has a person in a folder of the project, and names that a shell
// would read as something else.
func TestLinesToPaste(t *testing.T) {
	t.Parallel()
	const dir = "R&D (1)"
	tests := []struct {
		name, text, message, want string
	}{
		{
			"folder of a user of its own", service("user: \"6972:6972\"", "group_add: [\"110\"]", "volumes: [\"./a b:/data\"]"),
			"../R&D (1)/a b does not exist, so Docker makes it as root when it mounts it, and service a as user 6972:6972 cannot write to /data.",
			"sudo install -d -o 6972 -g 6972 '../R&D (1)/a b'",
		},
		{
			"folder", service("user: \"1000:1000\"", "group_add: [\"110\"]", "volumes: [\"./a;b:/root/.cache\"]"),
			"../R&D (1)/a;b does not exist, so Docker makes it as root when it mounts it, and service a as user 1000:1000 cannot write to /root/.cache.",
			"mkdir -p '../R&D (1)/a;b'",
		},
		{
			"variable", service("group_add: [\"${RENDER_GID}\"]"),
			"RENDER_GID has no default and no value in .env, so service a gets no group; /dev/kfd belongs to gid 110 here.",
			"echo RENDER_GID=110 >> '../R&D (1)/.env'",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample("")
			if tt.name == "folder" {
				setting.Owner = nil // on another machine nothing can be made
			}
			project := lint.Example{Files: map[string]string{dir + "/compose.yaml": tt.text}}.Project(false)
			project.Shown = func(path string) string { return "../" + path }
			found := lint.Run(project, setting, Rules).Found
			if len(found) != 1 || len(found[0].Advice) != 1 {
				t.Fatalf("found %+v", found)
			}
			if got := found[0].Message; got != tt.message {
				t.Errorf("it says %q, want %q", got, tt.message)
			}
			if got := found[0].Advice[0].Steps[0].Command; got != tt.want {
				t.Errorf("to paste: %s, want %s", got, tt.want)
			}
		})
	}
}
