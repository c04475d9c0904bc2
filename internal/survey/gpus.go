package survey

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// gpus joins what KFD offers with what sits on the PCI bus: one entry for each
// KFD GPU node, then the GPUs that KFD does not offer.
func gpus(r host.Reader) (machine.Fact[[]machine.GPU], machine.Fact[int]) {
	nodes, count := topology(r)
	devices := pciGPUs(r)
	isCPU := func(number int) bool {
		i := slices.IndexFunc(nodes, func(n kfdNode) bool { return n.number == number })
		return i >= 0 && nodes[i].props["cpu_cores_count"] > 0
	}

	found := []machine.GPU{}
	offered := map[string]bool{}
	var damaged []kfdNode
	for _, n := range nodes {
		switch {
		case n.hidden:
			n.why = machine.HiddenByCgroup
			damaged = append(damaged, n)
		case !n.isGPU(r):
		case n.why != "":
			damaged = append(damaged, n)
		default:
			g := offeredGPU(r, n, devices.Value)
			g.HostLink = n.hostLink(r, isCPU)
			offered[g.Address] = true
			found = append(found, g)
		}
	}
	for _, d := range devices.Value {
		if !offered[d.address] {
			found = append(found, notOfferedGPU(r, d, damaged))
		}
	}
	if len(found) == 0 && len(damaged) > 0 {
		found = append(found, damagedGPU(damaged[0]))
	}
	if len(found) == 0 && !devices.Known() {
		return machine.Fact[[]machine.GPU]{From: devices.From, Why: cmp.Or(devices.Why, "there is no list of PCI devices")}, count
	}
	return machine.Know(found, "KFD topology and PCI bus"), count
}

// notOfferedGPU describes a GPU that no readable node stands for. A node that
// cannot be read may be the one.
func notOfferedGPU(r host.Reader, d pciDevice, damaged []kfdNode) machine.GPU {
	g := d.gpu(r)
	if g.Vendor == machine.AMD && len(damaged) > 0 {
		g.Node = damagedGPU(damaged[0]).Node
	}
	return g
}

// damagedGPU is what a node tells whose properties cannot be read: a GPU.
func damagedGPU(n kfdNode) machine.GPU {
	from := machine.Source(n.dir + "/properties")
	return machine.GPU{Vendor: machine.AMD, Node: machine.Unknown[int](from, n.why), Gfx: machine.Unknown[string](from, n.why)}
}

// offeredGPU describes a GPU from its KFD node, with the PCI bus filling in.
func offeredGPU(r host.Reader, n kfdNode, devices []pciDevice) machine.GPU {
	g := nodeOnly(n)
	if i := slices.IndexFunc(devices, func(d pciDevice) bool { return d.address == n.address() }); i >= 0 {
		g = devices[i].gpu(r)
	}
	props := machine.Source(n.dir + "/properties")
	g.Node = machine.Know(n.number, machine.Source(n.dir))
	if v, from, ok := n.fact("gfx_target_version"); ok && v != 0 {
		g.Gfx = gfxOf(v, from)
	} else if g.Gfx.Known() {
		g.Gfx.Why = "this kernel does not name it; inferred from the PCI id"
	}
	if minor, from, ok := n.fact("drm_render_minor"); ok && minor > 0 {
		g.RenderNode = machine.Know(fmt.Sprintf("/dev/dri/renderD%d", minor), from)
	}
	if id, from, ok := n.fact("unique_id"); ok && id != 0 {
		g.UniqueID = machine.Know(id, from)
	}
	if per := n.props["simd_per_cu"]; per > 0 {
		if cus, fits := narrow[int](n.props["simd_count"] / per); fits {
			g.CUs = machine.Know(cus, props)
		}
	}
	// A partition owns a part of the card's memory, which only KFD knows; of an
	// integrated GPU the graphics driver tells the carve-out.
	g.Offered = n.memory(r)
	if own := g.Offered; own.Known() && own.Value > 0 && (g.Kind != machine.Integrated || !g.VRAM.Known()) {
		g.VRAM = own
	}
	return g
}

func gfxOf(version uint64, from machine.Source) machine.Fact[string] {
	if v, fits := narrow[int](version); fits {
		if gfx, ok := rocm.GfxOfTargetVersion(v); ok {
			return machine.Know(gfx, from)
		}
	}
	return machine.Unknown[string](from, fmt.Sprintf("gfx_target_version is %d", version))
}

// nodeOnly names a GPU whose PCI device cannot be seen, as in some containers.
func nodeOnly(n kfdNode) machine.GPU {
	d := pciDevice{address: n.address()}
	d.vendor, _ = narrow[uint16](n.props["vendor_id"])
	d.device, _ = narrow[uint16](n.props["device_id"])
	g := d.named()
	g.Bound = machine.Unknown[string](machine.Source(pciDir), "the PCI device is not visible here")
	return g
}

// A pciDevice is a GPU on the PCI bus.
type pciDevice struct {
	address                  string
	dir                      string
	vendor, device, revision uint16
}

const pciDir = "/sys/bus/pci/devices"

// pciGPUs lists display controllers, and AMD's accelerators, which have a class
// of their own.
func pciGPUs(r host.Reader) machine.Fact[[]pciDevice] {
	names := list(r, pciDir)
	if !names.Known() {
		return machine.Fact[[]pciDevice]{State: names.State, From: names.From, Why: names.Why}
	}
	var found []pciDevice
	for _, name := range names.Value {
		dir := path.Join(pciDir, name)
		class := number[uint32](r, dir+"/class")
		const display, accelerator = 0x03, 0x12
		if base := class.Value >> 16; base != display && base != accelerator {
			continue
		}
		d := pciDevice{
			address: name, dir: dir,
			vendor:   number[uint16](r, dir+"/vendor").Value,
			device:   number[uint16](r, dir+"/device").Value,
			revision: number[uint16](r, dir+"/revision").Value,
		}
		if class.Value>>16 == display || d.vendor == vendorAMD {
			found = append(found, d)
		}
	}
	return machine.Know(found, pciDir)
}

const vendorAMD = 0x1002

var vendors = map[uint16]string{vendorAMD: machine.AMD, 0x10de: "nvidia", 0x8086: "intel"}

// named is what the ids alone tell.
func (d pciDevice) named() machine.GPU {
	g := machine.GPU{
		Vendor:  cmp.Or(vendors[d.vendor], strconv.FormatUint(uint64(d.vendor), 16)),
		Address: d.address,
		PCIID:   fmt.Sprintf("%04x:%04x", d.vendor, d.device),
	}
	product, ok := rocm.LookupPCI(d.vendor, d.device, d.revision)
	if !ok {
		if d.vendor == vendorAMD {
			g.Gfx = machine.Unknown[string]("PCI id "+machine.Source(g.PCIID), "this PCI id is not in our table")
		}
		return g
	}
	g.Name, g.Kind = product.Name, product.Kind
	g.Gfx = machine.Know(product.Gfx, "PCI id "+machine.Source(g.PCIID))
	g.Gfx.Why = "inferred from the PCI id"
	return g
}

// gpu adds what the drivers put into the device's directory.
func (d pciDevice) gpu(r host.Reader) machine.GPU {
	g := d.named()
	g.Bound = boundDriver(r, d.dir)
	if g.Vendor != machine.AMD {
		return g
	}
	g.Node = machine.Missing[int](topologyNodes)
	g.VRAM = number[int64](r, d.dir+"/mem_info_vram_total")
	g.GTT = number[int64](r, d.dir+"/mem_info_gtt_total")
	g.UniqueID = hex(r, d.dir+"/unique_id")
	g.Firmware = firmware(r, d.dir)
	for _, n := range matching(r, d.dir+"/drm", "renderD*") {
		g.RenderNode = machine.Know("/dev/dri/"+path.Base(n), machine.Source(n))
	}
	for _, n := range matching(r, d.dir+"/drm", "card*") {
		g.CardNode = machine.Know("/dev/dri/"+path.Base(n), machine.Source(n))
	}
	return g
}

func boundDriver(r host.Reader, dir string) machine.Fact[string] {
	target, err := r.ReadLink(dir + "/driver")
	if err != nil {
		return failed[string](dir+"/driver", err)
	}
	return machine.Know(path.Base(target), machine.Source(dir+"/driver"))
}
