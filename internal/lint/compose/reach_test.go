package compose

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// TestMendsReachNobodyElse has services that extend the one at which a mend would
// be written, and do not want it.
func TestMendsReachNobodyElse(t *testing.T) {
	t.Parallel()
	const gpu = "    devices: [/dev/kfd, /dev/dri]\n"
	tests := []struct {
		name, on string
		files    map[string]string
		after    map[string]string // nil: nothing is changed
	}{
		{"devices that are inherited are not added to", "", map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n    devices: [/dev/snd]\n  train:\n    extends: base\n    image: rocm/pytorch\n  play:\n    extends: base\n",
		}, map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n    devices: [/dev/snd]\n  train:\n    extends: base\n    image: rocm/pytorch\n    devices:\n      - /dev/kfd\n      - /dev/dri\n  play:\n    extends: base\n",
		}},
		{"a service that another one extends is given none", "", map[string]string{
			"compose.yaml": "services:\n  train:\n    image: rocm/pytorch\n  play:\n    extends: train\n    image: jellyfin/jellyfin\n",
		}, nil},
		{"but where both want them", "", map[string]string{
			"compose.yaml": "services:\n  train:\n    image: rocm/pytorch\n  serve:\n    extends: train\n    command: serve\n",
		}, map[string]string{
			"compose.yaml": "services:\n  train:\n    image: rocm/pytorch\n    devices:\n      - /dev/kfd\n      - /dev/dri\n  serve:\n    extends: train\n    command: serve\n",
		}},
		{"a list is inherited beside one's own", "", map[string]string{
			"compose.yaml": "services:\n  train:\n    image: rocm/pytorch\n    devices: [/dev/dri]\n  play:\n    extends: train\n    image: jellyfin/jellyfin\n    devices: [/dev/snd]\n",
		}, nil},
		{"the same name in another project is another service", "", map[string]string{
			"common.yml":         "services:\n  app:\n    image: alpine\n    devices: [/dev/dri]\n",
			"train/compose.yaml": "services:\n  app:\n    extends: {file: ../common.yml, service: app}\n    image: rocm/pytorch\n",
			"play/compose.yaml":  "services:\n  app:\n    extends: {file: ../common.yml, service: app}\n    image: jellyfin/jellyfin\n",
		}, nil},
		{"a group goes to who lacks it", "", map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n" + gpu + "  train:\n    extends: base\n    user: \"1000\"\n  play:\n    extends: base\n    user: root\n",
		}, map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n" + gpu + "  train:\n    extends: base\n    user: \"1000\"\n    group_add:\n      - \"110\"\n  play:\n    extends: base\n    user: root\n",
		}},
		{"also where others have a list of their own behind it", "", map[string]string{
			"compose.yaml": "services:\n  train:\n    image: rocm/pytorch\n" + gpu + "    group_add: [\"44\"]\n  play:\n    extends: train\n    user: root\n    group_add: [audio]\n",
		}, nil},
		{"a variable goes to who computes", "override-exported", map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n    environment: [A=b]\n  train:\n    extends: base\n" + gpu + "  play:\n    extends: base\n",
		}, map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n    environment: [A=b]\n  train:\n    extends: base\n" + gpu + "    environment:\n      - HSA_OVERRIDE_GFX_VERSION\n  play:\n    extends: base\n",
		}},
		{"keep-groups is for those with nodes", "rootless-podman", map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n    group_add: [\"110\"]\n  train:\n    extends: base\n" + gpu + "  play:\n    extends: base\n",
		}, nil},
		{"a default is others' too", "", map[string]string{
			"compose.yaml": "services:\n  base:\n    image: alpine\n    group_add: [\"${RENDER_GID:-105}\"]\n  train:\n    extends: base\n" + gpu + "  play:\n    extends: base\n",
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			setting, ok := lint.OnExample(tt.on)
			if !ok {
				t.Fatalf("no machine %q", tt.on)
			}
			mended := lint.MendAll(lint.Example{Files: tt.files}.Project(false), setting, Rules)
			if len(mended.Refused) > 0 {
				t.Errorf("refused: %s", mended.Refused[0].Why)
			}
			for _, c := range mended.Changes {
				if string(c.After) != tt.after[c.File.Path] {
					t.Errorf("%s became\n%s\nwant\n%s", c.File.Path, c.After, tt.after[c.File.Path])
				}
			}
			if len(mended.Changes) != len(tt.after) {
				t.Errorf("%d files were changed, want %d", len(mended.Changes), len(tt.after))
			}
			if tt.after != nil {
				return
			}
			if len(mended.Left.Found) == 0 {
				t.Error("nothing is found any more")
			}
			for _, f := range mended.Left.Found {
				if len(f.Advice) == 0 {
					t.Errorf("%s %s says nothing that helps", f.Place(), f.Rule.ID)
				}
			}
		})
	}
}
