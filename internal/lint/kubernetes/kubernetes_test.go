package kubernetes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/kubernetes"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(kubernetes.Rules); err != nil {
		t.Error(err)
	}
}

const limit = "resources: {limits: {amd.com/gpu: 1}}"

// inPod writes a pod in one line for each container.
func inPod(spec string, containers ...string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  " + spec + "\n  containers:\n  - {name: c, " + strings.Join(containers, "}\n  - {name: d, ") + "}\n"
}

// asked runs all rules and writes what they find as "line rule verdict".
func asked(t *testing.T, text, on string) []string {
	t.Helper()
	setting, ok := lint.OnExample(on)
	if !ok {
		t.Fatalf("no machine %q", on)
	}
	p := lint.Example{Files: map[string]string{"k8s.yaml": text}}.Project(false)
	var out []string
	for _, f := range lint.Run(p, setting, kubernetes.Rules).Found {
		out = append(out, fmt.Sprintf("%d %s %s", f.Line, strings.TrimPrefix(f.Rule.ID, "kubernetes/"), f.Verdict))
	}
	return out
}

func TestFindings(t *testing.T) {
	t.Parallel()
	const selected = "nodeSelector: {gpu: mi300x}"
	for name, tc := range map[string]struct {
		text, on string
		want     []string
	}{
		"as it should be":        {inPod(selected, "image: rocm/pytorch:x, "+limit), "", nil},
		"NVIDIA":                 {inPod("hostNetwork: false", "image: nvidia/cuda:12, resources: {limits: {nvidia.com/gpu: 1}}, securityContext: {privileged: true}"), "", nil},
		"no GPU at all":          {inPod("nodeSelector: {kubernetes.io/arch: arm64}", "image: nginx:1"), "", nil},
		"for podman":             {"# podman kube play p.yaml\n" + inPod("volumes: [{name: k, hostPath: {path: /dev/kfd, type: CharDevice}}]", "image: rocm/pytorch:x, volumeMounts: [{name: k, mountPath: /dev/kfd}]"), "", nil},
		"for podman, a user":     {"# podman kube play p.yaml\n" + inPod("securityContext: {runAsUser: 1000}\n  volumes: [{name: k, hostPath: {path: /dev/kfd, type: CharDevice}}]", "image: rocm/pytorch:x, volumeMounts: [{name: k, mountPath: /dev/kfd}]"), "", []string{"6 supplemental-groups warn"}},
		"for podman, mounted":    {"# podman kube play p.yaml\n" + inPod("volumes: [{name: k, hostPath: {path: /dev/kfd}}]", "image: rocm/pytorch:x, volumeMounts: [{name: k, mountPath: /dev/kfd}]"), "", []string{"6 host-devices fail"}},
		"by tag":                 {inPod(selected, "image: 'ollama/ollama:0.13-rocm'"), "", []string{"7 gpu-limit warn"}},
		"by both":                {inPod(selected, "image: rocm/vllm:x, env: [{name: HIP_VISIBLE_DEVICES, value: '0'}]"), "", []string{"7 gpu-limit fail"}},
		"on processors":          {strings.Replace(inPod(selected, "image: rocm/vllm:x"), "name: p", "name: vllm-cpu", 1) + "---\n" + inPod(selected, "image: own:1, env: [{name: HIP_VISIBLE_DEVICES, value: '-1'}]"), "", nil},
		"a GPU of NVIDIA's":      {inPod(selected, "image: rocm/vllm:x, resources: {limits: {nvidia.com/gpu: 1}}"), "", []string{"7 gpu-limit fail"}},
		"by variable":            {inPod(selected, "image: own:1, env: [{name: HIP_VISIBLE_DEVICES, value: '0'}]"), "", []string{"7 gpu-limit fail"}},
		"variable of a path":     {inPod(selected, "image: own:1, env: [{name: PATH, value: /opt/rocm/bin}]"), "", nil},
		"the second container":   {inPod(selected, "image: rocm/pytorch:x, "+limit, "image: rocm/vllm:x"), "", []string{"8 gpu-limit warn"}},
		"a claim":                {inPod(selected, "image: rocm/pytorch:x, resources: {claims: [{name: gpu}]}"), "", nil},
		"a partition":            {inPod(selected, "image: rocm/pytorch:x, resources: {limits: {amd.com/cpx_nps4: 1}}"), "", nil},
		"init container fetches": {inPod("nodeSelector: {a: b}\n  initContainers:\n  - {name: i, image: rocm/pytorch:x}", "image: rocm/pytorch:x, "+limit), "", nil},
		"device plugin": {"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: p}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: c, image: 'docker.io/rocm/k8s-device-plugin:latest', securityContext: {privileged: true}, volumeMounts: [{name: s, mountPath: /sys}, {name: d, mountPath: /dev/kfd}]}\n      volumes:\n      - {name: s, hostPath: {path: /sys}}\n      - {name: d, hostPath: {path: /dev/kfd}}\n",
			"", nil},
		"template":           {inPod(selected, "image: 'rocm/pytorch:{{ .Values.tag }}'"), "", nil},
		"image by a program": {inPod(selected, "image: '$(ROCM_IMAGE)'"), "", nil},

		"requests alone":   {inPod(selected, "image: rocm/pytorch:x, resources: {requests: {amd.com/gpu: 1}}"), "", []string{"7 gpu-request fail"}},
		"half a GPU":       {inPod(selected, "image: rocm/pytorch:x, resources: {limits: {amd.com/gpu: 500m}}"), "", []string{"7 gpu-request fail"}},
		"equal":            {inPod(selected, "image: rocm/pytorch:x, resources: {limits: {amd.com/gpu: 2}, requests: {amd.com/gpu: '2', cpu: 1}}"), "", nil},
		"cpu may differ":   {inPod(selected, "image: rocm/pytorch:x, resources: {limits: {amd.com/gpu: 2, cpu: 4}, requests: {cpu: 1}}"), "", nil},
		"other privileged": {inPod(selected, "image: nginx:1, securityContext: {privileged: true}", "image: rocm/pytorch:x, "+limit), "", nil},
		"hostPath, privileged": {inPod("nodeSelector: {a: b}\n  volumes: [{name: v, hostPath: {path: /dev/dri/}}]", "image: rocm/pytorch:x, securityContext: {privileged: true}, volumeMounts: [{name: v, mountPath: /dev/dri}]"),
			"", []string{"6 host-devices warn", "8 privileged warn"}},
		"hostPath of data": {inPod("nodeSelector: {a: b}\n  volumes: [{name: v, hostPath: {path: /data}}]", "image: rocm/pytorch:x, "+limit+", volumeMounts: [{name: v, mountPath: /data}]"), "", nil},
		"/dev for video":   {inPod("volumes: [{name: v, hostPath: {path: /dev/dri}}]", "image: jellyfin:1, volumeMounts: [{name: v, mountPath: /dev/dri}]"), "", nil},

		"not root":              {inPod(selected, "image: rocm/pytorch:x, securityContext: {runAsUser: 1000}, "+limit), "", []string{"7 supplemental-groups warn"}},
		"not root, open nodes":  {inPod(selected, "image: rocm/pytorch:x, securityContext: {runAsUser: 1000}, "+limit), "open", nil},
		"not root, not known":   {inPod(selected, "image: rocm/pytorch:x, securityContext: {runAsUser: 1000}, "+limit), "unread", nil},
		"root in the container": {inPod("nodeSelector: {a: b}\n  securityContext: {runAsNonRoot: true}", "image: rocm/pytorch:x, securityContext: {runAsUser: 0}, "+limit), "", nil},
		"fsGroup is a group":    {inPod("nodeSelector: {a: b}\n  securityContext: {runAsUser: 1000, fsGroup: 110}", "image: rocm/pytorch:x, "+limit), "", nil},
		"other groups":          {inPod("nodeSelector: {a: b}\n  securityContext: {runAsUser: 1000, supplementalGroups: [44, 992]}", "image: rocm/pytorch:x, "+limit), "", []string{"6 supplemental-groups warn"}},

		"affinity": {inPod("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: amd.com/gpu.family, operator: In, values: [AI]}]}]}}}", "image: rocm/pytorch:x, "+limit), "", nil},
		"preferred only": {inPod("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}", "image: rocm/pytorch:x, "+limit),
			"", []string{"7 node-selection warn"}},
		"arch alone": {inPod("nodeSelector: {kubernetes.io/arch: amd64}", "image: rocm/pytorch:x, "+limit), "", []string{"7 node-selection warn"}},
		"arm by affinity": {inPod("nodeSelector: {a: b}\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}]}}}", "image: rocm/pytorch:x, "+limit),
			"", []string{"6 architecture fail"}},
		"another plugin":    {inPod(selected, "image: rocm/pytorch:x, resources: {limits: {squat.ai/kfd: 1, squat.ai/dri: 1}}"), "", nil},
		"a network card":    {inPod(selected, "image: rocm/pytorch:x, resources: {limits: {rdma/hca: 1}}"), "", []string{"7 gpu-limit warn"}},
		"one term of two":   {inPod("nodeSelector: {a: b}\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}, {matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]}}}", "image: rocm/pytorch:x, "+limit), "", nil},
		"either arch":       {inPod("nodeSelector: {a: b}\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [arm64, amd64]}]}]}}}", "image: rocm/pytorch:x, "+limit), "", nil},
		"by gfx":            {inPod("nodeSelector: {example.com/gfx: gfx906}", "image: 'ghcr.io/ggml-org/llama.cpp:server-rocm', "+limit), "", []string{"5 gpu-model fail"}},
		"by gfx, overruled": {inPod("nodeSelector: {example.com/gfx: gfx906}", "image: 'ghcr.io/ggml-org/llama.cpp:server-rocm', env: [{name: HSA_OVERRIDE_GFX_VERSION, value: 9.0.8}], "+limit), "", nil},
		"no known image":    {inPod("nodeSelector: {example.com/gfx: gfx906}", "image: 'own/rocm-thing:1', "+limit), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := asked(t, tc.text, tc.on); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q of\n%s", got, tc.want, tc.text)
			}
		})
	}
}

func TestEveryKindOfWorkload(t *testing.T) {
	t.Parallel()
	const spec = "containers: [{name: c, image: 'rocm/pytorch:x'}]"
	for kind, open := range map[string]string{
		"Pod": "", "Deployment": "template: {spec: {", "StatefulSet": "template: {spec: {", "DaemonSet": "template: {spec: {",
		"ReplicaSet": "template: {spec: {", "Job": "template: {spec: {", "CronJob": "jobTemplate: {spec: {template: {spec: {",
	} {
		text := "apiVersion: v1\nkind: " + kind + "\nspec: {" + open + spec + strings.Repeat("}", strings.Count(open, "{")+1) + "\n"
		for _, whole := range []string{
			text, "# first\n---\napiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n---\n" + text,
			"apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n",
		} {
			if got := asked(t, whole, ""); len(got) != 1 || !strings.Contains(got[0], "gpu-limit warn") {
				t.Errorf("%s: got %q of\n%s", kind, got, whole)
			}
		}
	}
}

func TestMends(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector: {a: b} # ours\n  containers:\n"
	for name, tc := range map[string]struct{ before, after string }{
		"no resources":   {"  - image: rocm/vllm:x # pinned\n    imagePullPolicy: Always\n    args: [serve]\n", "  - image: rocm/vllm:x # pinned\n    imagePullPolicy: Always\n    resources:\n      limits:\n        amd.com/gpu: 1\n    args: [serve]\n"},
		"other limits":   {"  - image: rocm/vllm:x\n    resources:\n      limits:\n        memory: 8Gi\n      requests:\n        cpu: 1\n", "  - image: rocm/vllm:x\n    resources:\n      limits:\n        memory: 8Gi\n        amd.com/gpu: 1\n      requests:\n        cpu: 1\n"},
		"requests only":  {"  - image: rocm/vllm:x\n    resources:\n      requests:\n        amd.com/gpu: 2\n", "  - image: rocm/vllm:x\n    resources:\n      requests:\n        amd.com/gpu: 2\n      limits:\n        amd.com/gpu: 2\n"},
		"empty":          {"  - image: rocm/vllm:x\n    resources: {}\n", "  - image: rocm/vllm:x\n    resources: {limits: {amd.com/gpu: 1}}\n"},
		"nothing behind": {"  - image: rocm/vllm:x\n    resources:\n", "  - image: rocm/vllm:x\n    resources:\n      limits:\n        amd.com/gpu: 1\n"},
		"other volumes stay": {
			"  - image: rocm/vllm:x\n    volumeMounts:\n    - {name: data, mountPath: /data}\n    - {name: kfd, mountPath: /dev/kfd}\n  volumes:\n  - {name: kfd, hostPath: {path: /dev/kfd}}\n  - name: data\n    emptyDir: {}\n",
			"  - image: rocm/vllm:x\n    resources:\n      limits:\n        amd.com/gpu: 1\n    volumeMounts:\n    - {name: data, mountPath: /data}\n  volumes:\n  - name: data\n    emptyDir: {}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setting, _ := lint.OnExample("")
			p := lint.Example{Files: map[string]string{"k8s.yaml": head + tc.before}}.Project(false)
			m := lint.MendAll(p, setting, kubernetes.Rules)
			if len(m.Changes) != 1 {
				t.Fatalf("%d changes, refused %v", len(m.Changes), m.Refused)
			}
			if got := string(m.Changes[0].After); got != head+tc.after {
				t.Errorf("it became\n%s\nand not\n%s", got, head+tc.after)
			}
			if len(m.Left.Found) > 0 {
				t.Errorf("left %q", m.Left.Found[0].Message)
			}
		})
	}
}

func FuzzRules(f *testing.F) {
	for _, r := range kubernetes.Rules {
		f.Add(r.Bad.Files["pod.yaml"])
	}
	f.Add("apiVersion: v1\nkind: List\nitems: [&a {kind: Pod, spec: {containers: [~, 1, {image: rocm/x, resources: [], env: {}, volumeMounts: [~]}], volumes: [~, {hostPath: 1}], nodeSelector: [1]}}, *a]\n")
	setting, _ := lint.OnExample("")
	f.Fuzz(func(t *testing.T, text string) {
		p := lint.Example{Files: map[string]string{"k8s.yaml": "apiVersion: v1\nkind: Pod\n---\n" + text}}.Project(false)
		for _, found := range lint.Run(p, setting, kubernetes.Rules).Found {
			if strings.Contains(found.Message, "itself is broken") {
				t.Fatal(found.Message)
			}
		}
		lint.MendAll(p, setting, kubernetes.Rules)
	})
}

// TestMendsOfALongFile: mends that are not tried one by one any more are as right.
func TestMendsOfALongFile(t *testing.T) {
	t.Parallel()
	const head, one, limit = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n", "  - name: a\n    image: rocm/vllm:x\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"
	long := "# " + strings.Repeat("why ", 100_000) + "\n"
	setting, _ := lint.OnExample("")
	p := lint.Example{Files: map[string]string{"pod.yaml": head + strings.Repeat(one, 4) + long}}.Project(false)
	m := lint.MendAll(p, setting, kubernetes.Rules)
	if len(m.Changes) != 1 || len(m.Refused) > 0 || string(m.Changes[0].After) != head+strings.Repeat(one+limit, 4)+long {
		t.Errorf("%d changes, refused %v", len(m.Changes), m.Refused)
	}
}
