// Package kubernetes holds the rules about manifests of Kubernetes: how pods come by AMD GPUs, and with which rights.
package kubernetes

import "github.com/rocsmith/rocsmith/internal/lint"

// Rules are the rules of this area.
var Rules = []lint.Rule{
	{
		ID:    "kubernetes/gpu-limit",
		Title: "A container that computes on an AMD GPU asks for one",
		Why: "The kubelet hands devices only to containers whose limits name `amd.com/gpu`, each container for itself. " +
			"Without it there is no `/dev/kfd` in the container, whatever the node has, and HIP finds no device. " +
			"A container counts as one that computes where its image is made for ROCm or its environment sets variables of AMD's runtimes; " +
			"init containers often only fetch files, and are not judged, nor are pods that kustomize patches or whose nodes another plugin passes. (Kubernetes documentation, scheduling GPUs; ROCm/k8s-device-plugin README)",
		Bad:  manifest("", ""),
		Good: manifest("", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  gpuLimit,
	},
	{
		ID:    "kubernetes/gpu-request",
		Title: "GPUs are asked for in whole numbers, by limits that requests agree with",
		Why: "`amd.com/gpu` is an extended resource: it cannot be overcommitted, so the API server refuses a pod whose requests differ from its limits, " +
			"that has requests without limits, or that asks for a part of one. (Kubernetes documentation, managing resources for containers, extended resources)",
		Bad:  manifest("", "    resources:\n      requests:\n        amd.com/gpu: 2\n      limits:\n        amd.com/gpu: 1\n"),
		Good: manifest("", "    resources:\n      requests:\n        amd.com/gpu: 1\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  gpuRequest,
	},
	{
		ID:    "kubernetes/host-devices",
		Title: "GPU devices come from the device plugin, not from hostPath",
		Why: "A hostPath volume mounts the node `/dev/kfd` and gives no right to it: the device cgroup of the container denies it, and open() says EPERM, to root too. " +
			"It works only in a privileged container, and then past the scheduler: two pods share a GPU without knowing of each other. " +
			"`podman kube play` passes a node whose hostPath has `type: CharDevice`; where a file speaks of podman it is judged by that. " +
			"(Tried with podman and docker: a node that is mounted and not passed gives EPERM; Kubernetes documentation, device plugins)",
		Bad: manifest("", "    volumeMounts:\n    - name: kfd\n      mountPath: /dev/kfd\n    - name: dri\n      mountPath: /dev/dri\n"+
			"  volumes:\n  - name: kfd\n    hostPath:\n      path: /dev/kfd\n  - name: dri\n    hostPath:\n      path: /dev/dri\n"),
		Good: manifest("", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  hostDevices,
	},
	{
		ID:    "kubernetes/privileged",
		Title: "A container with a GPU is not privileged",
		Why: "The device plugin passes the nodes with the rights to them, so computing needs no privilege. " +
			"A privileged container sees every device of the node: it can use GPUs that the scheduler gave to others, and its root is the node's. " +
			"(Kubernetes documentation, pod security standards)",
		Bad:  manifest("", "    resources:\n      limits:\n        amd.com/gpu: 1\n    securityContext:\n      privileged: true\n"),
		Good: manifest("", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  privileged,
	},
	{
		ID:    "kubernetes/supplemental-groups",
		Title: "A container that is not root is in the group of the GPU's nodes",
		Why: "The device plugin passes the nodes with owner and group of the host, and the kernel compares numbers. " +
			"A process with `runAsUser` or `runAsNonRoot` that is not in that group gets EACCES. " +
			"The number is that of the node's distribution and may differ from node to node; rocsmith knows that of this machine, or of the one that `--for` names. " +
			"(ROCm/k8s-device-plugin#39; Kubernetes documentation, security context)",
		Bad:  manifest("  securityContext:\n    runAsUser: 1000\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Good: manifest("  securityContext:\n    runAsUser: 1000\n    supplementalGroups: [110]\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  supplementalGroups,
	},
	{
		ID:    "kubernetes/node-selection",
		Title: "A pod with a GPU says which nodes fit it",
		Why: "`amd.com/gpu` counts GPUs and does not tell one model from another, so in a cluster of different GPUs a pod lands on one that its image has no code for. " +
			"AMD's node labeller writes labels to choose by: `amd.com/gpu.device-id`, `amd.com/gpu.product-name`, `amd.com/gpu.family`. " +
			"Where all nodes with GPUs are alike, suppress this rule. (ROCm/k8s-device-plugin cmd/k8s-node-labeller README)",
		Bad:  manifest("", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Good: manifest("  nodeSelector:\n    amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  nodeSelection,
	},
	{
		ID:    "kubernetes/architecture",
		Title: "Pods with AMD GPUs go to x86-64 nodes",
		Why: "ROCm is published for x86-64 alone, and so are its images. On a node of another architecture the container ends with \"exec format error\", " +
			"or finds no node at all. (ROCm documentation, system requirements)",
		Bad:  manifest("  nodeSelector:\n    kubernetes.io/arch: arm64\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Good: manifest("  nodeSelector:\n    kubernetes.io/arch: amd64\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  architecture,
	},
	{
		ID:    "kubernetes/gpu-model",
		Title: "The image holds code for the GPU that the node selector chooses",
		Why: "A selector by `amd.com/gpu.device-id`, or by a label whose value is a gfx target, chooses one GPU. An image that is known to be built for others stops there with " +
			"\"no kernel image is available\" or \"invalid device function\". What images hold is known from what their makers publish; other images are not judged.",
		Bad:  pod("ghcr.io/ggml-org/llama.cpp:server-rocm", "  nodeSelector:\n    amd.com/gpu.device-id: 66a1\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Good: pod("ghcr.io/ggml-org/llama.cpp:server-rocm", "  nodeSelector:\n    amd.com/gpu.device-id: 740f\n", "    resources:\n      limits:\n        amd.com/gpu: 1\n"),
		Run:  gpuModel,
	},
}

// manifest is a pod of PyTorch, with more lines for the pod and for its container.
func manifest(ofPod, ofContainer string) lint.Example {
	return pod("rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1", ofPod, ofContainer)
}

func pod(image, ofPod, ofContainer string) lint.Example {
	return lint.Example{Files: map[string]string{"pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: train\nspec:\n" + ofPod +
		"  containers:\n  - name: train\n    image: " + image + "\n" + ofContainer}}
}
