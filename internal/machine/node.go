package machine

import (
	"fmt"
	"io/fs"
)

// A Node is one device node, and what came of trying to open it.
type Node struct {
	Path  string         `json:"path"`
	Stat  Fact[NodeStat] `json:"stat"` // absent: no such node
	ACL   Fact[[]ACL]    `json:"acl"`
	Label Fact[string]   `json:"label"` // SELinux
	Open  Fact[string]   `json:"open"`  // errno by name; "" means it opened
	// Numbers are the device numbers that the kernel itself gives this device.
	Numbers Fact[string] `json:"numbers"`
}

// Foreign reports a node that does not carry the numbers which the kernel gives
// the device of this name: it leads to another device, or to none.
func (n Node) Foreign() bool {
	return n.Stat.Known() && n.Stat.Value.IsDevice() && n.Numbers.Known() && n.Stat.Value.Numbers() != n.Numbers.Value
}

// A NodeStat is what the system says of a node. Device numbers are handed out
// at boot: no table can judge them, only the kernel's own word.
type NodeStat struct {
	Mode  fs.FileMode `json:"mode"`
	UID   uint32      `json:"uid"`
	GID   uint32      `json:"gid"`
	Major uint32      `json:"major"`
	Minor uint32      `json:"minor"`
}

// IsDevice reports whether it is a character device at all.
func (s NodeStat) IsDevice() bool { return s.Mode&fs.ModeCharDevice != 0 }

// Numbers writes the device numbers as sysfs does.
func (s NodeStat) Numbers() string { return fmt.Sprintf("%d:%d", s.Major, s.Minor) }

// String writes the node as ls would, with numbers instead of names.
func (s NodeStat) String() string {
	kind := '-'
	switch {
	case s.IsDevice():
		kind = 'c'
	case s.Mode.IsDir():
		kind = 'd'
	case s.Mode&fs.ModeSymlink != 0:
		kind = 'l'
	}
	perm := s.Mode.Perm().String()
	return fmt.Sprintf("%c%s uid %d gid %d (%s)", kind, perm[1:], s.UID, s.GID, s.Numbers())
}

// An ACL is one entry of a POSIX access control list.
type ACL struct {
	Tag  ACLTag `json:"tag"`
	ID   uint32 `json:"id,omitempty"` // of a named user or group
	Read bool   `json:"read"`
	// Write matters as much: the runtime opens nodes read-write.
	Write bool `json:"write"`
}

// An ACLTag says whom an entry concerns.
type ACLTag string

// The tags of a POSIX ACL.
const (
	ACLOwner      ACLTag = "owner"
	ACLUser       ACLTag = "user"
	ACLOwnerGroup ACLTag = "owner-group"
	ACLGroup      ACLTag = "group"
	ACLMask       ACLTag = "mask"
	ACLOther      ACLTag = "other"
)
