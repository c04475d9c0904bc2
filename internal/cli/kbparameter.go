package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// parameterModules are the modules whose parameters matter here, in the order in
// which a bare name is looked for.
var parameterModules = []string{"amdgpu", "ttm", "amdttm", "kernel"}

func lookParameter(args []string) ([]entry, error) {
	name, gfx := strings.ReplaceAll(args[0], "-", "_"), ""
	modules := parameterModules
	if module, rest, found := strings.Cut(name, "."); found {
		modules, name = []string{module}, rest
	}
	if len(args) == 2 {
		gfx = strings.ToLower(args[1])
		if _, ok := rocm.LookupTarget(gfx); !ok {
			return nil, fmt.Errorf("no target is called %q; names look like gfx1100", args[1])
		}
	}
	var out []entry
	for _, module := range modules {
		kernels, known := rocm.KnownParameterName(module, name)
		if !known || rocm.IsModuleWide(name) && len(out) > 0 {
			continue
		}
		row, _ := rocm.LookupParameter(module, name)
		out = append(out, parameterEntry(module+"."+name, row, kernels, gfx))
	}
	if len(out) > 0 {
		return out, nil
	}
	if module, near, ok := rocm.NearestParameter(modules[0], name); ok {
		return nil, fmt.Errorf("no parameter is called %q; %s.%s is close", args[0], module, near)
	}
	return nil, fmt.Errorf("no parameter is called %q; /sys/module/amdgpu/parameters lists those of the running driver", args[0])
}

// parameterEntry shows a row, or where there is none only that the name exists.
func parameterEntry(title string, p rocm.Parameter, kernels []string, gfx string) entry {
	effect := ""
	if gfx != "" {
		title += " on " + gfx
		if !p.Reaches(gfx) {
			effect = fmt.Sprintf("none on %s; it acts on %s", gfx, strings.Join(p.ActsOn, ", "))
		}
	}
	successor := p.Successor
	if p.SuccessorDKMS != "" {
		successor += ", under AMD's driver package " + p.SuccessorDKMS
	}
	fields := []field{
		{"meaning", p.Meaning}, {"values", p.Values}, {"default", defaults(p, gfx)}, {"by gpu", p.Auto}, {"effect", effect}, {"danger", p.Danger},
		{"deprecated", p.Deprecated}, {"successor", successor}, {"tool", p.Tool}, {"note", p.Note}, {"seen in", strings.Join(kernels, ", ")},
	}
	if p.Name == "" {
		return entry{title, append(fields, field{"note", "nothing more is known of it that matters for compute"})}
	}
	return entry{title, append(fields, sourceFields(p.Provenance)...)}
}

// defaults are the values on one GPU, with the kernels that have them; without
// a GPU, or where none is known for it, the words of the table.
func defaults(p rocm.Parameter, gfx string) string {
	var out []string
	for _, d := range p.Defaults {
		if !slices.ContainsFunc(d.Gfx, func(b string) bool { return gfx != "" && strings.HasPrefix(gfx, b) }) {
			continue
		}
		switch {
		case d.From != "" && d.Below != "":
			out = append(out, fmt.Sprintf("%s (kernel %s up to before %s)", d.Value, d.From, d.Below))
		case d.From != "":
			out = append(out, fmt.Sprintf("%s (from kernel %s on)", d.Value, d.From))
		default:
			out = append(out, d.Value)
		}
	}
	if len(out) == 0 {
		return p.Default
	}
	return strings.Join(out, ", ")
}
