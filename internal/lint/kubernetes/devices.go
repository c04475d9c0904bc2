package kubernetes

import (
	"fmt"
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

func hostDevices(p *lint.Pass) {
	for _, w := range workloads(p) {
		for _, c := range w.containers {
			if c.sign() == "" && !c.asks() || len(c.devices) == 0 {
				continue
			}
			if w.podman {
				mountedByPodman(p, w, c)
				continue
			}
			first := c.devices[0]
			f := lint.Finding{
				File: w.file, Line: first.volume.Line, Verdict: check.Fail, Cause: "container-device-not-mapped",
				Message: fmt.Sprintf("%s of %s gets %s by hostPath. A mount gives no right to a device: the device cgroup denies it, and open() says EPERM, to root too.", upper(c.String()), w, first.path),
				Mend:    w.askInstead(c), Advice: []remedy.Remedy{askInstead()},
			}
			if c.privileged() != nil {
				f.Verdict, f.Cause = check.Warn, "k8s-gpu-not-allocated"
				f.Message = fmt.Sprintf("%s of %s gets %s by hostPath, past the scheduler. It works because the container is privileged; two such pods share a GPU without knowing of each other.", upper(c.String()), w, first.path)
				f.Mend = nil // whether the privilege is for the GPU alone is the owner's to say
			}
			p.Report(f)
			if f.Mend != nil {
				break // its mend takes the volumes away; the next container is told then
			}
		}
	}
}

// mountedByPodman judges what podman kube play makes of devices: it passes those that
// are said to be some, and mounts all others, to which there is then no right (tried
// with podman 4.3).
func mountedByPodman(p *lint.Pass, w workload, c container) {
	for _, d := range c.devices {
		if c.privileged() != nil || d.volume.Get("hostPath").Get("type").Value() == "CharDevice" {
			continue
		}
		p.Report(lint.Finding{
			File: w.file, Line: d.volume.Line, Verdict: check.Fail, Cause: "container-device-not-mapped",
			Message: fmt.Sprintf("podman mounts %s into %s of %s, and does not pass it. Without type: CharDevice the device cgroup denies it, and open() says EPERM, to root too.", d.path, c, w),
			Advice: []remedy.Remedy{lint.ByHand("kubernetes-char-device", "Say that it is a device",
				"write type: CharDevice below hostPath, for /dev/kfd and for each /dev/dri/renderD*; the folder /dev/dri is none")},
		})
	}
}

func askInstead() remedy.Remedy {
	return lint.ByHand("kubernetes-device-plugin", "Let the device plugin pass the GPU", "remove the volumes of /dev/kfd and /dev/dri with their mounts, and write resources.limits: {"+resourceName+": 1}")
}

// askInstead takes the volumes and their mounts away and asks for a GPU instead,
// where nobody else mounts them.
func (w workload) askInstead(c container) *lint.Mend {
	for _, other := range w.containers {
		if other.node != c.node && len(other.devices) > 0 {
			return nil
		}
	}
	var volumes, mounts []*yamltext.Node
	for _, d := range c.devices {
		if d.path == "/dev" {
			return nil // all devices of the host: for more than a GPU
		}
		if !slices.Contains(volumes, d.volume) {
			volumes = append(volumes, d.volume)
		}
		mounts = append(mounts, d.mounted)
	}
	edits := append(without(w.spec, "volumes", volumes), without(c.node, "volumeMounts", mounts)...)
	if !c.asks() {
		edits = append(edits, c.addLimit)
	}
	return w.mend("Ask for a GPU instead", edits...)
}

// without takes members out of a list, and the list itself where none is left.
func without(of *yamltext.Node, key string, gone []*yamltext.Node) []func() (yamltext.Edit, error) {
	if len(of.Get(key).Items()) == len(gone) {
		return []func() (yamltext.Edit, error){func() (yamltext.Edit, error) { return of.RemoveKey(key) }}
	}
	var out []func() (yamltext.Edit, error)
	for _, n := range gone {
		out = append(out, n.Remove)
	}
	return out
}

func privileged(p *lint.Pass) {
	for _, w := range workloads(p) {
		for _, c := range w.containers {
			at := c.privileged()
			if at == nil || !c.computes() {
				continue
			}
			p.Report(lint.Finding{
				File: w.file, Line: at.Line, Verdict: check.Warn,
				Message: fmt.Sprintf("%s of %s is privileged. For computing it need not be: the device plugin passes the nodes with the rights to them, and a privileged container reaches every device of the node.", upper(c.String()), w),
				Advice:  []remedy.Remedy{lint.ByHand("kubernetes-unprivileged", "Ask for the GPU and give up the privilege", "write resources.limits: {"+resourceName+": 1}, and remove privileged unless something else needs it")},
			})
		}
	}
}
