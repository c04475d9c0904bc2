package survey

import (
	"encoding/binary"
	"io/fs"
	gopath "path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// nodes lists the device nodes below /dev/dri whose names begin with a prefix.
func nodes(r host.Reader, prefix string, open bool) machine.Fact[[]machine.Node] {
	const dir = "/dev/dri"
	names := list(r, dir)
	if !names.Known() {
		return machine.Fact[[]machine.Node]{State: names.State, From: names.From, Why: names.Why}
	}
	found := []machine.Node{}
	for _, name := range names.Value {
		if strings.HasPrefix(name, prefix) {
			found = append(found, node(r, dir+"/"+name, open))
		}
	}
	return machine.Know(found, dir)
}

// node describes a device node and, where asked, tries to open it. Card nodes
// are only looked at: opening one can take the display's mastership.
func node(r host.Reader, path string, open bool) machine.Node {
	n := machine.Node{Path: path}
	st, err := follow(r, path)
	if err != nil {
		n.Stat = failed[machine.NodeStat](path, err)
		return n
	}
	n.Stat = machine.Know(machine.NodeStat{Mode: st.Mode, UID: st.UID, GID: st.GID, Major: st.Major, Minor: st.Minor}, machine.Source(path))
	n.Numbers = text(r, sysfsName(path)+"/dev")
	n.ACL = acl(r, path)
	n.Label = label(r, path)
	if open && n.Stat.Value.IsDevice() {
		n.Open = tryOpen(r, path)
	}
	return n
}

// follow looks through symbolic links, as open() does.
func follow(r host.Reader, path string) (host.Stat, error) {
	const most = 8
	st, err := r.Lstat(path)
	for hops := 0; err == nil && st.Mode&fs.ModeSymlink != 0 && hops < most; hops++ {
		target, linkErr := r.ReadLink(path)
		if linkErr != nil {
			return st, linkErr
		}
		if !strings.HasPrefix(target, "/") {
			target = gopath.Join(gopath.Dir(path), target)
		}
		path = target
		st, err = r.Lstat(path)
	}
	return st, err
}

// sysfsName is the directory in which the kernel describes the device that a
// node is named after.
func sysfsName(path string) string {
	if name, found := strings.CutPrefix(path, "/dev/dri/"); found {
		return "/sys/class/drm/" + name
	}
	return "/sys/class/kfd/" + strings.TrimPrefix(path, "/dev/")
}

func tryOpen(r host.Reader, path string) machine.Fact[string] {
	from := machine.Source("open(" + path + ")")
	err := r.TryOpen(path)
	if err == nil {
		return machine.Know("", from)
	}
	if errno := host.ErrnoOf(err); errno != "" {
		return machine.Know(string(errno), from)
	}
	return machine.Unknown[string](from, reason(err))
}

func label(r host.Reader, path string) machine.Fact[string] {
	from := machine.Source(path + " security.selinux")
	data, err := r.Getxattr(path, "security.selinux")
	if host.ErrnoOf(err) == host.ENODATA || host.ErrnoOf(err) == "EOPNOTSUPP" {
		return machine.Missing[string](from)
	}
	if err != nil {
		return machine.Unknown[string](from, reason(err))
	}
	s := strings.TrimRight(string(data), "\x00")
	if !readable(s) {
		return machine.Unknown[string](from, "its content is not text")
	}
	return machine.Know(s, from)
}

func acl(r host.Reader, path string) machine.Fact[[]machine.ACL] {
	const name = "system.posix_acl_access"
	from := machine.Source(path + " " + name)
	data, err := r.Getxattr(path, name)
	if host.ErrnoOf(err) == host.ENODATA || host.ErrnoOf(err) == "EOPNOTSUPP" {
		return machine.Missing[[]machine.ACL](from)
	}
	if err != nil {
		return machine.Unknown[[]machine.ACL](from, reason(err))
	}
	entries, ok := parseACL(data)
	if !ok {
		return machine.Unknown[[]machine.ACL](from, "the list is not in the form we know")
	}
	return machine.Know(entries, from)
}

// aclTags are the tag numbers of the kernel's posix_acl_xattr.h.
var aclTags = map[uint16]machine.ACLTag{
	0x01: machine.ACLOwner, 0x02: machine.ACLUser, 0x04: machine.ACLOwnerGroup,
	0x08: machine.ACLGroup, 0x10: machine.ACLMask, 0x20: machine.ACLOther,
}

// parseACL reads the extended attribute: a version, then entries of tag,
// permission bits and id.
func parseACL(data []byte) ([]machine.ACL, bool) {
	const version, entry = 2, 8
	if len(data) < 4 || (len(data)-4)%entry != 0 || binary.LittleEndian.Uint32(data) != version {
		return nil, false
	}
	var out []machine.ACL
	for b := data[4:]; len(b) > 0; b = b[entry:] {
		tag, ok := aclTags[binary.LittleEndian.Uint16(b)]
		if !ok {
			return nil, false
		}
		perm := binary.LittleEndian.Uint16(b[2:])
		a := machine.ACL{Tag: tag, Read: perm&4 != 0, Write: perm&2 != 0}
		if tag == machine.ACLUser || tag == machine.ACLGroup {
			a.ID = binary.LittleEndian.Uint32(b[4:])
		}
		out = append(out, a)
	}
	return out, true
}
