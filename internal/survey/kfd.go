package survey

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

const topologyNodes = "/sys/class/kfd/kfd/topology/nodes"

// A kfdNode is one node of the compute topology.
type kfdNode struct {
	number int
	dir    string
	props  map[string]uint64
	why    string // why the properties could not be read
	hidden bool   // the device cgroup keeps this node from us
}

// isGPU follows the kernel: a node with SIMDs computes. gpu_id stands in where
// the properties are damaged.
func (n kfdNode) isGPU(r host.Reader) bool {
	if n.why == "" {
		return n.props["simd_count"] > 0
	}
	id := number[uint64](r, n.dir+"/gpu_id")
	return !id.Absent() && (id.Unread() || id.Value != 0)
}

func (n kfdNode) fact(key string) (uint64, machine.Source, bool) {
	v, ok := n.props[key]
	return v, machine.Source(n.dir + "/properties"), ok
}

// address is the place on the PCI bus. The upper bits of location_id number the
// partitions of a card.
func (n kfdNode) address() string {
	loc := n.props["location_id"]
	return fmt.Sprintf("%04x:%02x:%02x.%x", n.props["domain"], loc>>8&0xff, loc>>3&0x1f, loc&7)
}

// topology reads all nodes; the fact counts those that could be listed.
func topology(r host.Reader) ([]kfdNode, machine.Fact[int]) {
	names := list(r, topologyNodes)
	if !names.Known() {
		return nil, machine.Fact[int]{State: names.State, From: names.From, Why: names.Why}
	}
	var found []kfdNode
	for _, name := range names.Value {
		if number, err := strconv.Atoi(name); err == nil && number >= 0 {
			found = append(found, readNode(r, number))
		}
	}
	slices.SortFunc(found, func(a, b kfdNode) int { return a.number - b.number })
	return found, machine.Know(len(found), topologyNodes)
}

func readNode(r host.Reader, number int) kfdNode {
	n := kfdNode{number: number, dir: path.Join(topologyNodes, strconv.Itoa(number))}
	data, err := r.ReadFile(n.dir + "/properties")
	switch {
	case host.ErrnoOf(err) == host.EPERM:
		n.hidden = true
	case err != nil:
		n.why = reason(err)
	default:
		n.props = parseProperties(string(data))
		if _, ok := n.props["simd_count"]; !ok {
			n.why = "the properties are not in the form we know"
		}
	}
	return n
}

// parseProperties reads "name number" lines; other lines are skipped, so that
// an unreadable value ("N/A") is a missing one.
func parseProperties(s string) map[string]uint64 {
	props := map[string]uint64{}
	for line := range strings.Lines(s) {
		key, value, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}
		if v, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); err == nil {
			props[key] = v
		}
	}
	return props
}

// heapFrameBuffer are the heap types that are memory of the GPU, CPU-visible or
// not (hsakmttypes.h).
var heapFrameBuffer = []uint64{1, 2}

func (n kfdNode) memory(r host.Reader) machine.Fact[int64] {
	dir := n.dir + "/mem_banks"
	banks := list(r, dir)
	if !banks.Known() {
		return machine.Fact[int64]{State: banks.State, From: banks.From, Why: banks.Why}
	}
	var sum uint64
	for _, b := range banks.Value {
		p := parseProperties(text(r, path.Join(dir, b, "properties")).Value)
		if slices.Contains(heapFrameBuffer, p["heap_type"]) {
			sum += p["size_in_bytes"]
		}
	}
	size, fits := narrow[int64](sum)
	if !fits {
		return machine.Unknown[int64](machine.Source(dir), fmt.Sprintf("the sizes add up to %d", sum))
	}
	return machine.Know(size, machine.Source(dir))
}

// hostLink returns the flags of the link to a processor. Links to the host come
// first; a server with many GPUs has dozens of others, which do not matter.
func (n kfdNode) hostLink(r host.Reader, isCPU func(node int) bool) machine.Fact[uint32] {
	dir := n.dir + "/io_links"
	links := list(r, dir)
	if !links.Known() {
		return machine.Fact[uint32]{State: links.State, From: links.From, Why: links.Why}
	}
	const most = 4
	for _, l := range links.Value[:min(most, len(links.Value))] {
		file := path.Join(dir, l, "properties")
		p := parseProperties(text(r, file).Value)
		to, ok := narrow[int](p["node_to"])
		flags, fits := narrow[uint32](p["flags"])
		_, known := p["flags"]
		if ok && fits && known && isCPU(to) {
			return machine.Know(flags, machine.Source(file))
		}
	}
	return machine.Missing[uint32](machine.Source(dir))
}
