package image

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

// found tells what the rules say of files, on lines of file:line rule.
func found(t *testing.T, on string, files map[string]string) string {
	t.Helper()
	s, ok := lint.OnExample(on)
	if !ok {
		t.Fatalf("no machine %q", on)
	}
	s.Strict = true
	var out strings.Builder
	for _, f := range lint.Run(lint.Example{Files: files}.Project(false), s, Rules).Found {
		out.WriteString(f.Place() + " " + f.Rule.ID + " " + string(f.Verdict) + "\n")
	}
	return out.String()
}

func TestFound(t *testing.T) {
	t.Parallel()
	const released = "rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1"
	const digest = "@sha256:1f0c7a1f2bd5a6d5c7a2c9a1a3f0b1cc5d6e7f8091a2b3c4d5e6f708192a3b4c"
	for _, tt := range []struct {
		name, on string
		files    map[string]string
		want     string
	}{
		{"stages and defaults", "", map[string]string{"Dockerfile": "ARG TAG=latest\nFROM rocm/pytorch:${TAG} AS base\nFROM base\nFROM base AS x\n"},
			"Dockerfile:2 image/floating-tag warn\nDockerfile:2 image/no-digest warn\n"},
		{"an argument without default", "", map[string]string{"Dockerfile": "ARG BASE\nFROM ${BASE}\n"}, ""},
		{"no tag", "", map[string]string{"Containerfile": "FROM rocm/pytorch\n"}, "Containerfile:1 image/floating-tag warn\n"},
		{"not for AMD", "", map[string]string{"Dockerfile": "FROM pytorch/pytorch:latest\nFROM nvidia/cuda\n", "compose.yml": "services:\n  db:\n    image: postgres\n  app:\n    image: vllm/vllm-openai:latest\n"}, ""},
		{"a comment", "", map[string]string{"Dockerfile": "# FROM rocm/pytorch:latest\nFROM " + released + digest + "\n"}, ""},
		{"a template", "", map[string]string{"Dockerfile": "FROM rocm/pytorch:{{ tag }}\n", "compose.yml": "services:\n  a:\n    image: \"rocm/pytorch:{{ tag }}\"\n"}, ""},
		{"the name of what is built", "", map[string]string{"compose.yml": "services:\n  w:\n    build: .\n    image: whisper-rocm:latest\n    devices: [/dev/kfd]\n"}, ""},
		{"built by a file laid over it", "", map[string]string{"compose.yml": "services:\n  w:\n    image: whisper-rocm:latest\n", "compose.dev.yml": "services:\n  w:\n    build: .\n"}, ""},
		{"any image that is given GPUs", "", map[string]string{"compose.yml": "services:\n  w:\n    image: ghcr.io/me/app\n    devices: [/dev/kfd:/dev/kfd]\n"}, "compose.yml:3 image/floating-tag warn\n"},
		{"a default, and .env over it", "", map[string]string{
			"compose.yml": "services:\n  w:\n    image: ${IMAGE:-rocm/pytorch:latest}\n  x:\n    image: rocm/pytorch:${TAG:-latest}\n",
			".env":        "TAG=rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n",
		}, "compose.yml:3 image/floating-tag warn\ncompose.yml:3 image/no-digest warn\ncompose.yml:5 image/no-digest warn\n"},
		{"a manifest", "gfx1031", map[string]string{"deploy.yaml": "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        image: ghcr.io/ggml-org/llama.cpp:server-rocm\n        resources: {limits: {amd.com/gpu: 1}}\n"},
			"deploy.yaml:8 image/floating-tag warn\ndeploy.yaml:8 image/no-digest warn\ndeploy.yaml:8 image/no-code fail\n"},
		{"a quadlet", "", map[string]string{"a.container": "[Container]\nImage=docker.io/rocm/pytorch\nAddDevice=/dev/kfd\n"}, "a.container:2 image/floating-tag warn\n"},
		{"a dev container", "", map[string]string{".devcontainer/devcontainer.json": "{\n  // ours\n  \"image\": \"rocm/pytorch:latest\",\n}\n"},
			".devcontainer/devcontainer.json:3 image/floating-tag warn\n.devcontainer/devcontainer.json:3 image/no-digest warn\n"},
		{"an override stands beside it", "gfx1031", map[string]string{"compose.yml": "services:\n  o:\n    image: ollama/ollama:0.12.3-rocm" + digest + "\n    environment: [HSA_OVERRIDE_GFX_VERSION=10.3.0]\n"}, ""},
		{"torch's list is inferred", "gfx1031", map[string]string{"Dockerfile": "FROM rocm/pytorch:rocm6.4_ubuntu24.04_py3.12_pytorch_release_2.8.0" + digest + "\n"}, "Dockerfile:1 image/no-code warn\n"},
		{"an unknown machine", "unread", map[string]string{"compose.yml": "services:\n  o:\n    image: ollama/ollama:0.12.3-rocm" + digest + "\n"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, tt.on, tt.files); got != tt.want {
				t.Errorf("found:\n%swant:\n%s", got, tt.want)
			}
		})
	}
}

// TestFloatingTagIsOfItsEngine reads what is said and advised of tags that move.
func TestFloatingTagIsOfItsEngine(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	for _, tt := range []struct{ file, text, says, command string }{
		{"a.container", "[Container]\nImage=docker.io/rocm/pytorch\nAddDevice=/dev/kfd\n", "without code for this GPU", "podman image inspect"},
		{"Dockerfile", "FROM rocm/pytorch\n", "without code for this GPU", "docker image inspect"},
		{"a.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: rocm/k8s-device-plugin\n", "another release than the one that was tried", "docker image inspect"},
		{"b.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: busybox:latest\n    resources: {limits: {amd.com/gpu: 1}}\n", "another release than the one that was tried", "docker image inspect"},
	} {
		all := lint.Run(lint.Example{Files: map[string]string{tt.file: tt.text}}.Project(false), s, Rules).Found
		if len(all) != 1 || !strings.Contains(all[0].Message, tt.says) || !strings.HasPrefix(all[0].Advice[0].Steps[0].Command, tt.command) {
			t.Errorf("%s: %v, want %q and %q", tt.file, all, tt.says, tt.command)
		}
	}
}

// TestFilesCountMore holds a list of a publisher against the files of the image.
func TestFilesCountMore(t *testing.T) {
	t.Parallel()
	const digest = "@sha256:1f0c7a1f2bd5a6d5c7a2c9a1a3f0b1cc5d6e7f8091a2b3c4d5e6f708192a3b4c"
	files := []lint.CodeFile{{Path: "/usr/lib/a.so", Targets: []string{"gfx1030"}}, {Path: "/usr/lib/b.so", Targets: []string{"gfx90a"}}}
	for _, tt := range []struct {
		name, image string
		code        lint.ImageCode
		local       bool
		want        string
	}{
		{"not here", "ollama/ollama:0.12.3-rocm" + digest, lint.ImageCode{}, false, "a list"},
		{"its files run", "ollama/ollama:0.12.3-rocm" + digest, lint.ImageCode{Files: files, Runs: map[string]bool{"gfx1031": true}}, true, ""},
		{"nothing runs", "ollama/ollama:0.12.3-rocm" + digest, lint.ImageCode{Store: "/s", Files: files, Runs: map[string]bool{"gfx1031": false}}, true, "the 2 files with GPU code in it have none"},
		{"nobody knows the image", "me/app-rocm:1" + digest, lint.ImageCode{Store: "/s", Files: files[:1]}, true, "the one file with GPU code in it has none"},
		{"not for AMD", "postgres:17" + digest, lint.ImageCode{Store: "/s", Files: files}, true, ""},
	} {
		s, _ := lint.OnExample("gfx1031")
		s.Image = func(name string) (lint.ImageCode, bool) {
			if name != tt.image {
				t.Errorf("%s: asked for %s", tt.name, name)
			}
			return tt.code, tt.local
		}
		found := lint.Run(lint.Example{Files: map[string]string{"compose.yml": "services:\n  o:\n    image: " + tt.image + "\n"}}.Project(false), s, Rules).Found
		switch {
		case tt.want == "":
			if len(found) > 0 {
				t.Errorf("%s: %v", tt.name, found)
			}
		case len(found) != 1 || found[0].Rule.ID != "image/no-code" || strings.Contains(found[0].Message, "on this machine") != tt.local:
			t.Errorf("%s: %v", tt.name, found)
		case tt.local && (!strings.Contains(found[0].Message, tt.want) || found[0].Evidence[1].Text != "/usr/lib/a.so: gfx1030"):
			t.Errorf("%s: %s %v", tt.name, found[0].Message, found[0].Evidence)
		}
	}
}
