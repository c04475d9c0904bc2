package cdi

import (
	"fmt"
	"io/fs"
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// nodes judges every node of a specification once, however many devices hold it.
func (j *judge) nodes(f File) {
	before := len(j.out)
	told := map[string]bool{}
	for _, e := range everyEdit(f.Spec) {
		for _, n := range e.DeviceNodes {
			if told[words(n)] {
				continue
			}
			told[words(n)] = true
			j.node(f, n)
		}
	}
	if len(j.out) > before {
		return
	}
	if len(told) == 0 {
		j.add(f, CheckNodes, check.Fail, "", fmt.Sprintf("%s names no device node. A container that asks for a device of it gets nothing.", f.Path), machine.Evidence{From: machine.Source(f.Path), Text: "no deviceNodes"})
		return
	}
	j.add(f, CheckNodes, check.OK, "", fmt.Sprintf("The %d nodes of %s are there", len(told), f.Path))
	j.add(f, CheckRights, check.OK, "", fmt.Sprintf("The nodes of %s have the rights that it says", f.Path))
}

func everyEdit(s specs.Spec) []specs.ContainerEdits {
	out := []specs.ContainerEdits{s.ContainerEdits}
	for _, d := range s.Devices {
		out = append(out, d.ContainerEdits)
	}
	return out
}

// words writes a node as a specification has it.
func words(n *specs.DeviceNode) string {
	s := n.Path
	if n.HostPath != "" {
		s = n.HostPath + " as " + s
	}
	if n.FileMode != nil {
		s += fmt.Sprintf(" mode %04o", *n.FileMode&fs.ModePerm)
	}
	if n.UID != nil {
		s += fmt.Sprintf(" uid %d", *n.UID)
	}
	if n.GID != nil {
		s += fmt.Sprintf(" gid %d", *n.GID)
	}
	if n.Major != 0 || n.Minor != 0 {
		s += fmt.Sprintf(" (%d:%d)", n.Major, n.Minor)
	}
	return s
}

func (j *judge) node(f File, n *specs.DeviceNode) {
	at := onHost(n)
	st := j.stat(at)
	said := machine.Evidence{From: machine.Source(f.Path), Text: words(n)}
	switch {
	case st.Absent():
		j.add(f, CheckNodes, check.Fail, at, fmt.Sprintf("%s names %s, which is not there. Engines refuse to start a container that asks for it.", f.Path, at),
			said, machine.Evidence{From: machine.Source(at), Text: "no such file or directory (ENOENT)"})
		return
	case !st.Known():
		found := check.CannotTell(f.Path+" "+at, "whether "+at+" is as "+f.Path+" says", st.From, st.Why)
		found.Check = CheckNodes
		j.out = append(j.out, found)
		return
	}
	is := machine.Evidence{From: machine.Source(at), Text: st.Value.String()}
	switch {
	case !st.Value.IsDevice():
		j.add(f, CheckNodes, check.Fail, at, fmt.Sprintf("%s names %s, which is no device.", f.Path, at), said, is)
	case (n.Major != 0 || n.Minor != 0) && (n.Major != int64(st.Value.Major) || n.Minor != int64(st.Value.Minor)):
		j.add(f, CheckNodes, check.Fail, at, fmt.Sprintf("%s gives %s the numbers %d:%d, and it has %s. The node in the container then leads to another device or to none; the number of /dev/kfd is handed out at every start.",
			f.Path, at, n.Major, n.Minor, st.Value.Numbers()), said, is)
	}
	j.rights(f, n, st.Value, said, is)
}

// rights compares mode, owner and group. The node in the container is made with
// those of the specification, so a stale number shuts out the group that may use
// it outside, or lets everybody in.
func (j *judge) rights(f File, n *specs.DeviceNode, st machine.NodeStat, evidence ...machine.Evidence) {
	var missing, other []string
	compare := func(name string, said *uint32, is uint32, format string) {
		switch {
		case said == nil:
			missing = append(missing, name)
		case *said != is:
			other = append(other, fmt.Sprintf("%s "+format+" where the node has "+format, name, *said, is))
		}
	}
	var mode *uint32
	if n.FileMode != nil {
		m := uint32(*n.FileMode & fs.ModePerm)
		mode = &m
	}
	compare("mode", mode, uint32(st.Mode.Perm()), "%04o")
	compare("uid", n.UID, st.UID, "%d")
	compare("gid", n.GID, st.GID, "%d")
	at := onHost(n)
	switch {
	case len(other) > 0:
		j.add(f, CheckRights, check.Fail, at, fmt.Sprintf("%s gives %s %s. In a container the node has the rights of the specification, not those of the host.", f.Path, at, strings.Join(other, ", ")), evidence...)
		j.out[len(j.out)-1].Cause = "container-gid-mismatch"
	case len(missing) > 0:
		j.add(f, CheckRights, check.Warn, at, fmt.Sprintf("%s does not say the %s of %s. Podman then makes the node belong to the container's user, with mode 0666 where the mode is missing, whoever may use it outside.", f.Path, strings.Join(missing, ", "), at), evidence...)
	}
}
