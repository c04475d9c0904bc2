package devcontainer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/devcontainer"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(devcontainer.Rules); err != nil {
		t.Error(err)
	}
}

const gpu = `"image": "rocm/pytorch:x", "runArgs": ["--device=/dev/kfd", "--device", "/dev/dri/renderD128:/dev/dri/renderD128"`

func TestFindings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text, on, dockerfile string
		want                 []string
	}{
		"as it should be":      {`{` + gpu + `]}`, "", "", nil},
		"another image":        {`{"image": "mcr.microsoft.com/devcontainers/base", "privileged": true, "runArgs": ["--gpus=all", "--group-add=video"]}`, "", "", nil},
		"no runArgs":           {`{"image": "rocm/pytorch:x"}`, "", "", []string{"1 devices fail"}},
		"by variable":          {"{\n\"containerEnv\": {\"HSA_XNACK\": \"1\"},\n\"image\": \"own\"}", "", "", []string{"1 devices fail"}},
		"by Dockerfile":        {"{\"build\": {\"dockerfile\": \"Dockerfile\"},\n\"runArgs\": [\"--device=/dev/dri\"]}", "", "FROM rocm/dev-ubuntu-24.04:7.2 AS base\nFROM base\n", []string{"2 devices fail"}},
		"another Dockerfile":   {`{"build": {"dockerfile": "Dockerfile"}, "runArgs": ["--device=/dev/dri"]}`, "", "FROM ubuntu:24.04\n", nil},
		"no such Dockerfile":   {`{"build": {"dockerfile": "../Dockerfile.gone"}}`, "", "", nil},
		"compose":              {`{"image": "rocm/pytorch:x", "dockerComposeFile": "compose.yml", "service": "a"}`, "", "", nil},
		"by CDI":               {`{"image": "rocm/pytorch:x", "runArgs": ["--device=amd.com/gpu=all"]}`, "", "", nil},
		"name":                 {`{` + gpu + `, "--group-add=render"]}`, "", "", []string{"1 group-name fail"}},
		"name of the cards":    {`{` + gpu + `, "--group-add=video"]}`, "", "", []string{"1 group-name warn"}},
		"user, only the cards": {`{"remoteUser": "vscode", ` + gpu + `, "--group-add=video"]}`, "", "", []string{"1 group-name warn", "1 groups fail"}},
		"name, open":           {`{` + gpu + `, "--group-add=video"]}`, "open", "", []string{"1 group-name warn"}},
		"another name":         {`{` + gpu + `, "--group-add=audio"]}`, "", "", nil},
		"user":                 {`{"remoteUser": "vscode", ` + gpu + `]}`, "", "", []string{"1 groups fail"}},
		"user, stale number":   {`{"remoteUser": "vscode", ` + gpu + `, "--group-add=992"]}`, "", "", []string{"1 groups fail"}},
		"user, open":           {`{"remoteUser": "vscode", ` + gpu + `]}`, "open", "", nil},
		"user, remapped":       {`{"remoteUser": "vscode", ` + gpu + `]}`, "remapped", "", nil},
		"user, nothing known":  {`{"remoteUser": "vscode", ` + gpu + `]}`, "unread", "", nil},
		"root":                 {`{"remoteUser": "root", "containerUser": "x", ` + gpu + `]}`, "", "", nil},
		"not privileged":       {`{"privileged": false, ` + gpu + `, "--privileged=false"]}`, "", "", nil},
		"a flag and a node":    {`{"image": "rocm/pytorch:x", "runArgs": ["--gpus=all", "--device=/dev/dri"]}`, "", "", []string{"1 devices fail", "1 gpus-flag warn"}},
		"privileged by a flag": {`{"image": "rocm/pytorch:x", "runArgs": ["--privileged"]}`, "", "", []string{"1 privileged warn"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample(tc.on)
			files := map[string]string{".devcontainer/devcontainer.json": tc.text}
			if tc.dockerfile != "" {
				files[".devcontainer/Dockerfile"] = tc.dockerfile
			}
			var got []string
			for _, f := range lint.Run(lint.Example{Files: files}.Project(false), setting, devcontainer.Rules).Found {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, strings.TrimPrefix(f.Rule.ID, "devcontainer/"), f.Verdict))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q of\n%s", got, tc.want, tc.text)
			}
		})
	}
}

func TestMends(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ before, after string }{
		"no list":    {"{\n  \"image\": \"rocm/pytorch:x\" // why\n}\n", "{\n  \"image\": \"rocm/pytorch:x\", // why\n  \"runArgs\": [\"--device=/dev/kfd\", \"--device=/dev/dri\"]\n}\n"},
		"in a line":  {`{"image": "rocm/pytorch:x"}`, `{"image": "rocm/pytorch:x", "runArgs": ["--device=/dev/kfd", "--device=/dev/dri"]}`},
		"empty list": {`{"image": "rocm/pytorch:x", "runArgs": [ ]}`, `{"image": "rocm/pytorch:x", "runArgs": ["--device=/dev/kfd", "--device=/dev/dri"]}`},
		"a line each": {
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"remoteUser\": \"vscode\",\n\t\"runArgs\": [\n\t\t\"--device=/dev/dri\", // the cards\n\t]\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"remoteUser\": \"vscode\",\n\t\"runArgs\": [\n\t\t\"--device=/dev/dri\", // the cards\n\t\t\"--device=/dev/kfd\",\n\t\t\"--group-add=110\",\n\t]\n}\n",
		},
		"no comma, a comment": {
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\n\t\t\"--device=/dev/dri\" // the cards\n\t]\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\n\t\t\"--device=/dev/dri\", // the cards\n\t\t\"--device=/dev/kfd\"\n\t]\n}\n",
		},
		"a long comment": {
			"{\n\t\"image\": \"rocm/pytorch:x\" /* a\n b */\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\"--device=/dev/kfd\", \"--device=/dev/dri\"] /* a\n b */\n}\n",
		},
		"more in its line": {
			"{\n\t\"image\": \"rocm/pytorch:x\", \"mounts\": [\n\t\t\"a\"]\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\"--device=/dev/kfd\", \"--device=/dev/dri\"], \"mounts\": [\n\t\t\"a\"]\n}\n",
		},
		"a comma in the next line": {
			"{\n\t\"image\": \"rocm/pytorch:x\" // why\n\t, \"mounts\": []\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\", // why\n\t\"runArgs\": [\"--device=/dev/kfd\", \"--device=/dev/dri\"]\n\t, \"mounts\": []\n}\n",
		},
		"a comment in an empty list": {
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [ // none yet\n\t]\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\"--device=/dev/kfd\", \"--device=/dev/dri\" // none yet\n\t]\n}\n",
		},
		"blanks behind a comment": {
			"{\n  \"image\": \"rocm/pytorch:x\", // why  \n  \"name\": \"a\"\n}\n",
			"{\n  \"image\": \"rocm/pytorch:x\", // why  \n  \"runArgs\": [\"--device=/dev/kfd\", \"--device=/dev/dri\"],\n  \"name\": \"a\"\n}\n",
		},
		"a comment between flag and value": {
			`{"image": "rocm/pytorch:x", "runArgs": ["--gpus", /* of this machine */ "all"]}`,
			`{"image": "rocm/pytorch:x", "runArgs": ["--device=/dev/kfd", /* of this machine */ "--device=/dev/dri"]}`,
		},
		"a flag on its line": {
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\n\t\t\"--gpus=all\"\n\t]\n}\n",
			"{\n\t\"image\": \"rocm/pytorch:x\",\n\t\"runArgs\": [\n\t\t\"--device=/dev/kfd\",\n\t\t\"--device=/dev/dri\"\n\t]\n}\n",
		},
		"an escaped name": {`{` + gpu + `, "\u002d-group-add=v\u0069deo"]}`, `{` + gpu + `, "--group-add=44"]}`},
		"a name beside its number": {
			`{` + gpu + `, "--group-add", "render", "--group-add=110", "--group-add=render", "--init"]}`,
			`{` + gpu + `, "--group-add=110", "--init"]}`,
		},
		"a name twice": {`{` + gpu + `, "--group-add=video", "--group-add", "video"]}`, `{` + gpu + `, "--group-add=44"]}`},
		"a name twice, and a comment": {
			`{` + gpu + `, "--group-add=video", /* why */ "--group-add=video" /* too */]}`,
			`{` + gpu + `, "--group-add=44", /* why */ "--group-add=44" /* too */]}`,
		},
		"names": {`{` + gpu + `, "--group-add=video", "--group-add", "render"]}`, `{` + gpu + `, "--group-add=44", "--group-add", "110"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample("")
			p := lint.Example{Files: map[string]string{"devcontainer.json": tc.before}}.Project(false)
			m := lint.MendAll(p, setting, devcontainer.Rules)
			if len(m.Changes) != 1 {
				t.Fatalf("%d changes, refused %v", len(m.Changes), m.Refused)
			}
			if got := string(m.Changes[0].After); got != tc.after || len(m.Left.Found) > 0 {
				t.Errorf("it became\n%s\nand not\n%s\nleft %v", got, tc.after, m.Left.Found)
			}
		})
	}
}

// TestFlagTwice: the devices are passed once, and what is left of the flag is told.
func TestFlagTwice(t *testing.T) {
	t.Parallel()
	setting, _ := lint.OnExample("")
	p := lint.Example{Files: map[string]string{"devcontainer.json": `{"image": "rocm/pytorch:x", "runArgs": ["--gpus=all", "--gpus", "all"]}`}}.Project(false)
	const want = `{"image": "rocm/pytorch:x", "runArgs": ["--device=/dev/kfd", "--device=/dev/dri", "--gpus", "all"]}`
	m := lint.MendAll(p, setting, devcontainer.Rules)
	if len(m.Changes) != 1 || string(m.Changes[0].After) != want || len(m.Left.Found) != 1 {
		t.Errorf("changes %+v, left %v", m.Changes, m.Left.Found)
	}
}
