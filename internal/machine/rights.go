package machine

import (
	"io/fs"
	"slices"
)

// A Subject is somebody who wants to open a node.
type Subject struct {
	UID    uint32
	Groups []uint32 // all of them, the primary one too
}

// Stranger is somebody with no right but those that everybody has. Nobody's number
// would be that of every owner whom a user namespace does not know.
var Stranger = Subject{UID: 1<<32 - 2}

// OverflowID is the number that a user namespace shows for every id it does not
// translate.
const OverflowID = 65534

// Subject returns who the process is to the kernel.
func (p Process) Subject() Subject {
	return Subject{p.UID, append([]uint32{p.GID}, p.Groups...)}
}

// Subject returns who a process of the account is after a login.
func (a Account) Subject() Subject {
	return Subject{a.UID, append([]uint32{a.GID}, a.Groups...)}
}

// Allows computes whether owner, group, mode and ACL let the subject open the
// node for reading and writing, in the order of acl(5). It explains what open()
// said, and stands in for it where the subject is not this process.
func (n Node) Allows(s Subject) bool {
	st := n.Stat.Value
	if s.UID == st.UID {
		return st.Mode&0o600 == 0o600
	}
	if n.ACL.Known() && len(n.ACL.Value) > 0 {
		return aclAllows(n.ACL.Value, st, s)
	}
	if slices.Contains(s.Groups, st.GID) {
		return st.Mode&0o060 == 0o060
	}
	return OpenToAll(st.Mode)
}

// OpenToAll reports whether everybody may read and write.
func OpenToAll(mode fs.FileMode) bool { return mode&0o006 == 0o006 }

func aclAllows(list []ACL, st NodeStat, s Subject) bool {
	mask := true
	for _, a := range list {
		if a.Tag == ACLMask {
			mask = a.Read && a.Write
		}
	}
	inGroup := false
	for _, a := range list {
		full := a.Read && a.Write && mask
		switch {
		case a.Tag == ACLUser && a.ID == s.UID:
			return full
		case a.Tag == ACLOwnerGroup && slices.Contains(s.Groups, st.GID),
			a.Tag == ACLGroup && slices.Contains(s.Groups, a.ID):
			if full {
				return true
			}
			inGroup = true
		}
	}
	return !inGroup && OpenToAll(st.Mode)
}

// MissingGroups returns the groups of all compute nodes that the subject is not
// in and would have to be, without doubles.
func (m *Machine) MissingGroups(s Subject) []uint32 {
	var gids []uint32
	for _, n := range m.ComputeNodes() {
		if gid, needed := n.GroupFor(s); needed && !slices.Contains(gids, gid) {
			gids = append(gids, gid)
		}
	}
	return gids
}

// GroupFor returns the group that would let the subject open the node, where it
// may not already and a group can help.
func (n Node) GroupFor(s Subject) (gid uint32, needed bool) {
	st := n.Stat
	if !st.Known() || n.Allows(s) || st.Value.Mode&0o060 != 0o060 || slices.Contains(s.Groups, st.Value.GID) {
		return 0, false
	}
	return st.Value.GID, true
}

// ComputeNodes are /dev/kfd and the render nodes of the GPUs that KFD offers;
// where it offers none, or does not say which node is whose, all render nodes.
func (m *Machine) ComputeNodes() []Node {
	nodes := []Node{m.KFD}
	offered := m.ComputeGPUs()
	all := len(offered) == 0 || slices.ContainsFunc(offered, func(g GPU) bool { return !g.RenderNode.Known() })
	for _, n := range m.RenderNodes.Value {
		ours := slices.ContainsFunc(offered, func(g GPU) bool { return g.RenderNode.Value == n.Path })
		if ours || all {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
