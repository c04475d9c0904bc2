package rocm

import (
	"fmt"
	"slices"
)

// Target is one instruction set a GPU can have.
type Target struct {
	Gfx               string
	ELF               uint8 // the processor number in the e_flags of a code object
	Generation        string
	Kind              string // dgpu, apu, or empty where no product is known
	Generic           string // the generic target it belongs to, or empty
	GenericMinVersion int    `json:"generic_min_version"` // the version of the generic target in which it joined
	XNACK             bool   // the setting exists on this target
	SRAMECC           bool
	Wavefront         int
	Chips             []string
	Status            string // empty, future, or compiler-only
	Note              string
	Provenance
}

// Generic is a target whose code runs on several GPUs.
type Generic struct {
	Name         string
	ELF          uint8
	Members      []string
	Restrictions []string // what code for it must do without
	Version      int      // the newest version known
	Note         string
	Provenance
}

// ipVersion is the GC version of the IP discovery table and the target the kernel makes of it.
type ipVersion struct {
	GC, Gfx, Note string
	Provenance
}

// statement is one sentence with its source.
type statement struct {
	Text string
	Provenance
}

// targetFile is the table.
type targetFile struct {
	Targets   []Target
	Generics  []Generic
	IPs       []ipVersion   `json:"gc_ip"`
	Rules     overrideRules `json:"override_rules"`
	Overrides []overrideRow
}

// overrideRules are what is said of every override.
type overrideRules struct {
	Caution    statement
	OtherMajor statement `json:"other_major"`
}

// Targets are all known targets, by version.
func Targets() []Target { return slices.Clone(targetData.Targets) }

// LookupTarget finds a target by its gfx name.
func LookupTarget(gfx string) (Target, bool) {
	return find(targetData.Targets, func(t Target) bool { return t.Gfx == gfx })
}

// Generics are all known generic targets.
func Generics() []Generic { return slices.Clone(targetData.Generics) }

// LookupGeneric finds a generic target by name, such as gfx11-generic.
func LookupGeneric(name string) (Generic, bool) {
	return find(targetData.Generics, func(g Generic) bool { return g.Name == name })
}

// ProcessorOfELF names the processor, generic ones included, that a code object's e_flags give as number.
func ProcessorOfELF(number uint8) (name string, ok bool) {
	if t, ok := find(targetData.Targets, func(t Target) bool { return t.ELF == number }); ok {
		return t.Gfx, true
	}
	g, ok := find(targetData.Generics, func(g Generic) bool { return g.ELF == number })
	return g.Name, ok
}

// GfxOfIP is the target of a GPU by the GC version in its IP discovery table. The two numbers need not agree:
// GC 11.0.3 is gfx1101.
func GfxOfIP(major, minor, revision int) (gfx string, ok bool) {
	gc := fmt.Sprintf("%d.%d.%d", major, minor, revision)
	ip, ok := find(targetData.IPs, func(ip ipVersion) bool { return ip.GC == gc })
	return ip.Gfx, ok
}

// FamilyOf is the generic target a GPU belongs to, or its own name when it belongs to none.
func FamilyOf(gfx string) string {
	if t, ok := LookupTarget(gfx); ok && t.Generic != "" {
		return t.Generic
	}
	return gfx
}

func find[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}
