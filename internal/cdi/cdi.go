// Package cdi writes and judges specifications of the Container Device Interface, by which container engines hand out GPUs.
package cdi

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// Kind is what AMD's GPUs are called in specifications, by AMD's own toolkit too.
const Kind = "amd.com/gpu"

// DefaultFile is where a specification of the machine is kept. /var/run is empty
// after a start.
const DefaultFile = "/etc/cdi/amd.json"

// All is the device that stands for every GPU.
const All = "all"

// ErrNoGPU says that there is nothing to describe.
var ErrNoGPU = errors.New("there is no AMD GPU here that containers could be given")

// ErrTranslated says that the numbers seen here are not those of the host.
var ErrTranslated = errors.New("ids are translated here (a user namespace): the specification has to be made on the host")

// A Wish is what a specification is to hold beyond what computing needs.
type Wish struct {
	Cards bool // the card nodes, for programs that draw
	// Groups makes containers join the groups of closed nodes by themselves. It
	// needs CDI 0.7, which older engines, podman 4.3 among them, do not read.
	Groups bool
}

// Generate describes the GPUs of a machine, in the order of KFD, in which HIP
// counts them.
func Generate(m *machine.Machine, w Wish) (specs.Spec, error) {
	gpus := m.ComputeGPUs()
	switch {
	case m.OS == "windows" || m.GPUs.Known() && len(m.AMDGPUs()) == 0:
		return specs.Spec{}, ErrNoGPU
	case m.GPUs.Unread():
		return specs.Spec{}, fmt.Errorf("the GPUs could not be read: %s", m.GPUs.Why)
	case len(gpus) == 0:
		return specs.Spec{}, errors.New("the driver offers no AMD GPU for computing; rocsmith doctor says why")
	case m.Process.Known() && m.Process.Value.InUserNamespace():
		return specs.Spec{}, ErrTranslated
	}
	kfd, err := describe(m.KFD)
	if err != nil {
		return specs.Spec{}, err
	}
	s := specs.Spec{Kind: Kind, ContainerEdits: specs.ContainerEdits{DeviceNodes: []*specs.DeviceNode{kfd}}}
	if w.Groups {
		s.ContainerEdits.AdditionalGIDs = groups(m.KFD)
	}
	if s.Devices, err = devices(m, gpus, w); err != nil {
		return s, err
	}
	s.Version, err = specs.MinimumRequiredVersion(&s)
	return s, err
}

// devices lists each GPU by number and by address, then all of them.
func devices(m *machine.Machine, gpus []machine.GPU, w Wish) ([]specs.Device, error) {
	var numbered, named []specs.Device
	all := specs.Device{Name: All}
	names := stableNames(gpus)
	for i, g := range gpus {
		edits, err := edits(m, g, w)
		if err != nil {
			return nil, err
		}
		numbered = append(numbered, specs.Device{Name: strconv.Itoa(i), ContainerEdits: edits})
		if names[i] != "" {
			named = append(named, specs.Device{Name: names[i], ContainerEdits: edits})
		}
		all.ContainerEdits.DeviceNodes = append(all.ContainerEdits.DeviceNodes, edits.DeviceNodes...)
		for _, gid := range edits.AdditionalGIDs {
			if !slices.Contains(all.ContainerEdits.AdditionalGIDs, gid) {
				all.ContainerEdits.AdditionalGIDs = append(all.ContainerEdits.AdditionalGIDs, gid)
			}
		}
	}
	return append(append(numbered, named...), all), nil
}

// stableNames are the addresses on the PCI bus, which stay when another card is
// put in or the driver counts anew. The partitions of a card share an address and
// are numbered; a GPU without an address has none.
func stableNames(gpus []machine.GPU) []string {
	count, seen := map[string]int{}, map[string]int{}
	for _, g := range gpus {
		count[g.Address]++
	}
	out := make([]string, len(gpus))
	for i, g := range gpus {
		switch {
		case g.Address == "":
		case count[g.Address] == 1:
			out[i] = g.Address
		default:
			out[i] = fmt.Sprintf("%s-%d", g.Address, seen[g.Address])
			seen[g.Address]++
		}
	}
	return out
}

// edits are the nodes of one GPU. /dev/kfd is not among them: it stands once, for
// every device.
func edits(m *machine.Machine, g machine.GPU, w Wish) (specs.ContainerEdits, error) {
	if !g.RenderNode.Known() {
		return specs.ContainerEdits{}, fmt.Errorf("the render node of %s is not known; rocsmith doctor says more", g.Label())
	}
	render := nodeAt(m.RenderNodes, g.RenderNode.Value)
	nodes := []machine.Node{render}
	if w.Cards && g.CardNode.Known() {
		nodes = append(nodes, nodeAt(m.Cards, g.CardNode.Value))
	}
	var e specs.ContainerEdits
	for _, n := range nodes {
		d, err := describe(n)
		if err != nil {
			return e, err
		}
		e.DeviceNodes = append(e.DeviceNodes, d)
	}
	if w.Groups {
		e.AdditionalGIDs = groups(nodes...)
	}
	return e, nil
}

func nodeAt(list machine.Fact[[]machine.Node], path string) machine.Node {
	for _, n := range list.Value {
		if n.Path == path {
			return n
		}
	}
	if list.Unread() {
		return machine.Node{Path: path, Stat: machine.Unknown[machine.NodeStat](list.From, list.Why)}
	}
	return machine.Node{Path: path, Stat: machine.Missing[machine.NodeStat](list.From)}
}

// describe writes a node with its rights: without them podman 4 gives the node in
// the container to the user of the container, with mode 0666. Its numbers are left
// out, because that of /dev/kfd is handed out at every start; engines then ask the
// node itself.
func describe(n machine.Node) (*specs.DeviceNode, error) {
	switch {
	case n.Stat.Absent():
		return nil, fmt.Errorf("%s is not there; rocsmith doctor says why", n.Path)
	case !n.Stat.Known():
		return nil, fmt.Errorf("%s could not be read: %s", n.Path, n.Stat.Why)
	case !n.Stat.Value.IsDevice():
		return nil, fmt.Errorf("%s is no device; rocsmith doctor says more", n.Path)
	}
	st := n.Stat.Value
	mode := st.Mode & fs.ModePerm
	return &specs.DeviceNode{Path: n.Path, FileMode: &mode, UID: &st.UID, GID: &st.GID}, nil
}

// groups are those without which a stranger may not open the nodes.
func groups(nodes ...machine.Node) []uint32 {
	var out []uint32
	for _, n := range nodes {
		if gid, needed := n.GroupFor(machine.Stranger); needed && !slices.Contains(out, gid) {
			out = append(out, gid)
		}
	}
	return out
}
