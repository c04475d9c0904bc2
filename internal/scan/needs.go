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
	hipLibraries  = []string{"libamdhip64", "libhsa-runtime64", "libhipblas", "librocblas", "libmiopen", "libhiprtc", "amdhip64", "hipblas", "libhipblas", "rocblas", "miopen", "hiprtc"}
	cudaLibraries = []string{"libcudart", "libcublas", "libcudnn", "libcuda.", "libnvrtc", "cudart64", "cublas64", "cudnn", "nvcuda", "nvrtc64"}
)

// needs are the libraries of HIP and CUDA that a program or library asks for.
func needs(f codeobj.File, src source) (hip, cuda []string) {
	var all []string
	switch f.Kind {
	case codeobj.KindELF:
		if b, err := linkage.ReadELF(src, f.Path); err == nil {
			all = b.Needs
		}
	case codeobj.KindPE:
		if b, err := linkage.ReadPE(src, f.Path); err == nil {
			all = slices.Concat(b.Needs, b.Delayed)
		}
	}
	return beginning(all, hipLibraries), beginning(all, cudaLibraries)
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
func cudaOnly(f codeobj.File, hip, cuda []string) (Item, bool) {
	vendors := slices.Contains(strings.Split(path.Dir(f.Path), "/"), "nvidia")
	if len(f.Objects) > 0 || len(hip) > 0 || len(cuda) == 0 || vendors {
		return Item{}, false
	}
	return Item{Path: f.Path, Kind: "cuda", Needs: cuda}, true
}

// forCUDA is the verdict on such a file.
func (i *Item) forCUDA(gpu rocm.TargetID) Verdict {
	return Verdict{None, "It is built for CUDA (it asks for " + i.Needs[0] + "), and holds no code for " + gpu.Processor + " or any other GPU of AMD's."}
}
