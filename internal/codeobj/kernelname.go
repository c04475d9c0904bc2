package codeobj

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A KernelKind is what a file in a folder of kernels is for.
type KernelKind string

// The kinds of files, as Tensile and TensileLite name them.
const (
	KernelOneIndex  KernelKind = "one index" // TensileLibrary.dat, for all GPUs
	KernelIndex     KernelKind = "index"     // TensileLibrary_lazy_gfx1100.dat
	KernelCatalogue KernelKind = "catalogue" // TensileLibrary_Type_…_gfx1100.dat
	KernelTuned     KernelKind = "tuned"     // TensileLibrary_Type_…_gfx1100.co
	KernelCompiled  KernelKind = "compiled"  // TensileLibrary_Type_…_gfx90a-xnack-.hsaco
	KernelFallback  KernelKind = "fallback"  // TensileLibrary_Type_…_fallback_gfx1010.hsaco
	KernelHelper    KernelKind = "helper"    // Kernels.so-000-gfx1010-xnack-.hsaco
	KernelShared    KernelKind = "shared"    // hipblasltTransform.hsaco, extop_gfx942.co, …_fallback.dat
)

// A KernelName is what the name of a file in a folder of kernels says.
type KernelName struct {
	Kind   KernelKind
	Target rocm.TargetID // zero for files of no GPU in particular
	// Stem joins a catalogue with its code; "" for files that have no other half.
	Stem string
	// Task is what stands before the target: the same for assembly and source, for xnack on and off.
	Task string
}

// Lazy reports an index that refers to files of its own for each kind of operation. Others hold everything.
func (k KernelName) Lazy() bool { return k.Kind == KernelIndex && k.Task == lazyIndex }

const (
	wholeIndex = "TensileLibrary_"
	lazyIndex  = "TensileLibrary_lazy_"
)

// ParseKernelName reads a name as Tensile and TensileLite write them. It is not ok for a file that is none of theirs;
// archives (.kpack) lie in folders of their own.
func ParseKernelName(name string) (k KernelName, ok bool) {
	stem, extension, ours := cutKernelExtension(name)
	if !ours || !isKernelStem(stem) {
		return KernelName{}, false
	}
	if stem == "TensileLibrary" && extension == "dat" {
		return KernelName{Kind: KernelOneIndex, Task: stem}, true
	}
	before, target, named := cutTarget(stem)
	if !named {
		k = KernelName{Kind: KernelShared, Task: stem}
		if extension == "dat" && strings.HasSuffix(stem, "_fallback") {
			k.Stem = stem
		}
		return k, true
	}
	k = KernelName{Kind: kernelKindOf(before, extension), Target: target, Task: before}
	switch k.Kind {
	case KernelCatalogue, KernelTuned, KernelCompiled:
		k.Stem = stem[:len(before)+len(target.Processor)]
	case KernelFallback:
		k.Stem = strings.TrimSuffix(before, "_") // its catalogue serves all GPUs
	case KernelOneIndex, KernelIndex, KernelHelper, KernelShared:
	}
	return k, true
}

// cutKernelExtension also knows indexes that are compressed, which TensileLite prefers to plain ones.
func cutKernelExtension(name string) (stem, extension string, ours bool) {
	if strings.HasSuffix(name, ".dat.zlib") {
		name = name[:len(name)-len(".zlib")]
	}
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
	for _, prefix := range []string{"TensileLibrary", "TensileLiteLibrary", "Kernels.so-", "extop_", "hipblaslt"} {
		if strings.HasPrefix(stem, prefix) {
			return true
		}
	}
	return false
}

func kernelKindOf(before, extension string) KernelKind {
	switch {
	case strings.HasPrefix(before, "Kernels.so-"):
		return KernelHelper
	case strings.HasPrefix(before, "TensileLiteLibrary_") || strings.HasPrefix(before, "extop_"):
		return KernelShared // which number stands for which catalogue, and other operations
	case extension == "dat" && (before == lazyIndex || before == wholeIndex):
		return KernelIndex
	case extension == "dat":
		return KernelCatalogue
	case strings.HasSuffix(before, "_fallback_"):
		return KernelFallback
	case extension == "hsaco":
		return KernelCompiled // gfx90a has these in pairs, beside plain ones in assembly
	}
	return KernelTuned
}

// cutTarget finds the target, which ends a stem: …_gfx90a-xnack+. Features stand behind a hyphen, where a bundle has a
// colon.
func cutTarget(stem string) (before string, target rocm.TargetID, named bool) {
	at := strings.LastIndex(stem, "gfx")
	if at < 0 {
		return stem, rocm.TargetID{}, false
	}
	text := strings.TrimSuffix(stem[at:], "_Mapping")
	text, target.XNACK = cutFeature(text, "-xnack")
	text, target.SRAMECC = cutFeature(text, "-sramecc")
	if !isProcessor(text) {
		return stem, rocm.TargetID{}, false
	}
	target.Processor = text
	return stem[:at], target, true
}

func cutFeature(text, feature string) (string, rocm.Setting) {
	if len(text) == 0 || !strings.HasSuffix(text[:len(text)-1], feature) {
		return text, rocm.Any
	}
	cut := text[:len(text)-1-len(feature)]
	switch text[len(text)-1] {
	case '+':
		return cut, rocm.On
	case '-':
		return cut, rocm.Off
	}
	return text, rocm.Any
}

// isProcessor accepts gfx90a and gfx1100 by their form: a folder has thousands of names, and the whole diagnosis a few
// milliseconds.
func isProcessor(text string) bool {
	number := strings.TrimPrefix(text, "gfx")
	if n := len(number); (n == 3 || n == 4) && strings.Trim(number, "0123456789abcdef") == "" && number[0] <= '9' {
		return true
	}
	id, err := rocm.ParseTargetID(text)
	return err == nil && id.Processor == text
}
