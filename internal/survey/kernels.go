package survey

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
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
		if dir, _ := m.Variable(lib.variable); dir != "" {
			found = k.named(found, lib, m.OS, dir)
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
// which were found. Programs look nowhere else, so it is kept also where it is
// missing.
func (k kernelLister) named(found []machine.KernelFolder, lib kernelLibrary, system, dir string) []machine.KernelFolder {
	f := machine.KernelFolder{Library: lib.name, Path: strings.TrimRight(dir, `/\`), Variable: lib.variable}
	if !isAbsolute(system, dir) {
		f.Path = dir
		f.Listed = machine.Unknown[int](machine.Source(lib.variable), "a relative path depends on where a program starts")
		return append(found, f)
	}
	i := slices.IndexFunc(found, func(o machine.KernelFolder) bool { return o.Library == lib.name && o.Path == f.Path })
	if i >= 0 {
		found[i].Variable = lib.variable
		return found
	}
	return append(found, k.list(f))
}

func (k kernelLister) ofInstallation(i machine.Installation, lib kernelLibrary) []machine.KernelFolder {
	var found []machine.KernelFolder
	for _, dir := range k.libraryFolders(i, lib.folder) {
		f := k.list(machine.KernelFolder{Library: lib.name, Path: dir, Owner: i.Path})
		if f.Listed.Absent() {
			f.Listed = k.expected(lib, dir)
		}
		if !f.Listed.Absent() || f.Listed.From != "" {
			found = append(found, f)
		}
	}
	return found
}

// expected tells a folder that is missing from one that nobody needs: the library
// lies two folders above it, as in lib/librocblas.so.4 and lib/rocblas/library, or
// the folder between is left. It has no source where neither is there.
func (k kernelLister) expected(lib kernelLibrary, dir string) machine.Fact[int] {
	if lib.name != machine.RocBLAS {
		return machine.Missing[int]("") // without hipBLASLt's, rocBLAS does the work
	}
	above := folderOf(folderOf(dir))
	entries, err := k.r.ReadDir(above)
	switch {
	case errors.Is(err, host.ErrNotRecorded):
		return machine.Missing[int]("") // an older snapshot, which was not asked
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return machine.Unknown[int](machine.Source(above), reason(err))
	case slices.ContainsFunc(entries, func(e host.Entry) bool {
		name := strings.ToLower(e.Name)
		return strings.HasPrefix(name, "librocblas.so") || name == "rocblas.dll"
	}) || exists(k.r, folderOf(dir)).Known():
		return machine.Missing[int](machine.Source(dir))
	}
	return machine.Missing[int]("")
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
		case startsWithDigit(name):
			dirs = append(dirs, path.Join(libdir, folder, name, "library"))
		}
	}
	return dirs
}

// list fills a folder in.
func (k kernelLister) list(f machine.KernelFolder) machine.KernelFolder {
	entries, err := k.r.ReadDir(f.Path)
	switch {
	case err != nil:
		f.Listed = failed[int](f.Path, err)
		return f
	case len(entries) > mostKernelFiles:
		f.Listed = machine.Unknown[int](machine.Source(f.Path), "it holds too many names")
		return f
	}
	c := kernelCount{folder: &f, targets: map[string]*machine.KernelTarget{}, catalogues: map[string]bool{}, code: map[string]map[string]bool{}}
	f.Listed = machine.Know(len(entries), machine.Source(f.Path))
	for _, e := range entries {
		if e.Type == fs.ModeDir && slices.Contains(k.gfx, e.Name) {
			// rocBLAS looks into library/gfx1100 before library (tensile_host.cpp).
			inner, err := k.r.ReadDir(below(f.Path, e.Name))
			if err != nil {
				f.Listed = machine.Unknown[int](machine.Source(below(f.Path, e.Name)), reason(err))
			}
			c.add(inner[:min(len(inner), mostKernelFiles)])
		}
	}
	c.add(entries)
	c.pair()
	return f
}

// A kernelCount sorts the names in a folder by target.
type kernelCount struct {
	folder     *machine.KernelFolder
	targets    map[string]*machine.KernelTarget
	catalogues map[string]bool            // by stem
	code       map[string]map[string]bool // stems that have code, by target
}

func (c kernelCount) add(entries []host.Entry) {
	for _, e := range entries {
		k, ok := codeobj.ParseKernelName(e.Name)
		switch {
		case !ok:
			continue
		case k.Kind == codeobj.KernelOneIndex:
			c.folder.OneIndex = true
			continue
		case k.Kind == codeobj.KernelShared:
			c.folder.Shared++
			c.catalogues[k.Stem] = true
			continue
		}
		gfx := k.Target.Processor
		t := c.targets[gfx]
		if t == nil {
			t = &machine.KernelTarget{Gfx: gfx}
			c.targets[gfx], c.code[gfx] = t, map[string]bool{}
		}
		countKernel(k, t)
		switch {
		case k.Kind == codeobj.KernelCatalogue:
			c.catalogues[k.Stem] = true
			if !c.code[gfx][k.Stem] {
				c.code[gfx][k.Stem] = false // noted, until its code is seen
			}
		case k.Stem != "":
			c.code[gfx][k.Stem] = true
		}
	}
}

// pair holds catalogues against code, and fills in the targets. In the old layout
// the index is the catalogue of everything.
func (c kernelCount) pair() {
	for _, gfx := range slices.Sorted(maps.Keys(c.targets)) {
		t := c.targets[gfx]
		for stem, there := range c.code[gfx] {
			oneFile := stem == "TensileLibrary_"+gfx && (c.folder.OneIndex || t.Index.Count() > 0)
			if there && (c.catalogues[stem] || oneFile) {
				t.Whole++
			} else {
				t.Half++
			}
		}
		c.folder.Targets = append(c.folder.Targets, *t)
	}
}
