// Package grant says what a process needs in order to use a machine's GPUs: nodes, groups by number, variables and cache folders.
package grant

import (
	"fmt"
	"slices"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// Needs are what must be given to a process that is not root and has no other
// right to the GPUs of a machine.
type Needs struct {
	Nodes  []Node // /dev/kfd first
	Groups []Group
	Caches []Cache
	// Unknown is why something could not be computed. Nothing may be concluded
	// from what is missing then.
	Unknown []string
}

// A Node is a device node to pass on.
type Node struct {
	Path string
	Stat machine.Fact[machine.NodeStat]
	// Closed nodes need a group; the others are open to everybody, and a group
	// would change nothing.
	Closed bool
	// Helpless nodes are closed to every group too: no number helps.
	Helpless bool
}

// A Group is one that a process must be in, by the number that the kernel
// compares. The name is that of this machine, and may mean another number in an
// image.
type Group struct {
	GID   uint32
	Name  string   // "" where no group has the number
	Nodes []string // that belong to it
}

// For computes what a process needs on a machine.
func For(m *machine.Machine) Needs {
	n := Needs{Caches: caches()}
	for _, node := range m.ComputeNodes() {
		n.add(m, node)
	}
	if len(n.Nodes) < 2 {
		n.Unknown = append(n.Unknown, "no render node of an AMD GPU was found")
	}
	return n
}

func (n *Needs) add(m *machine.Machine, node machine.Node) {
	switch {
	case node.Stat.Absent():
		n.Unknown = append(n.Unknown, node.Path+" is not there")
		return
	case !node.Stat.Known():
		n.Unknown = append(n.Unknown, fmt.Sprintf("%s was not read: %s", node.Path, node.Stat.Why))
		return
	}
	gid, closed := node.GroupFor(machine.Stranger)
	n.Nodes = append(n.Nodes, Node{
		Path: node.Path, Stat: node.Stat, Closed: closed,
		Helpless: !closed && !machine.OpenToAll(node.Stat.Value.Mode),
	})
	switch {
	case !closed:
		return
	case gid == machine.OverflowID:
		n.Unknown = append(n.Unknown, node.Path+" belongs to a group that this user namespace does not know; it is shown as nobody's")
		return
	}
	i := slices.IndexFunc(n.Groups, func(g Group) bool { return g.GID == gid })
	if i < 0 {
		n.Groups = append(n.Groups, Group{GID: gid, Name: m.GroupName(gid)})
		i = len(n.Groups) - 1
	}
	n.Groups[i].Nodes = append(n.Groups[i].Nodes, node.Path)
}

// Complete reports whether everything was seen, so that what is not listed is
// not needed.
func (n Needs) Complete() bool { return len(n.Unknown) == 0 }

// Open reports that everybody may open every node.
func (n Needs) Open() bool {
	return n.Complete() && !slices.ContainsFunc(n.Nodes, func(node Node) bool { return node.Closed || node.Helpless })
}

// GIDs returns the numbers of the groups.
func (n Needs) GIDs() []uint32 {
	out := make([]uint32, len(n.Groups))
	for i, g := range n.Groups {
		out[i] = g.GID
	}
	return out
}

// groupOpens are the rights with which a group opens a node.
const groupOpens = 0o060

// GroupNamed returns the number that a group's name stands for where nodes are
// meant: render is the group of /dev/kfd and the render nodes, video that of the
// card nodes. Distributions give the names different numbers, so the nodes are
// asked, not the name. It is false where a group of that name opens nothing, where
// a user namespace shows nobody in the place of the group, and where it is root's,
// which nobody is given for a GPU.
func GroupNamed(m *machine.Machine, name string) (gid uint32, why machine.Evidence, ok bool) {
	var nodes []machine.Node
	switch name {
	case "render":
		nodes = m.ComputeNodes()
	case "video":
		nodes = m.Cards.Value
	}
	for _, n := range nodes {
		if st := n.Stat.Value; n.Stat.Known() && st.GID != machine.OverflowID && st.GID != 0 && st.Mode&groupOpens == groupOpens {
			return n.Stat.Value.GID, machine.Evidence{From: machine.Source(n.Path), Text: n.Stat.Value.String()}, true
		}
	}
	return 0, machine.Evidence{}, false
}
