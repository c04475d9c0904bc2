package survey

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// mostKernelFiles bounds what one folder can cost: a full one of rocBLAS has
// about 1,500 names, and twice that for the builds with every data centre GPU.
const mostKernelFiles = 20_000

// A kernelLibrary says where a library keeps its kernels.
type kernelLibrary struct {
	name, folder string // "rocBLAS", "rocblas"
	variable     string // names another folder
}

var kernelLibraries = []kernelLibrary{
	{machine.RocBLAS, "rocblas", "ROCBLAS_TENSILE_LIBPATH"},
	{machine.HipBLASLt, "hipblaslt", "HIPBLASLT_TENSILE_LIBPATH"},
}

// kernels lists the kernel folders of every ROCm user space that was found, and
// those that a variable names. Where there is none, nothing is asked.
func kernels(r host.Reader, m *machine.Machine) machine.Fact[[]machine.KernelFolder] {
	if m.ROCm.Unread() {
		return machine.Unknown[[]machine.KernelFolder](m.ROCm.From, m.ROCm.Why)
	}
	k := kernelLister{r: r, gfx: effectiveTargets(m)}
	var found []machine.KernelFolder
	for _, lib := range kernelLibraries {
		for _, i := range m.ROCm.Value {
			found = append(found, k.ofInstallation(i, lib)...)
		}
		if dir, _ := m.Variable(lib.variable); isAbsolute(m.OS, dir) {
			found = k.named(found, lib, strings.TrimRight(dir, `/\`))
		}
	}
	if len(found) == 0 {
		return machine.Missing[[]machine.KernelFolder](m.ROCm.From)
	}
	return machine.Know(found, m.ROCm.From)
}

// effectiveTargets are the gfx that programs will look up.
func effectiveTargets(m *machine.Machine) []string {
	var out []string
	for _, g := range m.AMDGPUs() {
		if gfx := m.EffectiveGfx(g); gfx != "" {
			out = append(out, gfx)
		}
	}
	return out
}

// A kernelLister lists folders, and in them the folders of these targets.
type kernelLister struct {
	r   host.Reader
	gfx []string
}

// named adds the folder that a variable names, or notes that it is one of those
// which were found.
func (k kernelLister) named(found []machine.KernelFolder, lib kernelLibrary, dir string) []machine.KernelFolder {
	i := slices.IndexFunc(found, func(f machine.KernelFolder) bool { return f.Library == lib.name && f.Path == dir })
	if i >= 0 {
		found[i].Variable = lib.variable
		return found
	}
	return append(found, k.list(machine.KernelFolder{Library: lib.name, Path: dir, Variable: lib.variable})...)
}

func (k kernelLister) ofInstallation(i machine.Installation, lib kernelLibrary) []machine.KernelFolder {
	var found []machine.KernelFolder
	for _, dir := range k.libraryFolders(i, lib.folder) {
		found = append(found, k.list(machine.KernelFolder{Library: lib.name, Path: dir, Owner: i.Path})...)
	}
	return found
}

// libraryFolders are the places where an installation would keep the kernels of
// a library.
func (k kernelLister) libraryFolders(i machine.Installation, folder string) []string {
	leaf := path.Join(folder, "library")
	switch i.How {
	case machine.HowHIPSDK:
		return []string{i.Path + `\bin\` + folder + `\library`}
	case machine.HowWheels:
		// The libraries are wheels of their own, named for a family of GPUs.
		var dirs []string
		site := strings.TrimRight(strings.TrimSuffix(i.Path, "_rocm_sdk_core"), `\/`)
		for _, dir := range matching(k.r, site, "_rocm_sdk_libraries*") {
			if strings.Contains(dir, `\`) {
				dirs = append(dirs, dir+`\bin\`+folder+`\library`)
			} else {
				dirs = append(dirs, path.Join(dir, "lib", leaf))
			}
		}
		return dirs
	case machine.HowDistribution:
		return k.ofDistribution(i.Path, folder, leaf)
	}
	return []string{path.Join(i.Path, "lib", leaf)}
}

// ofDistribution knows two layouts: Fedora keeps rocblas/library as AMD does,
// Debian rocblas/VERSION/library.
func (k kernelLister) ofDistribution(libdir, folder, leaf string) []string {
	if strings.HasPrefix(libdir, "/opt/") {
		return []string{path.Join(libdir, "lib", leaf)}
	}
	var dirs []string
	for _, name := range list(k.r, path.Join(libdir, folder)).Value {
		switch {
		case name == "library":
			dirs = append(dirs, path.Join(libdir, leaf))
		case name != "" && name[0] >= '0' && name[0] <= '9':
			dirs = append(dirs, path.Join(libdir, folder, name, "library"))
		}
	}
	return dirs
}

// list fills a folder in, or returns none where there is none.
func (k kernelLister) list(f machine.KernelFolder) []machine.KernelFolder {
	entries, err := k.r.ReadDir(f.Path)
	if err != nil {
		f.Listed = failed[int](f.Path, err)
		if f.Listed.Absent() {
			return nil
		}
		return []machine.KernelFolder{f}
	}
	if len(entries) > mostKernelFiles {
		f.Listed = machine.Unknown[int](machine.Source(f.Path), "it holds too many names")
		return []machine.KernelFolder{f}
	}
	targets := map[string]*machine.KernelTarget{}
	f.Listed = machine.Know(len(entries), machine.Source(f.Path))
	for _, e := range entries {
		if e.Type == fs.ModeDir && slices.Contains(k.gfx, e.Name) {
			// rocBLAS looks into library/gfx1100 before library (tensile_host.cpp).
			inner, _ := k.r.ReadDir(below(f.Path, e.Name))
			count(&f, targets, inner[:min(len(inner), mostKernelFiles)])
		}
	}
	count(&f, targets, entries)
	for _, gfx := range slices.Sorted(maps.Keys(targets)) {
		f.Targets = append(f.Targets, *targets[gfx])
	}
	return []machine.KernelFolder{f}
}

func count(f *machine.KernelFolder, targets map[string]*machine.KernelTarget, entries []host.Entry) {
	for _, e := range entries {
		k, ok := parseKernelName(e.Name)
		switch {
		case !ok:
			continue
		case k.kind == kernelOneIndex:
			f.OneIndex = true
			continue
		case k.kind == kernelShared:
			f.Shared++
			continue
		}
		t := targets[k.gfx]
		if t == nil {
			t = &machine.KernelTarget{Gfx: k.gfx}
			targets[k.gfx] = t
		}
		k.countIn(t)
	}
}
