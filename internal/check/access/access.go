// Package access asks whether the device nodes of the GPU exist and may be opened; the errno of open() is the diagnosis.
package access

import (
	"fmt"
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "access/nodes",
		Title: "The device nodes of the GPU exist",
		Needs: []string{"driver/loaded"},
		Doc: `Programs reach the GPU through ` + "`/dev/kfd`" + ` (compute queues, one for the machine) and
` + "`/dev/dri/renderD*`" + ` (one for each GPU). A container has only the nodes it was given.`,
		Run: runNodes,
	},
	{
		ID:    "access/kfd",
		Title: "You may open /dev/kfd",
		Needs: []string{"access/nodes"},
		Doc: `The node is opened for reading and writing and closed at once. The errno is the diagnosis:
EACCES is owner, group, mode or a security module; EPERM is the device cgroup of a container; ENXIO and ENODEV
mean that no driver answers; EINVAL and ENOMEM come from the driver itself. Where mode or an ACL lets everybody in,
groups do not matter and none is asked for. The group named is the one that owns the node, by its number.`,
		Run: runKFD,
	},
	{
		ID:    "access/render",
		Title: "You may open the render node of each GPU",
		Needs: []string{"access/kfd"},
		Doc: `Beside ` + "`/dev/kfd`" + ` the runtime opens the render node of every GPU it uses. Each is judged by itself,
so one closed node does not hide another GPU.`,
		Run: runRender,
	},
	{
		ID:    "access/caller",
		Title: "The user who called sudo may open the GPU too",
		Needs: []string{"access/nodes"},
		Doc: `Root passes over permission bits, so a test under sudo says nothing about the user who will run programs
later. Their rights are computed from owner, group, mode, ACL and the group file.`,
		Run: runCaller,
	},
}

func runNodes(in check.Input) []check.Finding {
	m := in.Machine
	if m.OS == "windows" {
		return []check.Finding{check.NotHere("", "device nodes are a matter of Linux")}
	}
	const subject = "/dev/kfd"
	st := m.KFD.Stat
	switch {
	case st.Unread():
		return []check.Finding{check.CannotTell(subject, "whether /dev/kfd exists", st.From, st.Why)}
	case st.Absent() && !expected(m):
		return []check.Finding{check.NotHere(subject, "there is no AMD GPU whose node could be missing")}
	case st.Absent():
		return []check.Finding{nodeMissing(m)}
	case !st.Value.IsDevice():
		return []check.Finding{notADevice(m)}
	}
	found := []check.Finding{{
		Subject: subject, Verdict: check.OK, Message: "/dev/kfd exists",
		Evidence: []machine.Evidence{{From: subject, Text: st.Value.String()}},
	}}
	return append(found, renderNodesMissing(m)...)
}

// expected reports whether there is reason to look for /dev/kfd at all.
func expected(m *machine.Machine) bool {
	return len(m.AMDGPUs()) > 0 && m.Container.Value.Kind != "wsl2"
}

func nodeMissing(m *machine.Machine) check.Finding {
	f := check.Finding{
		Subject: "/dev/kfd", Verdict: check.Fail,
		Evidence: []machine.Evidence{{From: "/dev/kfd", Text: "no such file or directory (ENOENT)"}},
	}
	kind := m.Container.Value.Kind
	switch {
	case !m.Container.Known() && m.Driver.Topology.Absent():
		f.Cause = "device-node-missing"
		f.Message = "/dev/kfd does not exist, because the driver here has no compute part. amdgpu is loaded, but nothing of KFD is in /sys; kernels built without CONFIG_HSA_AMD are like that."
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.Driver.Topology.From, Text: "no such directory"})
		f.Remedies = []remedy.Remedy{cure.For(m, "kernel-with-kfd", nil)}
	case !m.Container.Known():
		f.Cause = "device-node-missing"
		f.Message = "/dev/kfd does not exist. The driver amdgpu is loaded and should have created it; without it no program can compute on the GPU."
		f.Remedies = []remedy.Remedy{cure.For(m, "create-node", nil)}
	case kind == "kubernetes":
		f.Cause = "k8s-gpu-not-allocated"
		f.Message = "This pod was given no GPU: /dev/kfd does not exist here. The node has one, but a container only gets the devices it asks for."
		f.Remedies = []remedy.Remedy{passDevices(m)}
	default:
		f.Cause = "container-device-not-mapped"
		f.Message = fmt.Sprintf("This %s container was started without the GPU: /dev/kfd does not exist here. The host has the GPU and its driver; a container sees only the devices it was given.", kind)
		f.Remedies = []remedy.Remedy{passDevices(m)}
	}
	return f
}

func passDevices(m *machine.Machine) remedy.Remedy {
	return cure.For(m, "container-pass-devices", cure.Values{"engine": m.Container.Value.Kind})
}

// notADevice happens when a container mounts a path that did not exist on the
// host: the engine creates an empty directory.
func notADevice(m *machine.Machine) check.Finding {
	f := check.Finding{
		Subject: "/dev/kfd", Verdict: check.Fail, Cause: "device-node-missing",
		Message:  "/dev/kfd is not a device. Something else stands in its place, often a directory that an engine made for a mount of a missing node.",
		Evidence: []machine.Evidence{{From: "/dev/kfd", Text: m.KFD.Stat.Value.String()}},
		Remedies: []remedy.Remedy{cure.For(m, "create-node", nil)},
	}
	if m.Container.Known() {
		f.Cause = "container-device-not-mapped"
		f.Remedies = []remedy.Remedy{passDevices(m)}
	}
	return f
}

func renderNodesMissing(m *machine.Machine) []check.Finding {
	var out []check.Finding
	for _, g := range m.ComputeGPUs() {
		want := g.RenderNode.Value
		if want == "" || m.RenderNodes.Unread() {
			continue
		}
		there := slices.ContainsFunc(m.RenderNodes.Value, func(n machine.Node) bool { return n.Path == want && !n.Stat.Absent() })
		if there {
			continue
		}
		out = append(out, renderMissing(m, g, want))
	}
	return out
}

// renderMissing only warns in a container where another GPU is complete: leaving
// a GPU out is how containers are given a part of the machine.
func renderMissing(m *machine.Machine, g machine.GPU, want string) check.Finding {
	f := check.Finding{
		Subject: want, Verdict: check.Fail, Cause: "device-node-missing",
		Message: fmt.Sprintf("%s, the render node of %s, does not exist. The runtime needs it beside /dev/kfd.", want, g.Label()),
		Evidence: []machine.Evidence{
			{From: g.RenderNode.From, Text: "drm_render_minor names " + want},
			{From: "/dev/dri", Text: "holds " + names(m.RenderNodes.Value)},
		},
		Remedies: []remedy.Remedy{cure.For(m, "create-node", nil)},
	}
	if m.Container.Known() {
		f.Cause = "container-device-not-mapped"
		f.Remedies = []remedy.Remedy{passDevices(m)}
	}
	if m.Container.Known() && anotherIsComplete(m, g) {
		f.Verdict = check.Warn
		f.Message = fmt.Sprintf("%s was not given to this process: its render node %s does not exist here. Other GPUs are complete, so this may be meant.", g.Label(), want)
	}
	return f
}

// anotherIsComplete reports whether another GPU has its render node.
func anotherIsComplete(m *machine.Machine, g machine.GPU) bool {
	return slices.ContainsFunc(m.ComputeGPUs(), func(o machine.GPU) bool {
		return o.Node.Value != g.Node.Value && slices.ContainsFunc(m.RenderNodes.Value, func(n machine.Node) bool {
			return n.Path == o.RenderNode.Value && n.Stat.Known()
		})
	})
}

func names(nodes []machine.Node) string {
	if len(nodes) == 0 {
		return "no render node"
	}
	s := ""
	for i, n := range nodes {
		if i > 0 {
			s += ", "
		}
		s += n.Path
	}
	return s
}

func runKFD(in check.Input) []check.Finding {
	if in.Machine.OS == "windows" {
		return []check.Finding{check.NotHere("", "device nodes are a matter of Linux")}
	}
	return []check.Finding{judgeOpen(in.Machine, in.Machine.KFD)}
}

func runRender(in check.Input) []check.Finding {
	m := in.Machine
	if m.KFD.Stat.Absent() || m.OS == "windows" {
		return []check.Finding{check.NotHere("/dev/dri", "without /dev/kfd no render node is used for compute")}
	}
	if m.RenderNodes.Unread() {
		return []check.Finding{check.CannotTell("/dev/dri", "whether the render nodes may be opened", m.RenderNodes.From, m.RenderNodes.Why)}
	}
	var out []check.Finding
	for _, n := range m.ComputeNodes()[1:] {
		out = append(out, judgeOpen(m, n))
	}
	return out
}
