// Package environ holds the rules about variables that projects set, and about what their set-up scripts do to the machine.
package environ

import (
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Rules are the rules of this area.
var Rules = []lint.Rule{
	{
		ID:    "env/override",
		Title: "No override of the GPU's name is baked in",
		Why: "`HSA_OVERRIDE_GFX_VERSION` makes the runtime take every GPU for another one. In an image or a compose file it does so on every machine that " +
			"the project meets: on a GPU of another family programs crash, hang or compute nonsense, and where the software holds code for the GPU it only does harm. " +
			"It is a setting of one machine. In compose, the name alone passes it on where it is set, and sets nothing where it is not.",
		Bad: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    environment:\n      - HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION:-}\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    environment:\n      - HSA_OVERRIDE_GFX_VERSION\n",
		}},
		Run: override,
	},
	{
		ID:    "env/unread-name",
		Title: "Each variable is read by something",
		Why: "A name that nothing reads is passed over in silence, and the fault that it was set against stays. Names are compared with those that MIOpen, ROCr, HIP, the math " +
			"libraries and the tools read, taken from their sources. Spoken of are names that are passed on although nothing reads them, and probable slips of a known name.",
		Bad:  lint.Example{Files: map[string]string{"Dockerfile": "FROM example:1\nENV MIOPEN_ENABLE_SQLITE_KERNDB=0\n"}},
		Good: lint.Example{Files: map[string]string{"Dockerfile": "FROM example:1\nENV MIOPEN_DISABLE_CACHE=0\n"}},
		Run:  unread,
	},
	{
		ID:    "env/value",
		Title: "Values mean what they are taken for",
		Why: "MIOpen stops at a boolean that it does not know; `MIOPEN_FIND_MODE=1` is NORMAL and not fast; `MIOPEN_FIND_ENFORCE=3` searches for minutes. " +
			"Switches for finding faults are forgotten, and slow everything down. What only counts for a build is left alone in Dockerfiles and scripts. " +
			"An empty `ROCR_VISIBLE_DEVICES` hides every GPU, and a number that the machine does not have ends the list.",
		Bad: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    environment:\n      MIOPEN_FIND_ENFORCE: \"3\"\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    environment:\n      MIOPEN_FIND_MODE: FAST\n",
		}},
		Run: values,
	},
	{
		ID:    "env/path-is-file",
		Title: "Variables that want a folder name one",
		Why: "`MIOPEN_USER_DB_PATH` and `MIOPEN_CUSTOM_CACHE_DIR` are folders, in which MIOpen names the files itself. Given a file's name, " +
			"it makes a folder of that name, or fails where the file exists.",
		Bad: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    environment:\n      MIOPEN_USER_DB_PATH: /cache/miopen/miopen-user.db  # ours\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    environment:\n      MIOPEN_USER_DB_PATH: /cache/miopen  # ours\n",
		}},
		Run: paths,
	},
	{
		ID:    "env/group-fallback",
		Title: "Scripts take the group from the device node",
		Why: "`getent group render | cut -d: -f3 || echo 110` never falls back: a pipeline ends as its last command does, and `cut` is content with nothing. " +
			"The number is then empty. Nor is 110 right elsewhere: `render` has no fixed number. What counts is the group of the node.",
		Bad:  lint.Example{Files: map[string]string{"setup.sh": "export RENDER_GID=$(getent group render | cut -d: -f3 || echo 110)\n"}},
		Good: lint.Example{Files: map[string]string{"setup.sh": "export RENDER_GID=$(stat -c %g /dev/kfd)\n"}},
		Run:  groupFallback,
	},
	{
		ID:    "env/deletes-models",
		Title: "Set-up does not delete models and caches",
		Why:   "Models are gigabytes that somebody waited for, and a set-up is run again whenever something is wrong. What belongs to another step belongs in a clean-up that says what it deletes.",
		Bad:   lint.Example{Files: map[string]string{"setup.sh": "export HIP_VISIBLE_DEVICES=0\nrm -rf models/*\nmkdir -p models\n"}},
		Good:  lint.Example{Files: map[string]string{"setup.sh": "export HIP_VISIBLE_DEVICES=0\nmkdir -p models\n"}},
		Run:   deletesModels,
	},
	{
		ID:    "env/global-prune",
		Title: "Scripts clean up what is the project's own",
		Why:   "`docker builder prune` and its like act on the whole machine: the images and caches of all other projects go too, and images for GPUs have 15 GB and more.",
		Bad:   lint.Example{Files: map[string]string{"cleanup.sh": "docker image rm whisper-rocm\ndocker builder prune -f\n"}},
		Good:  lint.Example{Files: map[string]string{"cleanup.sh": "docker image rm whisper-rocm\n"}},
		Run:   globalPrune,
	},
}

// advice is a cure that a person takes.
func advice(id, title string, steps ...string) []remedy.Remedy {
	r := remedy.Remedy{ID: id, Title: title, Risk: remedy.Safe}
	for _, s := range steps {
		r.Steps = append(r.Steps, remedy.Step{Kind: remedy.Manual, Text: s})
	}
	return []remedy.Remedy{r}
}
