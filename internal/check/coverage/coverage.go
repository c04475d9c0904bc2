// Package coverage asks whether the software that is installed holds code for the GPUs of the machine.
package coverage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "coverage/torch",
		Title: "Each torch that was found holds code for each GPU",
		Needs: []string{"gpu/present"},
		Doc: `A torch wheel brings code for a list of GPUs, known by its version and build. Where this GPU is not among them, and no code of
its family is, programs stop with "no kernel image is available" or "invalid device function", although the GPU is found. A failure in
the active environment where the list was read in its library, in a wheel or in a build script, else a warning. What the library itself
holds counts; where it cannot be read, the list of the release, which is known for the wheels of pytorch.org.`,
		Run: runTorch,
	},
	{
		ID:    "coverage/packages",
		Title: "The other packages that compute hold code for each GPU",
		Needs: []string{"gpu/present"},
		Doc: `CTranslate2, bitsandbytes, ONNX Runtime and flash-attn are built for lists of GPUs of their own, shorter than torch's. Known from their build
scripts; the bytes of the packages are not read here.`,
		Run: runPackages,
	},
	{
		ID:    "coverage/rocblas",
		Title: "rocBLAS has kernels for each GPU",
		Needs: []string{"gpu/present"},
		Doc: `rocBLAS keeps its matrix kernels in a folder of files, some for each GPU. Where those for this GPU are missing, the first multiplication
stops the program with "Cannot read TensileLibrary.dat … for GPU arch". Each folder that was found is judged by the names in it: of
/opt/rocm, of the distribution, of wheels, of a HIP SDK, and the one that ROCBLAS_TENSILE_LIBPATH names, which then counts alone. There
must be an index, Kernels.so-000 with the GPU's name, and for each type of kernels a list and its code. A failure where no folder holds
the GPU, also where the folder is missing beside its library; a warning where another folder, or another GPU, can be used. A folder that
cannot be read is not judged. Fallback kernels are slower, not broken, and fine. An override decides which GPU is looked up.`,
		Run: runRocBLAS,
	},
	{
		ID:    "coverage/libraries",
		Title: "The libraries of ROCm hold code for each GPU",
		Needs: []string{"gpu/present"},
		Doc: `rocBLAS, rocRAND, rocSPARSE, rocFFT, rocSOLVER and RCCL hold GPU code in the library itself, for the list of GPUs that they were built
for. It is read from their bytes: that of /opt/rocm and of the distribution, on Linux. rocBLAS needs it beside its folder of kernels, so
kernels that somebody added to the folder do not make it work for another GPU. A failure where all of rocBLAS was looked at, holds no code
for the GPU, and no other installation has it; a warning where only its beginning was looked at, where something else here can be used, and
for the other libraries, which few programs need.`,
		Run: runLibraries,
	},
	{
		ID:    "coverage/hipblaslt",
		Title: "hipBLASLt has kernels for each GPU",
		Needs: []string{"gpu/present"},
		Doc: `hipBLASLt is the second library for matrices, with kernels for fewer GPUs. Where it has none, rocBLAS does the work, so this never
fails. It warns where a release is known to ship the kernels, and where ROCBLAS_USE_HIPBLASLT or TORCH_BLAS_PREFER_HIPBLASLT ask for the
library. GPUs that the builds leave out on purpose (RDNA1, RDNA2, gfx906 and older) are normal.`,
		Run: runHipBLASLt,
	},
}

func runTorch(in check.Input) []check.Finding {
	m := in.Machine
	var out []check.Finding
	seen := map[string]bool{}
	for _, e := range m.Python.Value {
		torch, has := e.Has("torch")
		code, known := codeOf(m, torch)
		// Where the code lies in packages of its own, those are judged (python/device).
		if !has || !known || !torch.Build.Known() || seen[torch.Path] || len(torch.DeviceExtras) > 0 || torch.Build.Value.Mixed != "" {
			continue
		}
		seen[torch.Path] = true
		for _, g := range m.TargetGPUs() {
			out = append(out, judgeTorch(m, g, e, torch, code))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("torch", "no torch whose list of GPUs is known was found")}
	}
	return out
}

// known is for which GPUs a package holds code, and how that is known.
type known struct {
	targets  []string
	evidence []machine.Evidence
	how      string // in words
	certain  bool   // read in the bytes, in a wheel or in a build script
}

// codeOf takes the bytes of torch where they decide: code that was seen is there,
// and code that was not seen is not there if all of the library was looked at.
// Else the list of its release counts.
func codeOf(m *machine.Machine, torch machine.PythonPackage) (known, bool) {
	code := torch.Code.Value
	lacking := slices.ContainsFunc(m.TargetGPUs(), func(g machine.GPU) bool { return !holds(code.Targets, m.EffectiveGfx(g)) })
	if torch.Code.Known() && (code.All || !lacking) {
		return known{code.Targets, []machine.Evidence{{From: torch.Code.From, Text: "holds code for " + strings.Join(code.Targets, " ")}}, "read from its library", true}, true
	}
	targets, wheel, ok := rocm.TorchTargets(torch.Version)
	evidence := []machine.Evidence{{From: "its targets", Text: strings.Join(targets, " ")}, machine.Cite(wheel.Provenance)}
	// A list that was inferred from other releases is no reason to call it broken.
	return known{targets, evidence, wheel.Status, wheel.Confidence != rocm.Community && !wheel.Unverified}, ok
}

func judgeTorch(m *machine.Machine, g machine.GPU, e machine.PythonEnvironment, torch machine.PythonPackage, code known) check.Finding {
	gfx := m.EffectiveGfx(g)
	f := check.Finding{
		Subject: gfx + " in " + e.Prefix, Verdict: check.OK, Message: fmt.Sprintf("torch %s holds code for %s", torch.Version, gfx),
		Evidence: append([]machine.Evidence{{From: machine.Source(torch.Path), Text: "torch " + torch.Version}}, code.evidence...),
	}
	if holds(code.targets, gfx) {
		return f
	}
	f.Verdict, f.Cause = check.Warn, "no-kernel-image-for-arch"
	f.Message = fmt.Sprintf("torch %s holds no code for %s. It will find the GPU and then stop with \"no kernel image is available\" or \"invalid device function\"; if you run a container instead, its torch is the one that counts. How the list of its GPUs was learnt: %s.",
		torch.Version, gfx, code.how)
	if e.Active && code.certain {
		f.Verdict = check.Fail
	}
	f.Remedies = cure.Torch(m, e, torch.Version)
	return f
}

func ownTorch(m *machine.Machine, gfx string) []remedy.Remedy {
	w, ok := rocm.DeviceWheels(gfx)
	if !ok || m.OS == "windows" && !onWindows(gfx) {
		return nil
	}
	return []remedy.Remedy{cure.For(m, "native-wheels", cure.Values{"gfx": gfx, "index": w.Index})}
}

// onWindows reports whether AMD's wheels for Windows hold a GPU: they are made
// for fewer than those for Linux.
func onWindows(gfx string) bool {
	support, _ := rocm.SupportInSDK("10.x", gfx)
	return support == rocm.SDKLibraries
}
