package scan

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/linkage"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Beginnings of the names of libraries that say for whose GPUs a file is built.
var (
	hipLibraries  = []string{"libamdhip64", "libhsa-runtime64", "libhipblas", "librocblas", "libmiopen", "libhiprtc", "amdhip64", "hipblas", "rocblas", "miopen", "hiprtc"}
	cudaLibraries = []string{"libcudart", "libcublas", "libcudnn", "libcuda.", "libnvrtc", "cudart64", "cublas64", "cudnn", "nvcuda", "nvrtc64"}
)

// asks is what a program or library asks of the loader.
type asks struct {
	hip, cuda []string
	search    []string // folders, as written
}

func asksOf(f codeobj.File, src source) asks {
	var b linkage.Binary
	var err error
	switch f.Kind {
	case codeobj.KindELF:
		b, err = linkage.ReadELF(src, f.Path)
	case codeobj.KindPE:
		b, err = linkage.ReadPE(src, f.Path)
	}
	if err != nil {
		return asks{} // what is wrong with the file is told by who reads its code
	}
	all := slices.Concat(b.Needs, b.Delayed)
	return asks{hip: beginning(all, hipLibraries), cuda: beginning(all, cudaLibraries), search: slices.Concat(b.RPath, b.RunPath)}
}

func beginning(names, prefixes []string) []string {
	var out []string
	for _, n := range names {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(strings.ToLower(n), p) }) {
			out = append(out, n)
		}
	}
	return out
}

// cudaOnly is a file that is built for NVIDIA's GPUs: it holds no code of AMD's, and
// asks for libraries of CUDA. NVIDIA's own libraries are not reported, they belong
// to those who ask for them.
func cudaOnly(f codeobj.File, a asks) (Item, bool) {
	vendors := slices.Contains(strings.Split(path.Dir(f.Path), "/"), "nvidia")
	if len(f.Objects) > 0 || len(a.hip) > 0 || len(a.cuda) == 0 || vendors {
		return Item{}, false
	}
	return Item{Path: f.Path, Kind: "cuda", role: forCUDA, Needs: a.cuda}, true
}

// onCUDA is the verdict on such a file.
func (i *Item) onCUDA(gpu rocm.TargetID) Verdict {
	return Verdict{None, "It is built for CUDA (it asks for " + i.Needs[0] + "), and holds no code for " + gpu.Processor + " or any other GPU of AMD's."}
}
