package kubernetes_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/kubernetes"
)

// TestKustomize holds the rules to what a cluster sees: bases are put together with
// patches before.
func TestKustomize(t *testing.T) {
	t.Parallel()
	const (
		base   = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: c, image: 'rocm/pytorch:x'}\n"
		patch  = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: c, resources: {limits: {amd.com/gpu: 1}}}\n"
		told   = "base/job.yaml:8 kubernetes/gpu-limit warn\n"
		chosen = "gpu/gpu.yaml:8 kubernetes/node-selection warn\n"
	)
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a patch":           {map[string]string{"base/job.yaml": base, "gpu/kustomization.yaml": "resources: [../base]\npatches: [{path: gpu.yaml}]\n", "gpu/gpu.yaml": patch}, ""},
		"of another":        {map[string]string{"base/job.yaml": base, "gpu/kustomization.yaml": "resources: [../base]\n", "gpu/gpu.yaml": strings.Replace(patch, "train", "serve", 1)}, told + chosen},
		"no kustomization":  {map[string]string{"base/job.yaml": base, "gpu/gpu.yaml": patch}, told + chosen},
		"inline":            {map[string]string{"base/job.yaml": base, "gpu/kustomization.yml": "resources: [../base]\npatches:\n- patch: |\n    - {op: add, path: /spec/template/spec/containers/0/resources/limits/amd.com~1gpu, value: 1}\n"}, ""},
		"operations":        {map[string]string{"base/job.yaml": base, "gpu/kustomization.yaml": "patches: [{path: ops.yaml, target: {kind: Job}}]\n", "gpu/ops.yaml": "- {op: add, path: /spec/template/spec/containers/0/resources/limits/amd.com~1gpu, value: 1}\n"}, ""},
		"operations beside": {map[string]string{"base/job.yaml": base, "gpu/kustomization.yaml": "patches: [{path: ops.yaml}, {path: none.yaml}, {}]\n", "gpu/ops.yaml": "- {op: add, path: /spec/suspend, value: true}\n"}, told},
	} {
		setting, _ := lint.OnExample("")
		var got strings.Builder
		for _, f := range lint.Run(lint.Example{Files: tc.files}.Project(false), setting, kubernetes.Rules).Found {
			got.WriteString(f.Place() + " " + f.Rule.ID + " " + string(f.Verdict) + "\n")
		}
		if got.String() != tc.want {
			t.Errorf("%s: found\n%swant\n%s", name, got.String(), tc.want)
		}
	}
}
