package coverage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// kernelRemedies are ways to kernels for a GPU, as they fit the installation. An
// installation that has them comes first.
func kernelRemedies(q question, better *question) []remedy.Remedy {
	if q.folder.Variable != "" {
		return []remedy.Remedy{cure.For(q.m, "env-unset", cure.Values{"name": q.folder.Variable})}
	}
	i, _ := q.m.Installation(q.folder.Owner)
	if other, instead := exchangeable(q, i, better); instead {
		return []remedy.Remedy{cure.For(q.m, "other-installation", cure.Values{"name": nameOf(other), "path": other.Path, "gfx": q.gfx})}
	}
	if damaged(q) {
		return []remedy.Remedy{wholeAgain(q)}
	}
	out := slices.Concat(communityRemedy(q, i), otherSDK(q, i), nativeTorch(q), distributionRemedy(q, i))
	if r, ok := siblingRemedy(q); ok {
		out = append(out, r)
	}
	if len(out) == 0 {
		want := "use a build that holds " + q.gfx + ", or your own build of rocBLAS with -DAMDGPU_TARGETS=" + q.gfx
		out = append(out, cure.For(q.m, "kernels-own-build", cure.Values{"gfx": q.gfx, "want": want}))
	}
	return out
}

// exchangeable finds the installation that programs can use instead. What comes in
// wheels loads its own libraries, and nobody else's.
func exchangeable(q question, i machine.Installation, better *question) (machine.Installation, bool) {
	if better == nil || inWheels(i) {
		return machine.Installation{}, false
	}
	other, known := q.m.Installation(better.folder.Owner)
	return other, known && !inWheels(other)
}

func inWheels(i machine.Installation) bool {
	return i.How == machine.HowTorchWheel || i.How == machine.HowWheels
}

// damaged reports an installation that should have the kernels: part of them is
// there, or the folder is gone, or AMD is known to have packed them.
func damaged(q question) bool {
	t := q.folder.Target(q.gfx)
	if q.folder.Listed.Absent() || t.Index.Count()+t.Code() > 0 {
		return true
	}
	_, lost := packed(q)
	return lost
}

// packed reports kernels that AMD's packages of this release hold.
func packed(q question) (rocm.Coverage, bool) {
	i, known := q.m.Installation(q.folder.Owner)
	row, read := rocm.KernelsPacked(q.folder.Library, i.Version, q.gfx)
	return row, known && read && row.Covered && i.How == machine.HowAMDPackages
}

// wholeAgain installs once more what lost files, the way it came.
func wholeAgain(q question) remedy.Remedy {
	i, _ := q.m.Installation(q.folder.Owner)
	_, lost := packed(q)
	absent := q.folder.Listed.Absent()
	switch {
	case i.How == machine.HowHIPSDK && absent:
		return cure.For(q.m, "hip-sdk-libraries", cure.Values{"sdk": i.SDKName(), "folder": folderAbove(q.folder.Path)})
	case i.How == machine.HowAMDPackages && (lost || absent):
		return cure.For(q.m, "reinstall-rocblas", nil)
	case inWheels(i), absent:
		return cure.For(q.m, "files-lost", cure.Values{"what": nameOf(i), "folder": q.folder.Path})
	}
	return cure.For(q.m, "one-kernel-set", cure.Values{"gfx": q.gfx, "folder": q.folder.Path})
}

func folderAbove(p string) string { return p[:max(0, strings.LastIndexAny(p, `/\`))] }

// nativeTorch offers wheels with code for the real GPU; under an override it must
// go, for it would hide that code.
func nativeTorch(q question) []remedy.Remedy {
	own := q.gpu.Gfx.Value
	w, ok := rocm.DeviceWheels(own)
	if v, set := q.m.Override(q.gpu); set && ok && own != q.gfx {
		return []remedy.Remedy{cure.For(q.m, "native-wheels-no-override", cure.Values{"gfx": own, "index": w.Index, "name": v.Name})}
	}
	return ownTorch(q.m, q.gfx)
}

// distributionRemedy names the distribution's rocBLAS, where it may hold the GPU.
// What Debian's holds is known.
func distributionRemedy(q question, i machine.Installation) []remedy.Remedy {
	if i.How != machine.HowAMDPackages && i.How != machine.HowUnpackaged {
		return nil
	}
	d := q.m.Distro.Value
	if debian := slices.Contains(append(d.Like, d.ID), "debian"); debian && !rocm.DebianHolds(q.gfx) {
		return nil
	}
	return []remedy.Remedy{cure.For(q.m, "distribution-rocblas", cure.Values{"gfx": q.gfx})}
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

// otherSDK names the newest SDK of Windows that lists the GPU and that the display
// driver runs.
func otherSDK(q question, i machine.Installation) []remedy.Remedy {
	if i.How != machine.HowHIPSDK {
		return nil
	}
	sdk, ok := rocm.NewestSDKFor(q.gfx, q.m.DriverRuns)
	if !ok || sdk.Release == i.Version || sdk.SDK == i.Version {
		return nil
	}
	return []remedy.Remedy{cure.For(q.m, "hip-sdk-other", cure.Values{"sdk": sdk.Release, "why": "AMD lists " + q.gfx + " for it with its libraries, and the display driver brings its runtime"})}
}

// offered is what people built for this GPU and this SDK of Windows.
func offered(q question, i machine.Installation) (offer rocm.CommunityOffer, sdk rocm.WindowsSDK, ok bool) {
	sdk, known := rocm.LookupWindowsSDK(i.Version)
	if i.How != machine.HowHIPSDK || !known {
		return offer, sdk, false
	}
	offer, ok = rocm.CommunityKernelsFor(sdk.SDK, q.gfx)
	return offer, sdk, ok
}

// offerEvidence says where a community's kernels were read of, where they are
// advised.
func offerEvidence(q question, advised []remedy.Remedy) []machine.Evidence {
	i, _ := q.m.Installation(q.folder.Owner)
	offer, _, _ := offered(q, i)
	if slices.ContainsFunc(advised, func(r remedy.Remedy) bool { return strings.HasPrefix(r.ID, "community-kernels") }) {
		return []machine.Evidence{machine.Cite(offer.Provenance)}
	}
	return nil
}

// communityRemedy names kernels that others built. What to replace is only said of
// an archive that is known by name.
func communityRemedy(q question, i machine.Installation) []remedy.Remedy {
	offer, sdk, ok := offered(q, i)
	if !ok {
		return nil
	}
	values := cure.Values{"gfx": q.gfx, "project": offer.Project, "release": "HIP SDK " + sdk.Release, "provides": offer.Provides, "note": noteOf(offer, q.gfx)}
	if offer.Archive == "" {
		if offer.Release != "" {
			values["provides"] += ", in release " + offer.Release
		}
		return []remedy.Remedy{cure.For(q.m, "community-kernels-look", values)}
	}
	values["what"], values["loses"], values["names"] = offer.Archive, loses(q), ""
	values["library"], values["kept"] = q.folder.Path, q.folder.Path+".original"
	values["dll"], values["keptdll"] = i.Path+`\bin\rocblas.dll`, i.Path+`\bin\rocblas.dll.original`
	if slices.Contains(offer.XNACK, q.gfx) {
		values["names"] = ". The names carry xnack, as in Kernels.so-000-" + q.gfx + "-xnack-.hsaco: those without may not match (community)"
	}
	return []remedy.Remedy{cure.For(q.m, "community-kernels", values)}
}

// noteOf is what the project itself says of its kernels for a GPU.
func noteOf(offer rocm.CommunityOffer, gfx string) string {
	if note := offer.Notes[gfx]; note != "" {
		return "; its author calls them " + note
	}
	return ""
}

// loses names the GPUs of this machine that the folder serves now.
func loses(q question) string {
	var words []string
	for _, g := range q.m.AMDGPUs() {
		if gfx := q.m.EffectiveGfx(g); gfx != q.gfx && q.folder.Holds(gfx) {
			words = append(words, fmt.Sprintf("%s (%s)", g.Label(), gfx))
		}
	}
	if len(words) == 0 {
		return "no other GPU of this machine uses these files now"
	}
	return strings.Join(words, " and ") + " has its kernels in this folder, and may lose them: look whether the archive holds them too"
}
