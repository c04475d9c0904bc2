package rocm

import (
	"slices"
	"strings"
	"sync"
)

// BuildKind says for which GPUs a build of a package is made.
type BuildKind string

// The kinds of builds.
const (
	BuildCPU  BuildKind = "cpu"
	BuildCUDA BuildKind = "cuda" // NVIDIA
	BuildROCm BuildKind = "rocm" // AMD
	BuildXPU  BuildKind = "xpu"  // Intel
)

// PythonPackage says how to tell what a build of a package is made for.
type PythonPackage struct {
	Name     string
	Names    map[BuildKind][]string // distributions that are builds of one kind only
	Says     string                 // the file in which the build says it
	Files    map[BuildKind][]string // patterns of files that give it away
	Binaries []string               // patterns of files whose libraries give it away
	Needs    map[BuildKind][]string // beginnings of those libraries' names
	Plain    map[string]BuildKind   // what PyPI serves, by operating system
	// DLLFolders are what the package lets Windows search for its DLLs, below the
	// folder of packages.
	DLLFolders []string `json:"dll_folders"`
	Companion  string   // a package whose build it must share
	Watch      bool     // no build for GPUs, but it breaks those that are
	Provenance
}

// ImportGuard is a package that refuses to be imported where it dislikes another.
type ImportGuard struct {
	Name  string
	Wants []string // the requirements that it looks at
	Says  string   // its words
	Provenance
}

// NumbaBound is the first numba that accepts NumPy below a version.
type NumbaBound struct {
	Numba      string
	NumPyBelow string `json:"numpy_below"`
	Provenance
}

// pythonFile is the embedded table.
type pythonFile struct {
	Packages []PythonPackage
	Guards   []ImportGuard
	Numba    []NumbaBound
}

var knownPython = sync.OnceValue(func() pythonFile { return load[pythonFile]("python") })

// PythonPackages are the packages to look for.
func PythonPackages() []PythonPackage { return slices.Clone(knownPython().Packages) }

// A pythonName is a distribution that is looked for, of the kind that its name tells.
type pythonName struct {
	row  PythonPackage
	kind BuildKind
}

// knownDistributions is asked for each package of each environment.
var knownDistributions = sync.OnceValue(func() map[string]pythonName {
	names := map[string]pythonName{}
	for _, p := range knownPython().Packages {
		names[p.Name] = pythonName{row: p}
		for kind, others := range p.Names {
			for _, name := range others {
				names[name] = pythonName{p, kind}
			}
		}
	}
	return names
})

// PythonPackageOf finds the package that a distribution is a build of; kind is set where its name alone tells.
func PythonPackageOf(distribution string) (p PythonPackage, kind BuildKind, ok bool) {
	n, ok := knownDistributions()[distribution]
	return n.row, n.kind, ok
}

// GuardOf finds what a package looks at when it is imported.
func GuardOf(distribution string) (ImportGuard, bool) {
	return find(knownPython().Guards, func(g ImportGuard) bool { return g.Name == distribution })
}

// NumbaFor finds the first numba that accepts a version of NumPy.
func NumbaFor(numpy string) (NumbaBound, bool) {
	return find(knownPython().Numba, func(n NumbaBound) bool { return CompareKernel(numpy, n.NumPyBelow) < 0 })
}

// LocalBuild reads what a version's local part says: "2.9.1+rocm6.4" is a build for ROCm 6.4, "+cu128" one for CUDA
// 12.8. It is not ok without one, or with another.
func LocalBuild(version string) (kind BuildKind, release string, ok bool) {
	_, local, found := strings.Cut(strings.ToLower(version), "+")
	switch {
	case !found:
		return "", "", false
	case strings.HasPrefix(local, "rocm"):
		return BuildROCm, releaseOf(strings.TrimPrefix(local, "rocm")), true
	case strings.HasPrefix(local, "cpu"):
		return BuildCPU, "", true
	case strings.HasPrefix(local, "xpu"):
		return BuildXPU, "", true
	case strings.HasPrefix(local, "cu") && len(local) > 3 && isNumber(local[2:min(len(local), 5)]):
		digits := local[2:min(len(local), 5)]
		return BuildCUDA, digits[:len(digits)-1] + "." + digits[len(digits)-1:], true
	}
	return "", "", false
}

// releaseOf is "7.2.0" of "7.2.0.lw.git7e1940d4".
func releaseOf(s string) string {
	numbers, _ := leadingNumbers(s)
	return strings.Join(numbers, ".")
}

// PackageTarget says which GPUs the ROCm builds of a package hold code for.
type PackageTarget struct {
	Package      string
	Since, Below string   // versions
	ROCm         []string // "7.0"; none: all builds
	Gfx          []string
	Most         bool // code for these at most: the builder chose
	Provenance
}

// packageTargetFile is the embedded table.
type packageTargetFile struct{ Targets []PackageTarget }

var knownPackageTargets = sync.OnceValue(func() []PackageTarget { return load[packageTargetFile]("package_targets").Targets })

// NewerWithTarget finds the first version above one that holds code for a GPU, where such a row is known.
func NewerWithTarget(name, version, release, gfx string) (PackageTarget, bool) {
	return find(knownPackageTargets(), func(t PackageTarget) bool {
		return t.Package == name && CompareKernel(t.Since, version) > 0 && t.builtFor(release) && !t.Most && slices.Contains(t.Gfx, gfx)
	})
}

func (t PackageTarget) builtFor(release string) bool {
	return len(t.ROCm) == 0 || slices.ContainsFunc(t.ROCm, func(r string) bool {
		return release == r || strings.HasPrefix(release, r+".")
	})
}

// PackageTargets finds the row for a version of a package that was built for a release of ROCm, where that is known.
func PackageTargets(name, version, release string) (PackageTarget, bool) {
	return find(knownPackageTargets(), func(t PackageTarget) bool {
		if t.Package != name || CompareKernel(version, t.Since) < 0 || CompareKernel(version, t.Below) >= 0 {
			return false
		}
		return t.builtFor(release)
	})
}
