package rocm

import (
	"fmt"
	"strings"
	"sync"
)

// Vendor is the PCI vendor id of AMD's GPUs.
const Vendor = 0x1002

// Product is a GPU as it is sold.
type Product struct {
	Vendor, Device string // PCI ids, "1002" and "744c"; empty for an entry that is known by name only
	Name           string // "Radeon RX 7900 XTX"
	Chip           string // "Navi 31"; several names for one chip are separated by " / "
	Codename       string // what pci.ids calls this device
	Gfx            string
	Generation     string
	Kind           string // dgpu or apu
	Provenance
}

// chip is one piece of silicon and the PCI devices made of it.
type chip struct {
	Chip       string
	Kernel     string // the name the driver uses
	Gfx        string
	Generation string
	Kind       string
	TheRock    string `json:"therock"` // the family of TheRock builds that includes it
	Examples   []string
	Note       string
	Devices    []device
	Provenance
}

type device struct {
	ID    string
	PCI   string            // the name in pci.ids, often "Codename [marketing names]"
	Kind  string            // where it differs from the chip's: MI300A is an apu
	From  string            // how the device came to its gfx
	Names map[string]string // marketing name to the PCI revisions that carry it
}

// apuProduct is a processor with a GPU in it.
type apuProduct struct {
	Product, IGPU, Codename, Gfx string
	Provenance
}

type productTable struct {
	chips    []chip
	apus     []apuProduct
	byDevice map[string]deviceOfChip
}

type deviceOfChip struct {
	device device
	chip   chip
}

// productFile is the embedded table.
type productFile struct {
	Chips []chip
	APUs  []apuProduct `json:"apu_products"`
}

var knownProducts = sync.OnceValue(loadProducts)

func loadProducts() productTable {
	file := load[productFile]("gpus")
	t := productTable{
		chips:    file.Chips,
		apus:     file.APUs,
		byDevice: map[string]deviceOfChip{},
	}
	for _, c := range t.chips {
		for _, d := range c.Devices {
			t.byDevice[d.ID] = deviceOfChip{d, c}
		}
	}
	return t
}

// LookupPCI finds a GPU by its PCI ids. The device id selects the chip, the revision only the name. A GPU that the
// table lacks is not guessed.
func LookupPCI(vendor, device, revision uint16) (Product, bool) {
	if vendor != Vendor {
		return Product{}, false
	}
	found, ok := knownProducts().byDevice[fmt.Sprintf("%04x", device)]
	if !ok {
		return Product{}, false
	}
	return found.named(found.device.nameOf(revision)), true
}

// named is the product of a device under one of its marketing names; without a name it takes the best other one.
func (d deviceOfChip) named(name string) Product {
	codename, bracket := splitPCIName(d.device.PCI)
	return Product{
		Vendor:     fmt.Sprintf("%04x", Vendor),
		Device:     d.device.ID,
		Name:       firstOf(name, bracket, codename, d.chip.Chip),
		Chip:       d.chip.Chip,
		Codename:   firstOf(codename, d.chip.Chip),
		Gfx:        d.chip.Gfx,
		Generation: d.chip.Generation,
		Kind:       firstOf(d.device.Kind, d.chip.Kind),
		Provenance: d.chip.Provenance,
	}
}

func (d device) nameOf(revision uint16) string {
	want := fmt.Sprintf("%02x", revision)
	for name, revisions := range d.Names {
		for r := range strings.FieldsSeq(revisions) {
			if r == want {
				return name
			}
		}
	}
	return ""
}

// splitPCIName parts the form of pci.ids, "Navi 31 [Radeon RX 7900 XT/7900 XTX]".
func splitPCIName(name string) (codename, marketing string) {
	codename, marketing, ok := strings.Cut(name, " [")
	if !ok {
		return name, ""
	}
	return codename, strings.TrimSuffix(marketing, "]")
}

func firstOf(candidates ...string) string {
	for _, c := range candidates {
		if c != "" {
			return c
		}
	}
	return ""
}
