package coverage

import (
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// kernelRemedies are ways to kernels for a GPU, as they fit the installation.
func kernelRemedies(q question, elsewhere bool) []remedy.Remedy {
	if q.folder.Owner == "" {
		return []remedy.Remedy{cure.For(q.m, "env-unset", cure.Values{"name": q.folder.Variable})}
	}
	i, _ := q.m.Installation(q.folder.Owner)
	out := append(communityRemedy(q, i), ownTorch(q.m, q.gfx)...)
	if i.How == machine.HowAMDPackages || i.How == machine.HowUnpackaged {
		out = append(out, cure.For(q.m, "distribution-rocblas", cure.Values{"gfx": q.gfx}))
	}
	if r, ok := siblingRemedy(q); ok {
		out = append(out, r)
	}
	if len(out) == 0 {
		want := "use a build that holds " + q.gfx + ", or your own build of rocBLAS with -DAMDGPU_TARGETS=" + q.gfx
		if elsewhere {
			want = "use the installation here that has kernels for " + q.gfx
		}
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

// communityRemedy names kernels that others built for this SDK of Windows.
func communityRemedy(q question, i machine.Installation) []remedy.Remedy {
	if i.How != machine.HowHIPSDK {
		return nil
	}
	sdk, known := rocm.LookupWindowsSDK(i.Version)
	offer, offered := rocm.CommunityKernelsFor(sdk.SDK, q.gfx)
	if !known || !offered {
		return nil
	}
	values := cure.Values{"gfx": q.gfx, "project": offer.Project, "release": "HIP SDK " + sdk.Release, "library": q.folder.Path, "dll": i.Path + `\bin\rocblas.dll`, "names": "", "what": "the archive for " + q.gfx}
	switch {
	case offer.Archive != "":
		values["what"] = offer.Archive
	case offer.Release != "":
		values["what"] += " of release " + offer.Release
	}
	if offer.InName {
		values["names"] = "; the names must carry xnack, as in Kernels.so-000-" + q.gfx + "-xnack-.hsaco, because Windows looks for " + q.gfx + ":xnack-"
	}
	return []remedy.Remedy{cure.For(q.m, "community-kernels", values)}
}

// withoutXnack says of kernels on Windows that their names lack what is looked
// for.
func withoutXnack(q question, t machine.KernelTarget) string {
	i, _ := q.m.Installation(q.folder.Owner)
	if i.How != machine.HowHIPSDK || t.Helpers.XnackOff > 0 {
		return ""
	}
	sdk, _ := rocm.LookupWindowsSDK(i.Version)
	offer, _ := rocm.CommunityKernelsFor(sdk.SDK, q.gfx)
	rule, known := rocm.LookupWindowsRule("xnack-names")
	if !offer.InName || !known {
		return ""
	}
	return rule.Text
}
