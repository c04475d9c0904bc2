package grant

import (
	"fmt"
	"strconv"
)

// An Engine is what starts containers, as far as it decides how a GPU is handed
// over.
type Engine struct {
	Kind     Kind
	Version  string
	Rootless bool   // the engine runs as a user
	Remapped bool   // Docker's userns-remap: ids of the container are others on the host
	Runtime  string // "crun", "runc"; "" where it is not known
	CDI      bool   // devices can be named by a CDI specification
	SELinux  bool   // containers are confined
}

// A Kind is a make of engine.
type Kind string

// The kinds of engines.
const (
	Docker    Kind = "docker"
	Podman    Kind = "podman"
	Apptainer Kind = "apptainer"
)

// Access is how an engine hands the needs over.
type Access struct {
	Devices []string // nodes by path
	Groups  []string // numbers, or keep-groups
	// Labels tells that SELinux would deny what the engine passes, unless the
	// container's label is given up or container_use_devices is on.
	Labels bool
	// Refused is why the engine cannot hand the GPU over like this; "" where it
	// can.
	Refused string
}

// KeepGroups lets a container of rootless podman keep the groups of the user who
// started it, numbers that a user namespace cannot name. crun knows it, runc does
// not (podman-run(1), --group-add).
const KeepGroups = "keep-groups"

// Through says how an engine passes the needs on, to a process that is not root.
func (n Needs) Through(e Engine) Access {
	a := Access{Labels: e.SELinux}
	for _, node := range n.Nodes {
		a.Devices = append(a.Devices, node.Path)
	}
	switch {
	case len(n.Groups) == 0:
	case e.Kind == Podman && e.Rootless:
		a.Groups = []string{KeepGroups}
		if e.Runtime != "" && e.Runtime != "crun" {
			a.Refused = fmt.Sprintf("rootless podman hands groups over only with crun, and %s is its runtime here", e.Runtime)
		}
	case e.Kind == Docker && (e.Rootless || e.Remapped):
		// Numbers are those of the subordinate range, so the host's are not among them
		// (moby#40225).
		a.Refused = fmt.Sprintf("this Docker translates ids, so gid %d of the host has no number in its containers; podman with crun hands your own groups over", n.Groups[0].GID)
	case e.Kind == Apptainer: // the process keeps its user's groups
	default:
		for _, g := range n.Groups {
			a.Groups = append(a.Groups, strconv.FormatUint(uint64(g.GID), 10))
		}
	}
	return a
}
