package rocm

import (
	"slices"
	"strings"
)

// Parameter is a parameter of a kernel module. Module "kernel" is the kernel command line itself.
type Parameter struct {
	Module, Name string
	Default      string // in words
	Auto         string // what the default -1 means on which GPU
	Values       string
	Meaning      string
	Danger       string
	Tool         string // a program that sets it
	Note         string
	Text         bool // its value is no number

	Initial  string             // the value that the module starts with; -1 lets the driver choose
	Defaults []ParameterDefault // what the driver chooses
	Says     map[string]string  // what single values mean
	ActsOn   []string           `json:"acts_on"` // beginnings of gfx names; empty where it acts on all

	Deprecated      string // why; empty where it is not
	Successor       string // module.name
	SuccessorDKMS   string `json:"successor_dkms"`   // under AMD's driver package
	SuccessorFactor int    `json:"successor_factor"` // from its unit to the successor's
	Cautions        []ParameterCaution
	Provenance
}

// ParameterDefault is what the driver chooses for some GPUs, on the kernels from one version on and before another.
type ParameterDefault struct {
	Gfx         []string // beginnings of gfx names
	Value       string
	From, Below string
}

// ParameterCaution is a value that does harm.
type ParameterCaution struct {
	Value       string
	Gfx         []string // beginnings of gfx names; empty for all
	Spares      []string // GPUs that gain by it, on kernels before SparesBelow
	SparesBelow string   `json:"spares_below"`
	Why         string
}

// Parameters are the module parameters that matter for compute.
func Parameters() []Parameter { return slices.Clone(knownLinux().parameters) }

// LookupParameter finds a parameter, such as amdgpu and cwsr_enable.
func LookupParameter(module, name string) (Parameter, bool) {
	return find(knownLinux().parameters, func(p Parameter) bool { return p.Module == module && p.Name == name })
}

// DefaultOf is what a parameter of amdgpu is on a GPU when nobody sets it. The kernel is that of uname -r; without one,
// as under AMD's driver package, only what holds for every kernel is told.
func DefaultOf(name, gfx, kernel string) (value string, ok bool) {
	p, ok := LookupParameter("amdgpu", name)
	if !ok {
		return "", false
	}
	return p.DefaultOn(gfx, kernel)
}

// DefaultOn is the value on a GPU when nobody sets it. It is not ok where the driver chooses, and what it chooses is not
// known.
func (p Parameter) DefaultOn(gfx, kernel string) (value string, ok bool) {
	for _, d := range p.Defaults {
		if begins(gfx, d.Gfx) && d.holdsOn(kernel) {
			return d.Value, true
		}
	}
	if p.Initial == "" || p.Initial == "-1" {
		return "", false
	}
	return p.Initial, true
}

// NextDefault is the default that a later kernel has for a GPU in place of today's, and the kernel it comes with.
func (p Parameter) NextDefault(gfx, kernel string) (value, from string, ok bool) {
	now, known := p.DefaultOn(gfx, kernel)
	for _, d := range p.Defaults {
		if known && kernel != "" && begins(gfx, d.Gfx) && d.From != "" && CompareKernel(kernel, d.From) < 0 && d.Value != now {
			return d.Value, d.From, true
		}
	}
	return "", "", false
}

func (d ParameterDefault) holdsOn(kernel string) bool {
	if kernel == "" {
		return d.From == "" && d.Below == ""
	}
	return (d.From == "" || CompareKernel(kernel, d.From) >= 0) && (d.Below == "" || CompareKernel(kernel, d.Below) < 0)
}

// Reaches reports whether the parameter acts on a GPU at all.
func (p Parameter) Reaches(gfx string) bool { return len(p.ActsOn) == 0 || begins(gfx, p.ActsOn) }

// Caution says why a value does harm on a GPU.
func (p Parameter) Caution(value, gfx, kernel string) (why string, ok bool) {
	for _, c := range p.Cautions {
		spared := begins(gfx, c.Spares) && kernel != "" && CompareKernel(kernel, c.SparesBelow) < 0
		if SameParameterValue(c.Value, value) && (len(c.Gfx) == 0 || begins(gfx, c.Gfx)) && !spared {
			return c.Why, true
		}
	}
	return "", false
}

// Meant is what a value means in words, or "".
func (p Parameter) Meant(value string) string {
	for v, text := range p.Says {
		if SameParameterValue(v, value) {
			return text
		}
	}
	return ""
}

func begins(gfx string, beginnings []string) bool {
	return gfx != "" && slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(gfx, b) })
}
