package environ

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

func TestRules(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(Rules); err != nil {
		t.Error(err)
	}
}

// found tells what the rules say of files, on lines of file:line rule verdict.
func found(t *testing.T, on string, files map[string]string) string {
	t.Helper()
	s, ok := lint.OnExample(on)
	if !ok {
		t.Fatalf("no machine %q", on)
	}
	var out strings.Builder
	for _, f := range lint.Run(lint.Example{Files: files}.Project(false), s, Rules).Found {
		out.WriteString(f.Place() + " " + f.Rule.ID + " " + string(f.Verdict) + "\n")
	}
	return out.String()
}

const service = "services:\n  a:\n    image: x:1\n    environment:\n"

func TestFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, on string
		files    map[string]string
		want     string
	}{
		{"an override in an image, of another family", "", map[string]string{"Dockerfile": "FROM a\nENV A=1 \\\n    HSA_OVERRIDE_GFX_VERSION=10.3.0\n"}, "Dockerfile:3 env/override fail\n"},
		{"the GPU's own value", "", map[string]string{"Dockerfile": "FROM a\nENV HSA_OVERRIDE_GFX_VERSION 11.0.0\n"}, "Dockerfile:2 env/override warn\n"},
		{"by an argument", "", map[string]string{"Dockerfile": "FROM a\nARG GFX=10.3.0\nENV HSA_OVERRIDE_GFX_VERSION=${GFX}\n"}, "Dockerfile:3 env/override fail\n"},
		{"by an argument without default", "", map[string]string{"Dockerfile": "FROM a\nARG GFX\nENV HSA_OVERRIDE_GFX_VERSION=${GFX}\n"}, ""},
		{"a default in compose", "gfx1031", map[string]string{"compose.yml": service + "      HSA_OVERRIDE_GFX_VERSION: ${HSA_OVERRIDE_GFX_VERSION:-11.0.0}\n"}, "compose.yml:5 env/override fail\n"},
		{"one family, in a file for all", "gfx1031", map[string]string{"compose.yml": service + "      - HSA_OVERRIDE_GFX_VERSION=10.3.0\n"}, "compose.yml:5 env/override warn\n"},
		{"one family, in the machine's own file", "gfx1031", map[string]string{".env": "HSA_OVERRIDE_GFX_VERSION=10.3.0\n", "compose.yml": service + "      - HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION:-}\n"}, ""},
		{"another family, in the machine's own file", "gfx1031", map[string]string{".env": "HSA_OVERRIDE_GFX_VERSION=11.0.0 # advised\n"}, ".env:1 env/override fail\n"},
		{"an unknown machine", "unread", map[string]string{"setup.sh": "export HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION:-11.0.0}\n", ".env": "HSA_OVERRIDE_GFX_VERSION=11.0.0\n"}, "setup.sh:1 env/override warn\n"},
		{"no version", "", map[string]string{"a.container": "[Container]\nEnvironment=A=1 \"HSA_OVERRIDE_GFX_VERSION=gfx1100\"\n"}, "a.container:2 env/override fail\n"},
		{"a manifest", "", map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: b\n    env:\n    - name: HSA_OVERRIDE_GFX_VERSION\n      value: 10.3.0\n"}, "a.yaml:9 env/override fail\n"},
		{"a dev container", "", map[string]string{"devcontainer.json": "{\n \"containerEnv\": {\n  \"MIOPEN_FIND_ENFORCE\": \"3\"\n }\n}\n"}, "devcontainer.json:3 env/value warn\n"},
		{"passed to a container by a script", "", map[string]string{"run.sh": "sudo docker run -e A=1 -e HSA_OVERRIDE_GFX_VERSION=10.3.0 \\\n  --env=MIOPEN_ENABLE_SQLITE_KERNDB=0 -e HIP_VISIBLE_DEVICES -e ROCR_VISIBLE_DEVICES=$GPU app\ngrep -e HSA_OVERRIDE_GFX_VERSION=10.3.0 docker run\n"}, "run.sh:1 env/override fail\nrun.sh:2 env/unread-name warn\n"},
		{"names", "", map[string]string{"start.sh": "export MIOPEN_ENABLE_SQLITE_KERNDB=0\nHSA_OVERIDE_GFX_VERSION=10.3.0 python x\nexport MIOPEN_NEW_THING_OF_TOMORROW=1\n"}, "start.sh:1 env/unread-name warn\nstart.sh:2 env/unread-name warn\n"},
		{"a boolean that throws", "", map[string]string{".env": "MIOPEN_DISABLE_CACHE=y\n"}, ".env:1 env/value fail\n"},
		{"what a service builds", "", map[string]string{"compose.yml": "services:\n  a:\n    image: x/y:1\n    devices: [/dev/kfd, /dev/dri]\n    environment: [REBUILD=true, BUILD_TYPE=hipblas, GPU_TARGETS=gfx906]\n"}, ""},
		{"what a service does not build", "", map[string]string{"compose.yml": "services:\n  a:\n    image: x/y:1\n    devices: [/dev/kfd, /dev/dri]\n    environment: [REBUILD=false, GPU_TARGETS=gfx906]\n"}, "compose.yml:5 env/value warn\n"},
		{"what a build needs", "", map[string]string{"Dockerfile": "FROM rocm/pytorch:1\nENV PYTORCH_ROCM_ARCH=gfx1100\n", "build.sh": "export GPU_TARGETS=gfx1100\n"}, ""},
		{"what a service does not", "", map[string]string{"compose.yml": service + "      PYTORCH_ROCM_ARCH: gfx1100\n"}, "compose.yml:5 env/value warn\n"},
		{"a project for NVIDIA", "", map[string]string{"Dockerfile": "FROM nvidia/cuda:12.8.0-devel-ubuntu24.04\nENV TORCH_CUDA_ARCH_LIST=9.0 CUDA_VISIBLE_DEVICES=0\n", "clean.sh": "docker system prune -af\n", "setup.sh": "rm -rf models\n# rocm is not for us\n"}, ""},
		{"comments and templates", "", map[string]string{"setup.sh": "# export HSA_OVERRIDE_GFX_VERSION=10.3.0\n", "compose.yml": "services:\n  a:\n    image: x:1\n    environment:\n      HSA_OVERRIDE_GFX_VERSION: \"{{ gfx }}\"\n"}, ""},
		{"pipefail", "", map[string]string{"setup.sh": "set -euo pipefail\nG=$(getent group render | cut -d: -f3 || echo 110)\n"}, ""},
		{"another fallback", "", map[string]string{"setup.sh": "G=$(getent group render || echo render:x:110)\n"}, ""},
		{"a heredoc", "", map[string]string{"setup.sh": "export HIP_VISIBLE_DEVICES=0\ncat >x <<E\nrm -rf models\nE\n"}, ""},
		{"deletes", "", map[string]string{"setup.sh": "export HIP_VISIBLE_DEVICES=0\nsudo rm -fr \"$HOME/.cache/huggingface\"\nrm -rf build models.txt\nrm models/old\n", "uninstall.sh": "rm -rf models\n"}, "setup.sh:2 env/deletes-models warn\n"},
		{"an override in a branch", "", map[string]string{"start.sh": "if lspci | grep -q \"Navi 23\"; then HSA_OVERRIDE_GFX_VERSION=10.3.0 python main.py; fi\nHSA_OVERRIDE_GFX_VERSION=10.3.0 python main.py\n"}, "start.sh:1 env/override warn\nstart.sh:2 env/override fail\n"},
		{"one family, in a branch", "gfx1031", map[string]string{"start.sh": "if lspci | grep -q \"Navi 22\"; then\n  export HSA_OVERRIDE_GFX_VERSION=10.3.0\nfi\n"}, ""},
		{"an empty override in a branch", "", map[string]string{"start.sh": "if true; then export HSA_OVERRIDE_GFX_VERSION=; fi\n"}, "start.sh:1 env/override fail\n"},
		{"an empty override that is taken back", "", map[string]string{"start.sh": "export HSA_OVERRIDE_GFX_VERSION=\"${HSA_OVERRIDE_GFX_VERSION:-}\"\n[ -n \"$HSA_OVERRIDE_GFX_VERSION\" ] || unset HSA_OVERRIDE_GFX_VERSION\n"}, ""},
		{"deletes and asks first", "", map[string]string{"setup.sh": "export HIP_VISIBLE_DEVICES=0\nread -p 'Delete the models? ' a\n[ \"$a\" = y ] && rm -rf models/*\n"}, ""},
		{"deletes without asking", "", map[string]string{"setup.sh": "export HIP_VISIBLE_DEVICES=0\nif [ -d models ]; then rm -rf models; fi\nread -p 'Name? ' a\nrm -rf models\n"}, "setup.sh:2 env/deletes-models warn\nsetup.sh:4 env/deletes-models warn\n"},
		{"an empty list of GPUs", "", map[string]string{"compose.yml": service + "      ROCR_VISIBLE_DEVICES: \"\"\n      HIP_VISIBLE_DEVICES: \"\"\n"}, "compose.yml:5 env/value fail\n"},
		{"a GPU that is not there", "", map[string]string{"compose.yml": service + "      HIP_VISIBLE_DEVICES: \"1\"\n", "b.container": "[Container]\nEnvironment=ROCR_VISIBLE_DEVICES=0,1\n"}, "b.container:2 env/value warn\ncompose.yml:5 env/value fail\n"},
		{"GPUs that are there, or hidden on purpose", "", map[string]string{"compose.yml": service + "      HIP_VISIBLE_DEVICES: 0\n      ROCR_VISIBLE_DEVICES: GPU-0123456789abcdef\n      CUDA_VISIBLE_DEVICES: -1\n"}, ""},
		{"a GPU of an unknown machine", "unread", map[string]string{"compose.yml": service + "      HIP_VISIBLE_DEVICES: \"1\"\n"}, ""},
		{"hidden from one command", "", map[string]string{"test.sh": "ROCR_VISIBLE_DEVICES= pytest\n"}, "test.sh:1 env/value warn\n"},
		{"a log of every call", "", map[string]string{"compose.yml": service + "      AMD_LOG_LEVEL: 4\n", ".env": "AMD_LOG_LEVEL=1\n"}, "compose.yml:5 env/value warn\n"},
		{"a filter", "", map[string]string{"cleanup.sh": "export HIP_VISIBLE_DEVICES=0\ndocker image prune --filter label=project=x\npodman system prune -f\n"}, "cleanup.sh:3 env/global-prune warn\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, tt.on, tt.files); got != tt.want {
				t.Errorf("found:\n%swant:\n%s", got, tt.want)
			}
		})
	}
}

// TestMends tries the edits of values in each kind of file.
func TestMends(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][2]string{
		"Dockerfile":  {"FROM a\nENV A=1 MIOPEN_USER_DB_PATH=\"/c/x.db\" B=2\n", "FROM a\nENV A=1 MIOPEN_USER_DB_PATH=\"/c\" B=2\n"},
		"setup.sh":    {"export MIOPEN_CUSTOM_CACHE_DIR=\"$HOME/d/x.ukdb\" # here\n", "export MIOPEN_CUSTOM_CACHE_DIR=\"$HOME/d\" # here\n"},
		".env":        {"MIOPEN_USER_DB_PATH='/c/x.db'\r\nA=1\r\n", "MIOPEN_USER_DB_PATH='/c'\r\nA=1\r\n"},
		"compose.yml": {service + "      - \"MIOPEN_USER_DB_PATH=${HOME}/c/x.db\"\n", service + "      - \"MIOPEN_USER_DB_PATH=${HOME}/c\"\n"},
		"b.env":       {"MIOPEN_USER_DB_PATH=/x.db\n", "MIOPEN_USER_DB_PATH=/x.db\n"}, // the root is nobody's folder
	} {
		s, _ := lint.OnExample("")
		p := lint.Example{Files: map[string]string{name: texts[0]}}.Project(false)
		got := texts[0]
		for _, c := range lint.MendAll(p, s, Rules).Changes {
			got = string(c.After)
		}
		if got != texts[1] {
			t.Errorf("%s becomes\n%s\nwant\n%s", name, got, texts[1])
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"A=1\n", "export MIOPEN_USER_DB_PATH='/a/b.db' # c", "Environment=\"A=1\" B=2", "HSA_OVERRIDE_GFX_VERSION=", "=\n#\n\r\n"} {
		f.Add(seed)
	}
	s, _ := lint.OnExample("")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{".env", "a.sh", "a.container"} {
			p := lint.Example{Files: map[string]string{name: text}}.Project(false)
			for _, found := range lint.Run(p, s, Rules).Found {
				if found.Line < 1 || found.Line > 1+strings.Count(text, "\n") {
					t.Fatalf("%s: line %d of %q", found.Rule.ID, found.Line, text)
				}
				if strings.Contains(found.Message, "itself is broken") {
					t.Fatal(found.Message)
				}
			}
		}
	})
}

// TestNumberOfTheGroupIsWanted: only where a number is asked for does the node's take
// its place.
func TestNumberOfTheGroupIsWanted(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	for text, want := range map[string]string{
		"G=$(getent group render | cut -d: -f3 || echo $OTHER)\n":              "G=$(stat -c %g /dev/kfd)\n",
		"G=$(getent group render | cut -d: -f1 || echo render)\n":              "",
		"G=$(getent group render | # of the host\n cut -d: -f3 || echo 110)\n": "",
	} {
		m := lint.MendAll(lint.Example{Files: map[string]string{"setup.sh": text}}.Project(false), s, Rules)
		switch {
		case want == "" && (len(m.Changes) > 0 || len(m.Left.Found) != 1):
			t.Errorf("%q: changes %+v, left %v", text, m.Changes, m.Left.Found)
		case want != "" && (len(m.Changes) != 1 || string(m.Changes[0].After) != want):
			t.Errorf("%q: changes %+v", text, m.Changes)
		}
	}
}

// TestQuotesStayClosed: a value that is quoted in part is left to its owner.
func TestQuotesStayClosed(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	for value, want := range map[string]string{
		`"/a/"b.db`: "", `"/a/b.db"  `: `"/a"  `, `'/a/b.db'`: `'/a'`, `"$HOME"/b.db`: `"$HOME"`,
	} {
		const name = "MIOPEN_USER_DB_PATH="
		m := lint.MendAll(lint.Example{Files: map[string]string{".env": name + value + "\n"}}.Project(false), s, Rules)
		switch {
		case want == "" && (len(m.Changes) > 0 || len(m.Left.Found) != 1):
			t.Errorf("%s: changes %+v, left %v", value, m.Changes, m.Left.Found)
		case want != "" && (len(m.Changes) != 1 || string(m.Changes[0].After) != name+want+"\n"):
			t.Errorf("%s: changes %+v", value, m.Changes)
		}
	}
}
