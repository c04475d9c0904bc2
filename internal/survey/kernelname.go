package survey

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A kernelKind is what a file in a kernel folder is for.
type kernelKind string

const (
	kernelOneIndex  kernelKind = "one index" // TensileLibrary.dat, for all GPUs
	kernelIndex     kernelKind = "index"     // TensileLibrary_lazy_gfx1100.dat
	kernelCatalogue kernelKind = "catalogue" // TensileLibrary_Type_…_gfx1100.dat
	kernelTuned     kernelKind = "tuned"     // TensileLibrary_Type_…_gfx1100.co
	kernelCompiled  kernelKind = "compiled"  // TensileLibrary_Type_…_gfx90a-xnack-.hsaco
	kernelFallback  kernelKind = "fallback"  // TensileLibrary_Type_…_fallback_gfx1010.hsaco
	kernelHelper    kernelKind = "helper"    // Kernels.so-000-gfx1010-xnack-.hsaco
	kernelShared    kernelKind = "shared"    // hipblasltTransform.hsaco, extop_gfx942.co, …_fallback.dat
)

// A kernelName is what the name of a file in a kernel folder says.
type kernelName struct {
	kind  kernelKind
	gfx   string // "gfx1010"; "" for files of no GPU in particular
	xnack rocm.Setting
	// stem joins a catalogue with its code; "" for files that have no other half.
	stem string
}

// parseKernelName reads a name as Tensile and TensileLite write them. It is not ok
// for a file that is none of theirs; archives (.kpack) lie in folders of their own.
func parseKernelName(name string) (k kernelName, ok bool) {
	stem, extension, ours := cutKernelExtension(name)
	if !ours || !isKernelStem(stem) {
		return kernelName{}, false
	}
	if stem == "TensileLibrary" && extension == "dat" {
		return kernelName{kind: kernelOneIndex}, true
	}
	before, target, named := cutTarget(stem)
	if !named {
		k = kernelName{kind: kernelShared}
		if extension == "dat" && strings.HasSuffix(stem, "_fallback") {
			k.stem = stem
		}
		return k, true
	}
	target.kind = kernelKindOf(before, extension)
	switch target.kind {
	case kernelCatalogue, kernelTuned, kernelCompiled:
		target.stem = before + target.gfx
	case kernelFallback:
		target.stem = strings.TrimSuffix(before, "_") // its catalogue serves all GPUs
	case kernelOneIndex, kernelIndex, kernelHelper, kernelShared:
	}
	return target, true
}

// cutKernelExtension also knows indexes that are compressed.
func cutKernelExtension(name string) (stem, extension string, ours bool) {
	name = strings.TrimSuffix(name, ".zlib")
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "", "", false
	}
	switch extension = name[dot+1:]; extension {
	case "dat", "co", "hsaco":
		return name[:dot], extension, true
	}
	return "", "", false
}

func isKernelStem(stem string) bool {
	return hasPrefix([]string{"TensileLibrary", "TensileLiteLibrary", "Kernels.so-", "extop_", "hipblaslt"}, stem)
}

func kernelKindOf(before, extension string) kernelKind {
	switch {
	case strings.HasPrefix(before, "Kernels.so-"):
		return kernelHelper
	case strings.HasPrefix(before, "TensileLiteLibrary_") || strings.HasPrefix(before, "extop_"):
		return kernelShared // which number stands for which catalogue, and other operations
	case extension == "dat" && (before == "TensileLibrary_lazy_" || before == "TensileLibrary_"):
		return kernelIndex
	case extension == "dat":
		return kernelCatalogue
	case strings.HasSuffix(before, "_fallback_"):
		return kernelFallback
	case extension == "hsaco":
		return kernelCompiled // gfx90a has these in pairs, beside plain ones in assembly
	}
	return kernelTuned
}

// cutTarget finds the target, which ends a stem: …_gfx90a-xnack+.
func cutTarget(stem string) (before string, k kernelName, named bool) {
	at := strings.LastIndex(stem, "gfx")
	if at < 0 {
		return stem, kernelName{}, false
	}
	text := strings.TrimSuffix(stem[at:], "_Mapping")
	if cut, off := strings.CutSuffix(text, "-xnack-"); off {
		text, k.xnack = cut, rocm.Off
	} else if cut, on := strings.CutSuffix(text, "-xnack+"); on {
		text, k.xnack = cut, rocm.On
	}
	if !isTarget(text) {
		return stem, kernelName{}, false
	}
	k.gfx = text
	return stem[:at], k, true
}

// isTarget accepts gfx90a and gfx1100 by their form: a folder has thousands of
// names, and the whole diagnosis a few milliseconds.
func isTarget(text string) bool {
	number := strings.TrimPrefix(text, "gfx")
	if n := len(number); (n == 3 || n == 4) && strings.Trim(number, "0123456789abcdef") == "" && number[0] <= '9' {
		return true
	}
	id, err := rocm.ParseTargetID(text)
	return err == nil && id.Processor == text
}

// countIn adds a file to what is known of its target.
func (k kernelName) countIn(t *machine.KernelTarget) {
	switch k.kind {
	case kernelIndex:
		k.add(&t.Index)
	case kernelTuned:
		k.add(&t.Tuned)
	case kernelCompiled:
		k.add(&t.Compiled)
	case kernelFallback:
		k.add(&t.Fallback)
	case kernelHelper:
		k.add(&t.Helpers)
	case kernelCatalogue:
		t.Catalogues++
	case kernelOneIndex, kernelShared: // of no target
	}
}

func (k kernelName) add(files *machine.KernelFiles) {
	switch k.xnack {
	case rocm.Off:
		files.XnackOff++
	case rocm.On:
		files.XnackOn++
	case rocm.Any:
		files.Plain++
	}
}
