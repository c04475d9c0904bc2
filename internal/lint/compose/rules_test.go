package compose

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// service is a GPU service with some lines of its own.
func service(lines ...string) string {
	return "services:\n  a:\n    image: rocm/pytorch:rocm7.2\n    devices: [/dev/kfd, /dev/dri]\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestRulesInOtherForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, on string
		files    map[string]string
		found    string            // place, rule and verdict
		after    map[string]string // nil: nothing is changed
	}{
		{"an anchor that all GPU services share is mended once", "", map[string]string{
			"compose.yaml": "x-gpu: &gpu\n  devices: [/dev/kfd, /dev/dri]\n  group_add: [render]\nservices:\n  a:\n    image: rocm/x\n    <<: *gpu\n  b:\n    image: rocm/y\n    <<: *gpu\n",
		}, "compose.yaml:3 compose/group-name fail\n", map[string]string{
			"compose.yaml": "x-gpu: &gpu\n  devices: [/dev/kfd, /dev/dri]\n  group_add: [110]\nservices:\n  a:\n    image: rocm/x\n    <<: *gpu\n  b:\n    image: rocm/y\n    <<: *gpu\n",
		}},
		{"an anchor that another service shares is left alone", "", map[string]string{
			"compose.yaml": "x-groups: &groups [render]\nservices:\n  a:\n    image: rocm/x\n    devices: [/dev/kfd, /dev/dri]\n    group_add: *groups\n  db:\n    image: postgres\n    group_add: *groups\n",
		}, "compose.yaml:1 compose/group-name fail\n", nil},
		{"an item that is an alias is mended in its place", "", map[string]string{
			"compose.yaml": "x-g: &g render\nservices:\n  a:\n    image: rocm/x\n    devices: [/dev/kfd, /dev/dri]\n    group_add: [*g]\n  db:\n    image: postgres\n    group_add: [*g]\n",
		}, "compose.yaml:6 compose/group-name fail\n", map[string]string{
			"compose.yaml": "x-g: &g render\nservices:\n  a:\n    image: rocm/x\n    devices: [/dev/kfd, /dev/dri]\n    group_add: [110]\n  db:\n    image: postgres\n    group_add: [*g]\n",
		}},
		{"a pattern in another file", "", map[string]string{
			"compose.yaml": "services:\n  a:\n    image: rocm/x\n    extends: {file: gpu.yml, service: gpu}\n",
			"gpu.yml":      "services:\n  gpu:\n    devices:\n      - /dev/dri\n    group_add:\n      - 110\n",
		}, "gpu.yml:3 compose/kfd-missing fail\n", map[string]string{
			"gpu.yml": "services:\n  gpu:\n    devices:\n      - /dev/kfd\n      - /dev/dri\n    group_add:\n      - 110\n",
		}},
		{"an override adds the nodes", "", map[string]string{
			"compose.yaml":          "services:\n  a:\n    image: rocm/x\n    user: \"1000\"\n",
			"compose.override.yaml": "services:\n  a:\n    devices: [/dev/kfd, /dev/dri]\n",
		}, "compose.override.yaml:3 compose/group-missing fail\n", map[string]string{
			"compose.override.yaml": "services:\n  a:\n    devices: [/dev/kfd, /dev/dri]\n    group_add:\n      - \"110\"\n",
		}},
		{"a file for GPUs that is laid over", "", map[string]string{
			"compose.yaml":     "services:\n  a:\n    image: rocm/x\n",
			"compose.rocm.yml": "services:\n  a:\n    devices: [/dev/dri]\n",
		}, "compose.rocm.yml:3 compose/kfd-missing fail\n", map[string]string{
			"compose.rocm.yml": "services:\n  a:\n    devices: [/dev/kfd, /dev/dri]\n",
		}},
		{"both names mean one number", "", map[string]string{"compose.yaml": service("group_add: [110, render]")},
			"compose.yaml:5 compose/group-name fail\n", map[string]string{"compose.yaml": service("group_add: [110]")}},
		{"another group is nobody's business", "", map[string]string{"compose.yaml": service("group_add: [110, audio, \"1005\"]")}, "", nil},
		{"the second number that is missing is added", "", map[string]string{"compose.yaml": service("group_add:", "- '44'")},
			"compose.yaml:4 compose/group-missing warn\n", map[string]string{"compose.yaml": service("group_add:", "- '44'", "- '110'")}},
		{"a GPU by its name in CDI", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x:1\n    user: '1000'\n    devices: [amd.com/gpu=all]\n  b:\n    image: rocm/x:1\n    devices: [amd.com/gpu=0]\n"},
			"compose.yaml:5 compose/group-missing warn\n", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x:1\n    user: '1000'\n    devices: [amd.com/gpu=all]\n    group_add:\n      - \"110\"\n  b:\n    image: rocm/x:1\n    devices: [amd.com/gpu=0]\n"}},
		{"the group of Docker's socket stays", "", map[string]string{"compose.yaml": service("user: '1000'", "group_add: ['988']")},
			"compose.yaml:4 compose/group-missing fail\n", map[string]string{"compose.yaml": service("user: '1000'", "group_add: ['988', '110']")}},
		{"an empty variable is no folder of all nodes", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: x\n    user: '1000'\n    devices: ['/dev/dri/card9', '${MORE:-}']\n"}, "", nil},
		{"no group is asked for where everybody may open", "open", map[string]string{"compose.yaml": service("user: \"1000\"", "group_add: [\"992\"]")}, "", nil},
		{"root needs no group", "", map[string]string{"compose.yaml": service("user: root")}, "", nil},
		{"a default, without an env file", "", map[string]string{"compose.yaml": service("group_add: ['${RENDER_GID:-992}', \"x${NOTHING:-}\"]")},
			"compose.yaml:5 compose/group-variable fail\n", map[string]string{"compose.yaml": service("group_add: ['${RENDER_GID:-110}', \"x${NOTHING:-}\"]")}},
		{"a line of the env file", "", map[string]string{"compose.yaml": service("group_add: ['$RENDER_GID']"), ".env": "A=1\nexport RENDER_GID=\"992\" # mine\n"},
			"compose.yaml:5 compose/group-variable fail\n", map[string]string{".env": "A=1\nexport RENDER_GID=\"110\" # mine\n"}},
		{"no value at all", "", map[string]string{"compose.yaml": service("group_add: ['$RENDER_GID']"), ".env": "A=1"},
			"compose.yaml:5 compose/group-variable fail\n", map[string]string{".env": "A=1\nRENDER_GID=110"}},
		{"no value, nothing to write it to", "", map[string]string{"compose.yaml": service("group_add: ['$RENDER_GID']")}, "compose.yaml:5 compose/group-variable fail\n", nil},
		{"no value, and nothing tells what is meant", "", map[string]string{"compose.yaml": service("group_add: ['$G']")}, "compose.yaml:5 compose/readable unknown\n", nil},
		{"the env file of an include is no YAML", "", map[string]string{
			"compose.yaml": "include:\n  - path: gpu/compose.gpu.yaml\n    env_file: gpu/numbers\n", "gpu/compose.gpu.yaml": service("group_add: ['${RENDER_GID}']"), "gpu/numbers": "NOTE=see: here\nRENDER_GID=991\n",
		}, "gpu/compose.gpu.yaml:5 compose/group-variable fail\n", map[string]string{"gpu/numbers": "NOTE=see: here\nRENDER_GID=110\n"}},
		{"the wrong cards matter less", "", map[string]string{"compose.yaml": service("group_add: ['${VIDEO_GID:-39}', '110']")},
			"compose.yaml:5 compose/group-variable warn\n", map[string]string{"compose.yaml": service("group_add: ['${VIDEO_GID:-44}', '110']")}},
		{"keep-groups beside the number", "", map[string]string{"compose.yaml": service("group_add:", "  - keep-groups", "  - 110")},
			"compose.yaml:6 compose/keep-groups fail\n", map[string]string{"compose.yaml": service("group_add:", "  - 110")}},
		{"keep-groups where no group is needed", "open", map[string]string{"compose.yaml": service("group_add: [keep-groups]", "ipc: host")},
			"compose.yaml:5 compose/keep-groups fail\n", map[string]string{"compose.yaml": service("ipc: host")}},
		{"rootless podman", "rootless-podman", map[string]string{"compose.yaml": service("group_add:", "  - video", "  - render")},
			"compose.yaml:4 compose/user-namespace fail\ncompose.yaml:6 compose/group-name warn\ncompose.yaml:7 compose/group-name fail\n",
			map[string]string{"compose.yaml": service("group_add:", "  - keep-groups")}},
		{"rootless podman without groups", "rootless-podman", map[string]string{"compose.yaml": service("ipc: host")},
			"compose.yaml:4 compose/user-namespace fail\n", map[string]string{"compose.yaml": service("group_add:", "  - keep-groups", "ipc: host")}},
		{"rootless podman does it right", "rootless-podman", map[string]string{"compose.yaml": service("group_add: [keep-groups]")}, "", nil},
		{"userns-remap", "remapped", map[string]string{"compose.yaml": service("group_add: [110]")}, "compose.yaml:4 compose/user-namespace fail\n", nil},
		{"userns-remap, left for this service", "remapped", map[string]string{"compose.yaml": service("userns_mode: host")}, "", nil},
		{"films are no computing", "", map[string]string{"compose.yaml": "services:\n  jellyfin:\n    image: jellyfin/jellyfin\n    devices: [/dev/dri]\n"}, "", nil},
		{"names for films are wrong too", "", map[string]string{"compose.yaml": "services:\n  jellyfin:\n    image: jellyfin/jellyfin\n    devices: [/dev/dri]\n    group_add: [render]\n"},
			"compose.yaml:5 compose/group-name warn\n", map[string]string{"compose.yaml": "services:\n  jellyfin:\n    image: jellyfin/jellyfin\n    devices: [/dev/dri]\n    group_add: [110]\n"}},
		{"so are numbers for films", "", map[string]string{"compose.yaml": "services:\n  plex:\n    image: plexinc/pms-docker\n    devices: [/dev/dri]\n    group_add: [992]\n"},
			"compose.yaml:5 compose/group-number warn\n", map[string]string{"compose.yaml": "services:\n  plex:\n    image: plexinc/pms-docker\n    devices: [/dev/dri]\n    group_add: [110]\n"}},
		{"CDI is a device", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    devices: [amd.com/gpu=all]\n"}, "", nil},
		{"so is a reservation", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    deploy: {resources: {reservations: {devices: [{driver: cdi, device_ids: [amd.com/gpu=all], capabilities: [gpu]}]}}}\n"}, "", nil},
		{"a reservation without a driver", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}\n"}, "compose.yaml:4 compose/no-devices warn\n", nil},
		{"a reservation by its name", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    deploy: {resources: {reservations: {devices: [{device_ids: [amd.com/gpu=all], capabilities: [gpu]}]}}}\n"}, "", nil},
		{"a reservation for NVIDIA", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    deploy: {resources: {reservations: {devices: [{driver: nvidia, capabilities: [gpu]}]}}}\n"}, "compose.yaml:4 compose/no-devices fail\n", nil},
		{"a reservation of another device", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    deploy: {resources: {reservations: {devices: [{capabilities: [tpu]}]}}}\n"}, "", nil},
		{"gpus: all", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    gpus: all\n"}, "compose.yaml:4 compose/no-devices warn\n", nil},
		{"gpus of NVIDIA beside the nodes", "", map[string]string{"compose.yaml": service("gpus:", "  - driver: nvidia")}, "compose.yaml:6 compose/no-devices fail\n", nil},
		{"gpus of another image", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: nvidia/cuda\n    gpus: all\n"}, "", nil},
		{"AMD's runtime", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    runtime: amd\n    gpus: all\n    environment: [AMD_VISIBLE_DEVICES=all]\n"}, "", nil},
		{"AMD's runtime by default", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    devices: [/dev/dri]\n    environment: [AMD_VISIBLE_DEVICES=0]\n"}, "", nil},
		{"AMD's runtime gives nothing", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    scale: 1\n    environment: [AMD_VISIBLE_DEVICES=none]\n"}, "compose.yaml:2 compose/no-devices warn\n",
			map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    devices:\n      - /dev/kfd\n      - /dev/dri\n    scale: 1\n    environment: [AMD_VISIBLE_DEVICES=none]\n"}},
		{"rights by their numbers", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    device_cgroup_rules: ['c 226:* rmw', 'c 234:* rmw']\n    volumes: ['/dev/kfd:/dev/kfd', '/dev/dri:/dev/dri']\n"}, "", nil},
		{"a node that is not known may be the one", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    devices: ['${KFD:-/dev/kfd}', '${DRI}']\n"}, "compose.yaml:4 compose/readable unknown\n", nil},
		{"so may one in the long form", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x\n    devices:\n      - /dev/kfd\n      - source: ${DRI}\n        target: /dev/dri\n"}, "compose.yaml:6 compose/readable unknown\n", nil},
		{"a debugger may trace", "", map[string]string{"compose.yaml": service("cap_add: [SYS_PTRACE]", "command: [rocgdb, ./x]")}, "", nil},
		{"nothing is known", "unread", map[string]string{"compose.yaml": service("group_add: [render, '${RENDER_GID:-7}', 992]", "user: '1000'")},
			"compose.yaml:5 compose/group-name warn\n", nil},
		{"the home is not labelled", "selinux", map[string]string{"compose.yaml": service("volumes: [/home/u:/home/u]")}, "compose.yaml:5 compose/selinux-label fail\n", nil},
		{"labels are off", "selinux", map[string]string{"compose.yaml": service("volumes: [./a:/a]", "security_opt: [label=disable]")}, "", nil},
		{"a mapping of variables", "override-exported", map[string]string{"compose.yaml": service("environment:", "  A: b")},
			"compose.yaml:5 compose/variable-not-passed warn\n", map[string]string{"compose.yaml": service("environment:", "  A: b", "  HSA_OVERRIDE_GFX_VERSION:")}},
		{"no variables yet", "override-exported", map[string]string{"compose.yaml": service("ipc: host")},
			"compose.yaml:2 compose/variable-not-passed warn\n", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/pytorch:rocm7.2\n    devices: [/dev/kfd, /dev/dri]\n    environment:\n      - HSA_OVERRIDE_GFX_VERSION\n    ipc: host\n"}},
		{"an env file that is not there", "override-exported", map[string]string{"compose.yaml": service("env_file: secret.env")}, "", nil},
		{"an override that does not fit the GPU is not spread", "", map[string]string{"compose.yaml": service("ipc: host"), "up.sh": "export HSA_OVERRIDE_GFX_VERSION=10.3.0\ndocker compose up\n"}, "", nil},
		{"nor is one that cannot be read", "gfx1031", map[string]string{"compose.yaml": service("ipc: host"), ".env": "HSA_OVERRIDE_GFX_VERSION=gfx1030\n"}, "", nil},
		{"nor are switches that were left on", "", map[string]string{"compose.yaml": service("ipc: host"), ".env": "MIOPEN_DISABLE_CACHE=1\nHIP_LAUNCH_BLOCKING=1\n"}, "", nil},
		{"what .env holds reaches nobody", "gfx1031", map[string]string{"compose.yaml": service("environment: [A=b]"), ".env": "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"},
			"compose.yaml:5 compose/variable-not-passed warn\n", map[string]string{"compose.yaml": service("environment: [A=b, HSA_OVERRIDE_GFX_VERSION]")}},
		{"unless it is an env file", "gfx1031", map[string]string{"compose.yaml": service("env_file: .env"), ".env": "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"}, "", nil},
		{"or fills something in", "gfx1031", map[string]string{"compose.yaml": service("command: [run, --as, '${HSA_OVERRIDE_GFX_VERSION}']"), ".env": "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"}, "", nil},
		{"a script that starts another project", "gfx1031", map[string]string{"a/compose.yaml": service("ipc: host"), "b/up.sh": "export HSA_OVERRIDE_GFX_VERSION=10.3.0\ndocker-compose up\n"}, "", nil},
		{"a script that names the project", "gfx1031", map[string]string{"a/compose.yaml": service("environment: {A: b}"), "b/up.sh": "HSA_OVERRIDE_GFX_VERSION=10.3.0 sudo docker compose -f ../a/compose.yaml run a\n"},
			"a/compose.yaml:5 compose/variable-not-passed warn\n", map[string]string{"a/compose.yaml": service("environment: {A: b, HSA_OVERRIDE_GFX_VERSION: }")}},
		{"a script that only builds", "gfx1031", map[string]string{"compose.yaml": service("ipc: host"), "up.sh": "export HSA_OVERRIDE_GFX_VERSION=10.3.0\ndocker compose build\n"}, "", nil},
		{"the web front of what computes", "", map[string]string{
			"compose.yaml": "services:\n  web:\n    build: .\n    command: serve\n  worker:\n    build: {context: ./}\n    gpus: [{driver: amd}]\n", "Dockerfile": "FROM rocm/pytorch:rocm7.2\n",
		}, "", nil},
		{"unless it sets something for GPUs, or is of another stage", "", map[string]string{
			"compose.yaml": "services:\n  a:\n    build: .\n    environment: [HIP_VISIBLE_DEVICES=1]\n  b:\n    build: {context: ., target: b}\n  worker:\n    build: .\n    devices: [/dev/kfd, /dev/dri]\n",
			"Dockerfile":   "FROM rocm/pytorch:rocm7.2 AS b\nFROM b\n",
		}, "compose.yaml:2 compose/no-devices warn\ncompose.yaml:5 compose/no-devices warn\n", map[string]string{
			"compose.yaml": "services:\n  a:\n    build: .\n    devices:\n      - /dev/kfd\n      - /dev/dri\n    environment: [HIP_VISIBLE_DEVICES=1]\n" +
				"  b:\n    build: {context: ., target: b}\n    devices:\n      - /dev/kfd\n      - /dev/dri\n  worker:\n    build: .\n    devices: [/dev/kfd, /dev/dri]\n",
		}},
		{"a service for processors", "", map[string]string{
			"compose.yaml": "services:\n  app-cpu:\n    image: rocm/x:1\n    environment: {HIP_VISIBLE_DEVICES: ''}\n  app:\n    image: rocm/y:1\n    profiles: [cpu]\n",
		}, "", nil},
		{"a tag that is a variable says enough", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: ${REGISTRY}/web:${TAG}\n"}, "", nil},
		{"an image that is one does not", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: ${IMAGE}\n  b:\n    image: rocm/x:1\n    devices: [/dev/kfd, /dev/dri]\n"}, "compose.yaml:3 compose/readable unknown\n", nil},
		{"variables of a project for something else", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: ${IMAGE}\n    devices: [\"${ZIGBEE}:/dev/ttyUSB0\"]\n"}, "compose.yaml:3 compose/readable skipped\ncompose.yaml:4 compose/readable skipped\n", nil},
		{"variables that an example sets", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: rocm/x:1\n    devices: [\"${GPU}\", /dev/kfd]\n", ".env.example": "GPU=/dev/dri\n"}, "compose.yaml:4 compose/readable skipped\n", nil},
		{"variables that a script sets", "", map[string]string{"compose.yaml": service("group_add: [\"${RENDER_GID}\"]"), "setup.sh": "cat >.env <<X\nMY_RENDER_GID=1\nRENDER_GID=$(stat -c %g /dev/kfd)\nX\n"}, "compose.yaml:5 compose/group-variable warn\n", nil},
		{"a variable of another name", "", map[string]string{"compose.yaml": service("group_add: [\"${RENDER_GID}\"]"), ".env.example": "MY_RENDER_GID=105\n"}, "compose.yaml:5 compose/group-variable fail\n", nil},
		{"shm_size of a project for NVIDIA", "", map[string]string{"compose.yaml": "services:\n  a:\n    image: nvcr.io/nvidia/pytorch:25.01-py3\n    ipc: host\n    shm_size: 16g\n"}, "", nil},
		{"a download that others wait for", "", map[string]string{"compose.yaml": "services:\n  pull:\n    image: rocm/vllm:1\n  serve:\n    image: rocm/pytorch:rocm7.2\n    devices: [/dev/kfd, /dev/dri]\n    depends_on:\n      pull: {condition: service_completed_successfully}\n"}, "", nil},
		{"groups kept by an annotation", "rootless-podman", map[string]string{"compose.yaml": service("annotations: {run.oci.keep_original_groups: \"1\"}")}, "", nil},
		{"keep-groups in a file for podman", "", map[string]string{"podman-compose.yml": service("group_add: [keep-groups]")}, "", nil},
		{"keep-groups beside what podman alone knows", "", map[string]string{"compose.yaml": service("group_add: [keep-groups]", "userns_mode: keep-id")}, "", nil},
		{"a number of the group of films", "films", map[string]string{"compose.yaml": "services:\n  a:\n    image: jellyfin/jellyfin:10\n    user: \"1000\"\n    devices: [/dev/dri]\n    group_add: [\"990\"]\n"}, "compose.yaml:5 compose/group-missing fail\n", map[string]string{
			"compose.yaml": "services:\n  a:\n    image: jellyfin/jellyfin:10\n    user: \"1000\"\n    devices: [/dev/dri]\n    group_add: [\"990\", \"110\"]\n",
		}},
		{"must be set", "", map[string]string{"compose.yaml": service("group_add: [render]", "hostname: ${NAME:?your name}")}, "compose.yaml:6 compose/readable unknown\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			setting, ok := onMachine(tt.on)
			if !ok {
				t.Fatalf("no machine %q", tt.on)
			}
			project := lint.Example{Files: tt.files}.Project(false)
			if got := listed(lint.Run(project, setting, Rules)); got != tt.found {
				t.Errorf("found\n%swant\n%s", got, tt.found)
			}
			mended := lint.MendAll(project, setting, Rules)
			for _, r := range mended.Refused {
				t.Errorf("refused: %s %s", r.Found.Place(), r.Why)
			}
			got := map[string]string{}
			for _, c := range mended.Changes {
				got[c.File.Path] = string(c.After)
			}
			for name := range tt.after {
				if got[name] != tt.after[name] {
					t.Errorf("%s became\n%s\nwant\n%s", name, got[name], tt.after[name])
				}
			}
			if len(got) != len(tt.after) {
				t.Errorf("changed %v", got)
			}
			for _, f := range mended.Left.Found {
				if f.Mend != nil {
					t.Errorf("a second run would mend %s %s", f.Place(), f.Rule.ID)
				}
			}
		})
	}
}

func TestAVariableThatIsEmptyIsNothing(t *testing.T) {
	t.Parallel()
	setting, _ := lint.OnExample("")
	files := map[string]string{"compose.yaml": service("group_add: ['${RENDER_GID}']"), ".env": "RENDER_GID=\n"}
	for shell, want := range map[bool]string{false: ".env:1 sets RENDER_GID to nothing, and", true: "RENDER_GID is nothing in this shell, and"} {
		setting.Getenv = func(name string) (string, bool) { return "", shell && name == "RENDER_GID" }
		found := lint.Run(lint.Example{Files: files}.Project(false), setting, groupRules).Found
		if len(found) != 1 || !strings.HasPrefix(found[0].Message, want) {
			t.Errorf("found %v, want %s", found, want)
		}
	}
}

func TestEveryFailureHelps(t *testing.T) {
	t.Parallel()
	for _, r := range Rules {
		setting, _ := lint.OnExample(r.Bad.On)
		setting.Strict = true
		for _, f := range lint.Run(r.Bad.Project(false), setting, []lint.Rule{r}).Found {
			if f.Verdict != check.Unknown && f.Mend == nil && len(f.Advice) == 0 {
				t.Errorf("%s says nothing that helps at %s", r.ID, f.Place())
			}
		}
	}
}

func TestTheShellCountsBeforeTheEnvFile(t *testing.T) {
	t.Parallel()
	setting, _ := lint.OnExample("")
	files := map[string]string{"compose.yaml": service("group_add: ['${RENDER_GID:-105}']"), ".env": "RENDER_GID=991\n"}
	for value, want := range map[string]string{"110": "", "992": "compose.yaml:5 compose/group-variable fail\n"} {
		setting.Getenv = func(name string) (string, bool) { return value, name == "RENDER_GID" }
		result := lint.Run(lint.Example{Files: files}.Project(false), setting, Rules)
		if got := listed(result); got != want {
			t.Errorf("with %s in the shell\n%swant\n%s", value, got, want)
		}
		for _, f := range result.Found {
			if f.Mend != nil || len(f.Advice) == 0 {
				t.Errorf("a file is mended for what the shell says: %v", f.Mend)
			}
		}
	}
}

func TestOnlyTheNodesOfTheServiceAreNamed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, says string }{
		{"films", "services:\n  jellyfin:\n    image: jellyfin/jellyfin\n    devices: [\"/dev/dri:/dev/dri\"]\n    group_add: [44]\n",
			"Service jellyfin is given /dev/dri/renderD128 and not gid 110, to which it belongs. Only that group and root may open it, so this matters if the image's user is not root."},
		{"another render node", "services:\n  a:\n    image: rocm/x\n    user: '1000'\n    devices: [/dev/kfd, \"/dev/dri/renderD129:/dev/dri/renderD128\"]\n",
			"Service a is given /dev/kfd and not gid 110, to which it belongs. Only that group and root may open it."},
		{"both", service("user: '1000'"),
			"Service a is given /dev/kfd and /dev/dri/renderD128 and not gid 110, to which they belong. Only that group and root may open them."},
		{"a name", "services:\n  jellyfin:\n    image: jellyfin/jellyfin\n    devices: [/dev/dri]\n    group_add: [render]\n",
			"The group \"render\" of service jellyfin is looked up in the image, and /dev/dri/renderD128 belongs to gid 110 here. Images number their groups differently, so a process that is not root may be refused, or the container does not start."},
		{"a number", service("group_add: [992]"),
			"gid 992 of service a opens no GPU on this machine. /dev/kfd and /dev/dri/renderD128 belong to gid 110, which the service does not have."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample("")
			result := lint.Run(lint.Example{Files: map[string]string{"compose.yaml": tt.text}}.Project(false), setting, groupRules)
			if len(result.Found) != 1 || result.Found[0].Message != tt.says {
				t.Errorf("found %v\nwant %s", result.Found, tt.says)
			}
		})
	}
}

// onMachine is a machine of the examples, or one with a group for films.
func onMachine(name string) (lint.Setting, bool) {
	if name != "films" {
		return lint.OnExample(name)
	}
	s, ok := lint.OnExample("")
	s.Machine.Groups.Value = append(s.Machine.Groups.Value, machine.Group{Name: "media", GID: 990})
	return s, ok
}

// Where podman is there beside Docker, who writes keep-groups means it.
func TestKeepGroupsWithBothEngines(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	s.Podman = grant.Engine{Kind: grant.Podman, Version: "5.4.2", Rootless: true}
	p := lint.Example{Files: map[string]string{"compose.yaml": service("group_add: [keep-groups]")}}.Project(false)
	found := lint.Run(p, s, Rules).Found
	if len(found) != 1 || found[0].Rule.ID != "compose/keep-groups" || found[0].Verdict != check.Warn || found[0].Mend != nil {
		t.Errorf("found %+v", found)
	}
}

// A variable for a group is held to a node that the service is given.
func TestVariablesAreOfTheServicesNodes(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	p := lint.Example{Files: map[string]string{"compose.yaml": "services:\n  a:\n    image: ghcr.io/x/vulkan:1\n    devices: [/dev/dri]\n    group_add: [\"${RENDER_GID:-993}\"]\n"}}.Project(false)
	found := lint.Run(p, s, Rules).Found
	if len(found) != 1 || found[0].Verdict != check.Warn || !strings.Contains(found[0].Message, "/dev/dri/renderD128 belongs to gid 110") {
		t.Errorf("found %+v", found)
	}
}
