package rocm

import (
	"slices"
	"strings"
	"sync"
)

// CodeLibrary says of one library of ROCm where its GPU code is.
type CodeLibrary struct {
	File     string // the beginning of its name, "librocblas"
	Name     string // "rocBLAS"
	Compiles bool   // it compiles its kernels when they are first used, whatever code it holds
	Forwards []string
	Apart    bool   // its code lies in a folder beside it
	Instead  string // who does the work where it has no code for a GPU
	Spare    bool   // one of several ways to compute
	Majors   []int  // numbers after .so
	Provenance
}

// CodeObjectRule says which runtime loads a version of the format of GPU code.
type CodeObjectRule struct {
	Version int
	HIP     string // the first one
	Says    string // what an older one makes programs print
	Provenance
}

// codeFile is the table.
type codeFile struct {
	Libraries   []CodeLibrary
	CodeObjects []CodeObjectRule `json:"code_objects"`
}

// CodeLibraryOf finds a library by the name of its file: "librocblas.so.4.4", "librocblas-1f2e.so", "rocblas.dll".
func CodeLibraryOf(file string) (CodeLibrary, bool) {
	stem := strings.ToLower(file)
	return find(codeData.Libraries, func(l CodeLibrary) bool {
		name := strings.ToLower(l.File)
		rest, ok := strings.CutPrefix(stem, name)
		if !ok {
			rest, ok = strings.CutPrefix(stem, strings.TrimPrefix(name, "lib"))
		}
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '-' || strings.HasPrefix(rest, "_gfx"))
	})
}

// CodeLibraries are the libraries that an installation of ROCm has under known numbers, with code in them.
func CodeLibraries() []CodeLibrary {
	return filter(codeData.Libraries, func(l CodeLibrary) bool { return len(l.Majors) > 0 })
}

// CodeLibraryNamed finds a library by what people call it.
func CodeLibraryNamed(name string) (CodeLibrary, bool) {
	return find(codeData.Libraries, func(l CodeLibrary) bool { return l.Name == name })
}

// CodeObjectRuntime finds what a version of code objects asks of the runtime. It is not ok where every runtime in use
// loads it, as far as is known.
func CodeObjectRuntime(version int) (CodeObjectRule, bool) {
	return find(codeData.CodeObjects, func(r CodeObjectRule) bool { return r.Version == version })
}

// AMDBuild says what to install where a Python package holds no code for a GPU of AMD's.
type AMDBuild struct {
	Package string
	Says    string
	Command string
	Gfx     []string // none: not known, or whatever the command names
	Provenance
}

// amdBuildFile is the embedded table.
type amdBuildFile struct{ Builds []AMDBuild }

var knownAMDBuilds = sync.OnceValue(func() []AMDBuild { return load[amdBuildFile]("amd_builds").Builds })

// AMDBuildFor finds the build of a Python package that holds code for a GPU. It is not ok where none is known to.
func AMDBuildFor(name, gfx string) (AMDBuild, bool) {
	b, ok := find(knownAMDBuilds(), func(b AMDBuild) bool { return b.Package == name })
	if !ok || len(b.Gfx) > 0 && !slices.Contains(b.Gfx, gfx) {
		return AMDBuild{}, false
	}
	b.Says = strings.ReplaceAll(b.Says, "{gfx}", gfx)
	b.Command = strings.ReplaceAll(b.Command, "{gfx}", gfx)
	return b, true
}
