package access

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// judgeOpen turns what open() said into a finding.
func judgeOpen(m *machine.Machine, n machine.Node) check.Finding {
	f := check.Finding{Subject: n.Path, Verdict: check.Fail, Evidence: evidence(n)}
	switch {
	case n.Stat.Absent():
		return check.NotHere(n.Path, "there is no "+n.Path+" here")
	case n.Stat.Unread():
		return check.CannotTell(n.Path, "whether "+n.Path+" may be opened", n.Stat.From, n.Stat.Why)
	case n.Open.Unread():
		return check.CannotTell(n.Path, "whether "+n.Path+" may be opened", n.Open.From, n.Open.Why)
	}
	switch n.Open.Value {
	case "":
		if n.Foreign() {
			return foreign(m, n, f)
		}
		return opened(m, n, f)
	case "EACCES":
		return denied(m, n, f)
	case "EPERM":
		return refusedByCgroup(m, n, f)
	case "ENXIO", "ENODEV":
		if n.Foreign() {
			return foreign(m, n, f)
		}
		return noDriver(m, n, f)
	case "EINVAL":
		return refusedByDriver(m, n, f)
	case "ENOMEM":
		f.Cause = "kfd-bad-state"
		f.Message = fmt.Sprintf("The driver has no memory left to open %s. It said ENOMEM: memory or the driver's own tables are used up, or the GPU is in a bad state.", n.Path)
	default:
		f.Cause = "kfd-bad-state"
		f.Message = fmt.Sprintf("The driver refuses to open %s with %s. Permissions are not the reason.", n.Path, n.Open.Value)
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "restart-machine", nil), cure.For(m, "read-kernel-log", nil)}
	return f
}

func evidence(n machine.Node) []machine.Evidence {
	e := []machine.Evidence{{From: machine.Source(n.Path), Text: n.Stat.Value.String()}}
	if n.Open.Known() && n.Open.Value != "" {
		e[0].Text += "; open: " + n.Open.Value
	}
	for _, a := range n.ACL.Value {
		if a.Tag == machine.ACLUser || a.Tag == machine.ACLGroup {
			e = append(e, machine.Evidence{From: n.ACL.From, Text: fmt.Sprintf("%s %d read %t write %t", a.Tag, a.ID, a.Read, a.Write)})
		}
	}
	return e
}

func opened(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	f.Verdict = check.OK
	f.Message = "You may open " + n.Path
	st, p := n.Stat.Value, m.Process.Value
	switch {
	case machine.OpenToAll(st.Mode):
		f.Message += ". Its mode lets every local user in, so groups do not matter here."
	case m.Process.Known() && p.UID == 0 && closedToOthers(st):
		f.Message += fmt.Sprintf(". You are root; with mode %04o and gid %d nobody else may.", st.Mode.Perm(), st.GID)
	case m.Process.Known() && p.UID == 0 && !p.InUserNamespace():
		f.Message += fmt.Sprintf(". You are root, who passes over permission bits; another user needs gid %d%s.", st.GID, called(m, st.GID))
	}
	return f
}

func called(m *machine.Machine, gid uint32) string {
	if name := m.GroupName(gid); name != "" {
		return " (" + name + ")"
	}
	return ""
}

// denied explains EACCES: what permission bits, groups and ACL say, or, where
// they would allow it, who else may have said no.
func denied(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	f.Message = "This process may not open " + n.Path
	if !m.Process.Known() {
		f.Cause = "device-permission-group"
		f.Message += fmt.Sprintf(". It belongs to gid %d; which groups this process has could not be read.", n.Stat.Value.GID)
		f.Remedies = groupRemedies(m, n, []uint32{n.Stat.Value.GID})
		return f
	}
	p, st := m.Process.Value, n.Stat.Value
	f.Evidence = append(f.Evidence, machine.Evidence{From: m.Process.From, Text: who(p)})
	switch {
	case p.InUserNamespace() && (st.GID == machine.OverflowID || n.Allows(p.Subject())):
		return hiddenByNamespace(m, f)
	case n.Allows(p.Subject()):
		return deniedByModule(m, n, f)
	case closedToOthers(st):
		return closedToGroups(m, n, f)
	default:
		return groupMissing(m, n, f)
	}
}

func who(p machine.Process) string {
	return fmt.Sprintf("uid %d gid %d groups %s", p.UID, p.GID, spaced(p.Groups))
}

func spaced(ids []uint32) string {
	if len(ids) == 0 {
		return "(none)"
	}
	const most = 24
	words := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		words = append(words, strconv.FormatUint(uint64(id), 10))
	}
	if rest := len(ids) - most; rest > 0 {
		words = append(words, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(words, " ")
}

func hiddenByNamespace(m *machine.Machine, f check.Finding) check.Finding {
	f.Cause = "rootless-userns"
	f.Message += ". The container runs in a user namespace that does not know the group which owns the node; it is shown as gid 65534 (nobody). A group number given inside, even if \"id\" prints it, is another group outside."
	for _, r := range m.Process.Value.GIDMap {
		f.Evidence = append(f.Evidence, machine.Evidence{From: "/proc/self/gid_map", Text: fmt.Sprintf("%d %d %d", r.Inside, r.Outside, r.Count)})
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "rootless-keep-groups", nil)}
	return f
}

func deniedByModule(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	f.Cause = "device-permission-group"
	f.Message += ". Owner, group and mode would allow it, so something else said no: a security module, or a file system that is mounted without devices (nodev)."
	if n.Label.Known() {
		f.Evidence = append(f.Evidence, machine.Evidence{From: n.Label.From, Text: n.Label.Value})
	}
	if m.SELinux.Known() {
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.SELinux.From, Text: m.SELinux.Value})
	}
	base := n.Path[strings.LastIndexByte(n.Path, '/')+1:]
	for _, line := range m.KernelLog.Value {
		if strings.Contains(line, "denied") && strings.Contains(line, base) {
			f.Evidence = append(f.Evidence, machine.Evidence{From: m.KernelLog.From, Text: line})
			f.Cause = "selinux-denied"
			break
		}
	}
	if m.SELinux.Value == "enforcing" {
		f.Cause = "selinux-denied"
		f.Message = "SELinux does not let this process open " + n.Path + ". Owner, group and mode would allow it; SELinux is enforcing, and confined processes may not use devices unless a rule allows it."
	}
	if m.SELinux.Value == "enforcing" && m.Container.Known() {
		f.Remedies = append(f.Remedies, cure.For(m, "selinux-allow-devices", nil))
	}
	f.Remedies = append(f.Remedies, cure.For(m, "security-module", nil))
	return f
}

// closedToOthers reports a node that no group membership opens: nobody is to be
// put into the group root.
func closedToOthers(st machine.NodeStat) bool {
	return !machine.OpenToAll(st.Mode) && (st.Mode&0o060 != 0o060 || st.GID == 0)
}

// closedToGroups explains a node that no group membership opens.
func closedToGroups(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	st := n.Stat.Value
	f.Cause = "device-permission-group"
	f.Message += fmt.Sprintf(". It belongs to uid %d gid %d with mode %04o, which lets nobody but root in; the rule that gives it to a group is missing.", st.UID, st.GID, st.Mode.Perm())
	values := cure.Values{
		"path": n.Path, "uid": fmt.Sprint(st.UID), "gid": fmt.Sprint(st.GID), "mode": fmt.Sprintf("%04o", st.Mode.Perm()),
		"subsystem": "kfd", "user": userName(m),
	}
	if strings.HasPrefix(n.Path, "/dev/dri/") {
		values["subsystem"] = "drm"
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "open-node-by-rule", values)}
	return f
}

func refusedByCgroup(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	f.Cause = "container-device-not-mapped"
	f.Message = fmt.Sprintf("The device gate of this container is closed for %s. The node is there, but open() said EPERM: it was mounted without being passed as a device, so the device cgroup denies it, to root as well.", n.Path)
	if !m.Container.Known() {
		f.Message = fmt.Sprintf("The device gate of this service is closed for %s. open() said EPERM, which is not about groups: a device cgroup (DeviceAllow= or PrivateDevices= of a systemd unit) denies it.", n.Path)
		f.Remedies = []remedy.Remedy{cure.For(m, "allow-service-devices", nil)}
		return f
	}
	f.Remedies = []remedy.Remedy{passDevices(m)}
	return f
}

// foreign is a node that leads elsewhere: made by hand, kept in an image, or
// passed by a number that was right before the last boot.
func foreign(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	f.Cause = "device-node-missing"
	f.Message = fmt.Sprintf("This %s is not the GPU's. The node leads to device %s, and the kernel has the GPU's at %s; such numbers change from boot to boot, so a node made by hand or kept in an image goes stale.",
		n.Path, n.Stat.Value.Numbers(), n.Numbers.Value)
	f.Evidence = append(f.Evidence, machine.Evidence{From: n.Numbers.From, Text: n.Numbers.Value})
	f.Remedies = []remedy.Remedy{cure.For(m, "create-node", nil)}
	if m.Container.Known() {
		f.Cause = "container-device-not-mapped"
		f.Remedies = []remedy.Remedy{passDevices(m)}
	}
	return f
}

func noDriver(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	f.Cause = "kfd-driver-not-loaded"
	f.Message = fmt.Sprintf("No driver answers behind %s. Permissions are right, but open() said %s: the node was made by hand or is left over, and the kernel has no driver for it.", n.Path, n.Open.Value)
	f.Evidence = append(f.Evidence, moduleEvidence(m))
	f.Remedies = []remedy.Remedy{cure.For(m, "load-driver", nil)}
	if m.GPUs.Known() && len(m.AMDGPUs()) == 0 {
		f.Message += " This machine has no AMD GPU at all."
		f.Remedies = []remedy.Remedy{cure.For(m, "no-gpu-behind-node", nil)}
		return f
	}
	if m.Driver.Module.Known() {
		f.Cause = "kfd-bad-state"
		f.Message = fmt.Sprintf("No driver answers behind %s, although amdgpu is loaded. open() said %s: the node belongs to another boot or another machine, or the driver gave the GPU up.", n.Path, n.Open.Value)
		f.Remedies = []remedy.Remedy{cure.For(m, "create-node", nil), cure.For(m, "restart-machine", nil)}
	}
	return f
}

func moduleEvidence(m *machine.Machine) machine.Evidence {
	text := "amdgpu is loaded"
	if !m.Driver.Module.Known() {
		text = "amdgpu is not loaded"
	}
	return machine.Evidence{From: "/sys/module/amdgpu", Text: text}
}

// refusedByDriver explains EINVAL. Newer kernels answer so whenever KFD has no
// GPU at all; then the missing GPU is the finding, not the node.
func refusedByDriver(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	if len(m.ComputeGPUs()) == 0 && m.Driver.Topology.Known() {
		return check.NotHere(n.Path, "the driver is loaded but offers no GPU, and this kernel then answers EINVAL to everybody who opens "+n.Path)
	}
	f.Cause = "kfd-bad-state"
	f.Message = fmt.Sprintf("The driver refuses to open %s although permissions are right. It said EINVAL: the GPU did not come up, or was left in a bad state; adding groups does not help.", n.Path)
	f.Remedies = []remedy.Remedy{cure.For(m, "read-kernel-log", nil), cure.For(m, "restart-machine", nil)}
	return f
}
