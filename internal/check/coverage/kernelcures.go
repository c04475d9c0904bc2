package coverage

import (
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// kernelRemedies are ways to kernels for a GPU, as they fit the installation.
func kernelRemedies(q question) []remedy.Remedy {
	if q.folder.Owner == "" {
		return []remedy.Remedy{cure.For(q.m, "env-unset", cure.Values{"name": q.folder.Variable})}
	}
	out := ownTorch(q.m, q.gfx)
	i, _ := q.m.Installation(q.folder.Owner)
	if i.How == machine.HowAMDPackages || i.How == machine.HowUnpackaged {
		out = append(out, cure.For(q.m, "distribution-rocblas", cure.Values{"gfx": q.gfx}))
	}
	if r, ok := siblingRemedy(q); ok {
		out = append(out, r)
	}
	if len(out) == 0 {
		want := "use a build that holds " + q.gfx + ": your distribution's packages, or your own build of rocBLAS with -DAMDGPU_TARGETS=" + q.gfx
		out = append(out, cure.For(q.m, "rocm-for-gpu", cure.Values{"gfx": q.gfx, "want": want}))
	}
	return out
}

// siblingRemedy lets the GPU run the code of a sibling in this very folder. An
// override that is already set did not help.
func siblingRemedy(q question) (remedy.Remedy, bool) {
	if _, set := q.m.Override(q.gpu); set || q.m.OS == "windows" {
		return remedy.Remedy{}, false
	}
	for _, sibling := range q.held() {
		value, ok := rocm.OverrideValue(sibling)
		if !ok || sibling == q.gfx {
			continue
		}
		if o, err := rocm.JudgeOverride(q.gfx, value); err == nil && o.Verdict == rocm.OverrideSameFamily {
			why := "let it run the kernels for " + sibling + "; results are then under override"
			return cure.For(q.m, "set-variable", cure.Values{"name": machine.OverrideVariable, "value": value, "why": why}), true
		}
	}
	return remedy.Remedy{}, false
}
