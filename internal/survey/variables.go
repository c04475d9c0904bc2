package survey

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// stackPrefixes begin the names that only ROCm's own components use, so all
// variables with them are of interest, the misspelt ones too. Other variables
// are asked for by name: nobody's keys and tokens are looked at.
var stackPrefixes = []string{"HSA_", "HSAKMT_", "ROCR_", "HIP_", "HIPRTC_", "MIOPEN_", "ROCBLAS_", "HIPBLASLT_", "TENSILE_", "RCCL_"}

func variables(r host.Reader) machine.Fact[[]machine.Variable] {
	const from = "environment"
	var found []machine.Variable
	for _, prefix := range stackPrefixes {
		vars, err := r.Environ(prefix)
		if err != nil {
			return machine.Unknown[[]machine.Variable](from, reason(err))
		}
		for _, v := range vars {
			found = append(found, machine.Variable(v))
		}
	}
	for _, name := range otherNames() {
		value, set, err := r.Getenv(name)
		if err != nil {
			return machine.Unknown[[]machine.Variable](from, reason(err))
		}
		if set {
			found = append(found, machine.Variable{Name: name, Value: value})
		}
	}
	slices.SortFunc(found, func(a, b machine.Variable) int { return strings.Compare(a.Name, b.Name) })
	return machine.Know(found, from)
}

func otherNames() []string {
	var names []string
	for _, v := range rocm.Variables() {
		ours := slices.ContainsFunc(stackPrefixes, func(p string) bool { return strings.HasPrefix(v.Name, p) })
		if !ours {
			names = append(names, v.Name)
		}
	}
	return names
}
