package access

import (
	"io/fs"
	"slices"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// overflowID is the number that a user namespace shows for every id it does not
// translate.
const overflowID = 65534

// A subject is somebody who wants to open a node.
type subject struct {
	uid    uint32
	groups []uint32 // all of them, the primary one too
}

func subjectOf(p machine.Process) subject {
	return subject{p.UID, append([]uint32{p.GID}, p.Groups...)}
}

func subjectFor(a machine.Account) subject {
	return subject{a.UID, append([]uint32{a.GID}, a.Groups...)}
}

// allows computes whether owner, group, mode and ACL let the subject open the
// node for reading and writing, in the order of acl(5). It explains what open()
// said, and stands in for it where the subject is not this process.
func allows(n machine.Node, s subject) bool {
	st := n.Stat.Value
	if s.uid == st.UID {
		return st.Mode&0o600 == 0o600
	}
	if n.ACL.Known() && len(n.ACL.Value) > 0 {
		return aclAllows(n.ACL.Value, st, s)
	}
	if slices.Contains(s.groups, st.GID) {
		return st.Mode&0o060 == 0o060
	}
	return openToAll(st.Mode)
}

func openToAll(mode fs.FileMode) bool { return mode&0o006 == 0o006 }

func aclAllows(list []machine.ACL, st machine.NodeStat, s subject) bool {
	mask := true
	for _, a := range list {
		if a.Tag == machine.ACLMask {
			mask = a.Read && a.Write
		}
	}
	inGroup := false
	for _, a := range list {
		full := a.Read && a.Write && mask
		switch {
		case a.Tag == machine.ACLUser && a.ID == s.uid:
			return full
		case a.Tag == machine.ACLOwnerGroup && slices.Contains(s.groups, st.GID),
			a.Tag == machine.ACLGroup && slices.Contains(s.groups, a.ID):
			if full {
				return true
			}
			inGroup = true
		}
	}
	return !inGroup && openToAll(st.Mode)
}

// missingGroups returns the groups of all compute nodes that the subject is not
// in and would have to be, without doubles.
func missingGroups(m *machine.Machine, s subject) []uint32 {
	var gids []uint32
	for _, n := range computeNodes(m) {
		st := n.Stat
		if !st.Known() || allows(n, s) || st.Value.Mode&0o060 != 0o060 || slices.Contains(s.groups, st.Value.GID) {
			continue
		}
		if !slices.Contains(gids, st.Value.GID) {
			gids = append(gids, st.Value.GID)
		}
	}
	return gids
}

// neededGroups returns the groups that somebody must be in who has no other
// right to the compute nodes, without doubles.
func neededGroups(m *machine.Machine) []uint32 {
	return missingGroups(m, subject{uid: overflowID, groups: nil})
}

// computeNodes are /dev/kfd and the render nodes of the GPUs that KFD offers;
// where it offers none, or does not say which node is whose, all render nodes.
func computeNodes(m *machine.Machine) []machine.Node {
	nodes := []machine.Node{m.KFD}
	offered := m.ComputeGPUs()
	all := len(offered) == 0 || slices.ContainsFunc(offered, func(g machine.GPU) bool { return !g.RenderNode.Known() })
	for _, n := range m.RenderNodes.Value {
		ours := slices.ContainsFunc(offered, func(g machine.GPU) bool { return g.RenderNode.Value == n.Path })
		if ours || all {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
