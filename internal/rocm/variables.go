package rocm

import (
	"slices"
	"strings"
	"sync"
)

// Variable is an environment variable that ROCm or a framework on top of it reads.
type Variable struct {
	Name     string // may end in <node>, which stands for a KFD node number
	Layer    string // which part reads it
	Platform string
	Default  string
	Values   string
	Meaning  string
	Danger   string
	Provenance
}

// FilterLayer is a place where GPUs are hidden from a process.
type FilterLayer struct {
	Order     int // lower acts first; later layers count what earlier ones left
	Variables []string
	Applies   string
	Note      string
	Provenance
}

// variableRow is a row of the table: several names may share one description.
type variableRow struct {
	Names    words `json:"name"`
	Layer    string
	Platform string
	Default  string
	Values   string
	Meaning  string
	Danger   string
	Provenance
}

func (r variableRow) named(name string) Variable {
	return Variable{
		Name:       name,
		Layer:      r.Layer,
		Platform:   r.Platform,
		Default:    r.Default,
		Values:     r.Values,
		Meaning:    r.Meaning,
		Danger:     r.Danger,
		Provenance: r.Provenance,
	}
}

type variableTable struct {
	variables []Variable
	layers    []FilterLayer
}

// variableFile is the embedded table.
type variableFile struct {
	Layers    []FilterLayer `json:"filter_layers"`
	Variables []variableRow
}

var knownVariables = sync.OnceValue(loadVariables)

func loadVariables() variableTable {
	file := load[variableFile]("env")
	t := variableTable{layers: file.Layers}
	for _, r := range file.Variables {
		for _, name := range r.Names {
			t.variables = append(t.variables, r.named(name))
		}
	}
	return t
}

// Variables are all known environment variables.
func Variables() []Variable { return slices.Clone(knownVariables().variables) }

// variableNames is made from the table: a look at a machine asks for each name, and for more only where one is set.
type variableNames struct{ Names []string }

var knownVariableNames = sync.OnceValue(func() []string { return load[variableNames]("env_index").Names })

// VariableNames are the names of all known environment variables.
func VariableNames() []string { return slices.Clone(knownVariableNames()) }

// nodePlaceholder stands for a KFD node number at the end of a name.
const nodePlaceholder = "<node>"

// LookupVariable finds a variable by the name a process has it under; HSA_OVERRIDE_GFX_VERSION_1 is the form for one
// KFD node.
func LookupVariable(name string) (Variable, bool) {
	return find(knownVariables().variables, func(v Variable) bool {
		if v.Name == name {
			return true
		}
		prefix, perNode := strings.CutSuffix(v.Name, nodePlaceholder)
		node, ok := strings.CutPrefix(name, prefix)
		return perNode && ok && isNumber(node)
	})
}

// DeviceFilterLayers are the variables that hide GPUs, in the order in which they act.
func DeviceFilterLayers() []FilterLayer { return slices.Clone(knownVariables().layers) }
