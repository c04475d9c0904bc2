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
	found = append(found, laterVariables(r)...)
	slices.SortFunc(found, func(a, b machine.Variable) int { return strings.Compare(a.Name, b.Name) })
	return machine.Know(found, from)
}

func otherNames() []string {
	var names []string
	for _, name := range rocm.VariableNames() {
		if !hasPrefix(stackPrefixes, name) {
			names = append(names, name)
		}
	}
	return names
}

// laterPrefixes joined the list after snapshots had been taken. A snapshot that
// was not asked for them is as good as before.
var laterPrefixes = []string{"HIPBLAS_", "ROCFFT_", "PYTORCH_", "NCCL_"}

// laterVariables asks for what has a word in the rules or a later prefix, and
// was not asked for above. Who cannot answer is passed over.
func laterVariables(r host.Reader) []machine.Variable {
	asked := otherNames()
	var found []machine.Variable
	for _, prefix := range laterPrefixes {
		vars, _ := r.Environ(prefix)
		for _, v := range vars {
			if !slices.Contains(asked, v.Name) {
				found = append(found, machine.Variable(v))
			}
		}
	}
	for _, rule := range rocm.SettingRules() {
		for _, name := range rule.Names {
			if hasPrefix(stackPrefixes, name) || hasPrefix(laterPrefixes, name) || slices.Contains(asked, name) {
				continue
			}
			asked = append(asked, name)
			if value, set, err := r.Getenv(name); err == nil && set {
				found = append(found, machine.Variable{Name: name, Value: value})
			}
		}
	}
	return found
}

func hasPrefix(prefixes []string, name string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
