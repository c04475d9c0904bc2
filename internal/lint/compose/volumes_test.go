package compose

import (
	"errors"
	"slices"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// Folders are made where the user of the service could write to them.
func TestFolders(t *testing.T) {
	t.Parallel()
	owned := func(string) (uint32, bool, error) { return 1000, false, nil }
	for name, tt := range map[string]struct {
		lines   []string
		owner   func(string) (uint32, bool, error)
		found   int
		folders []string
	}{
		"one of the project":      {[]string{"user: '1000:1000'", "volumes: ['./a/b:/home/u/.cache/miopen']"}, owned, 1, []string{"a/b"}},
		"two mounts of it":        {[]string{"user: '1000'", "volumes: ['./a:/a', {type: bind, source: ./a, target: /b}]"}, owned, 2, []string{"a"}},
		"a hidden one":            {[]string{"user: '1000'", "volumes: ['./.cache:/cache']"}, owned, 1, []string{".cache"}},
		"one of the home":         {[]string{"user: '1000'", "volumes: ['~/x:/x', '${HOME}/y:/y', '/srv/z:/z', '/home/u:/home/u']"}, owned, 2, []string{"/home/u/x", "/home/u/y"}},
		"one that is there":       {[]string{"user: '1000'", "volumes: ['~/x:/x', './there:/y']"}, func(string) (uint32, bool, error) { return 1000, true, nil }, 0, nil},
		"named like a file":       {[]string{"user: '1000'", "volumes: ['./config.yaml:/app/config.yaml']"}, owned, 1, nil},
		"of somebody else":        {[]string{"user: '1001'", "volumes: ['./a:/a']"}, owned, 1, nil},
		"a user by name":          {[]string{"user: vscode", "volumes: ['./a:/a']"}, owned, 1, nil},
		"a user who is not known": {[]string{"user: '${UID}:${GID}'", "volumes: ['./a:/a']"}, owned, 0, nil},
		"on another machine":      {[]string{"user: '1000'", "volumes: ['./a:/a', '~/x:/x']"}, nil, 1, nil},
		"nobody may look":         {[]string{"user: '1000'", "volumes: ['~/x:/x']"}, func(string) (uint32, bool, error) { return 0, false, errors.New("no") }, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample("open")
			setting.Owner = tt.owner
			setting.Getenv = func(name string) (string, bool) { return "/home/u", name == "HOME" }
			project := lint.Example{Files: map[string]string{"compose.yaml": service(tt.lines...), "there/x": ""}}.Project(false)
			if got := lint.Run(project, setting, Rules).Found; len(got) != tt.found {
				t.Errorf("found\n%s", listed(lint.Result{Found: got}))
			}
			mended := lint.MendAll(project, setting, Rules)
			if !slices.Equal(mended.Folders, tt.folders) || len(mended.Changes) > 0 || len(mended.Refused) > 0 {
				t.Errorf("makes %q, want %q; changes %v, refuses %v", mended.Folders, tt.folders, mended.Changes, mended.Refused)
			}
			if tt.folders != nil && len(mended.Left.Found) > 0 {
				t.Errorf("afterwards\n%s", listed(mended.Left))
			}
		})
	}
}
