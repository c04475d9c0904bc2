package survey

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/linkage"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A linkFile is a file that uses ROCm, and how a process comes to load it.
type linkFile struct {
	path, software, root, how string
	optional                  bool
	asked                     bool     // somebody named it, so its symbols are looked at too
	programs                  []string // the first that is there loads it
	before                    []string // modules that are loaded before
	sdk                       []string // folders whose libraries are loaded by path where they are wanted
}

const (
	hipLibrary   = "libamdhip64"
	hsaLibrary   = "libhsa-runtime64"
	comgrLibrary = "libamd_comgr"
)

// watchedLibraries are those of ROCm that matter to a process.
var watchedLibraries = []string{hipLibrary, hsaLibrary, comgrLibrary, "librocblas", "libhipblas", "libhipblaslt", "libMIOpen"}

func isWatched(file string) bool {
	name, _, _ := strings.Cut(path.Base(file), ".so")
	return slices.Contains(watchedLibraries, name)
}

// watched finds a library of ROCm in a tree, or -1.
func watched(t linkage.Tree, name string) int {
	return slices.IndexFunc(t.Libraries, func(l linkage.Library) bool { return strings.HasPrefix(path.Base(l.Path), name+".so") })
}

// linkFiles lists what uses ROCm: its own libraries, and the modules of Python
// packages that are built for it. Only what is there is listed, and nothing is
// looked for where there is no GPU to use.
func linkFiles(r host.Reader, m *machine.Machine) []linkFile {
	if len(m.GPUs.Value) == 0 && !m.DXG.Known() {
		return nil
	}
	found := m.ROCm.Value
	var out []linkFile
	for _, library := range []string{hipLibrary, "librocblas", "libMIOpen"} {
		for _, i := range found {
			out = append(out, ownLibrary(r, i, library)...)
		}
	}
	for _, i := range found {
		if i.How == machine.HowTorchWheel {
			out = append(out, torchFiles(r, i)...)
		}
	}
	for _, site := range linkedSites(m) {
		out = append(out, packageFilesIn(r, site)...)
	}
	return out
}

// programFiles are what somebody asked about.
func programFiles(programs []string) []linkFile {
	var out []linkFile
	for _, p := range programs {
		out = append(out, linkFile{path: p, software: path.Base(p), root: path.Dir(p), asked: true})
	}
	return out
}

// linkedSites are the folders of Python packages that may be built for ROCm.
func linkedSites(m *machine.Machine) []string {
	var out []string
	for _, e := range m.Python.Value {
		for _, name := range []string{"ctranslate2", "onnxruntime"} {
			p, has := e.Has(name)
			if has && (!p.Build.Known() || p.Build.Value.Kind == rocm.BuildROCm) {
				out = append(out, folderOf(p.Path))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// libraryFolder is where an installation keeps its libraries.
func libraryFolder(i machine.Installation) string {
	if i.How == machine.HowDistribution && !strings.HasPrefix(i.Path, "/opt/") {
		return i.Path
	}
	return path.Join(i.Path, "lib")
}

// folders are those of ROCm that a program may be sent to. The libraries of a
// Python environment are for that environment.
func (l *linker) folders() []string {
	var out []string
	for _, i := range l.found {
		if i.How != machine.HowTorchWheel && i.How != machine.HowWheels {
			out = append(out, libraryFolder(i))
		}
	}
	return out
}

// ownLibrary finds a library of an installation, by the numbers that it has
// carried. Those inside of torch are torch's.
func ownLibrary(r host.Reader, i machine.Installation, library string) []linkFile {
	if i.How == machine.HowTorchWheel {
		return nil
	}
	for _, major := range majorsOf(library) {
		file := fmt.Sprintf("%s/%s.so.%d", libraryFolder(i), library, major)
		if exists(r, file).Known() {
			return []linkFile{{path: file, software: "ROCm " + i.Version, root: i.Path, how: i.How}}
		}
	}
	return nil
}

// majorsOf are the numbers that a library has carried, newest first. MIOpen has
// had one since its first release.
func majorsOf(library string) []int {
	majors := []int{}
	for _, s := range rocm.Sonames() {
		if s.Library == library {
			majors = slices.AppendSeq(majors, maps.Values(s.Majors))
		}
	}
	if len(majors) == 0 {
		return []int{1}
	}
	slices.Sort(majors)
	majors = slices.Compact(majors)
	slices.Reverse(majors)
	return majors
}

// torchFiles are torch's own module, which loads all of its libraries; where it
// is not found, the library that calls HIP.
func torchFiles(r host.Reader, i machine.Installation) []linkFile {
	f := linkFile{software: "torch " + i.Torch, root: i.Path, how: i.How, programs: pythons(path.Dir(i.Path)), sdk: sdkFolders(r, path.Dir(i.Path))}
	candidates := matching(r, i.Path, "_C.*.so")
	candidates = append(candidates, i.Path+"/lib/libtorch_hip.so", i.Path+"/lib/libtorch_cuda.so")
	for _, file := range candidates {
		if exists(r, file).Known() {
			f.path = file
			return append([]linkFile{f}, besideTorch(r, i, f)...)
		}
	}
	return nil
}

// besideTorch finds the library of bitsandbytes for this torch: there is one for
// each ROCm, and it is loaded after torch.
func besideTorch(r host.Reader, i machine.Installation, torch linkFile) []linkFile {
	root := path.Join(path.Dir(i.Path), "bitsandbytes")
	parts := strings.Split(i.Version, ".")
	if len(parts) < 2 {
		return nil
	}
	file := root + "/libbitsandbytes_rocm" + parts[0] + parts[1] + ".so"
	if !exists(r, file).Known() {
		return nil
	}
	f := torch
	f.path, f.software, f.root, f.before = file, "bitsandbytes", root, []string{torch.path}
	return []linkFile{f}
}

// packageFilesIn finds other packages that come in a build for ROCm.
func packageFilesIn(r host.Reader, site string) []linkFile {
	var out []linkFile
	add := func(software, file string, optional bool) {
		root := path.Join(site, strings.Split(strings.TrimPrefix(file, site+"/"), "/")[0])
		out = append(out, linkFile{path: file, software: software, root: root, programs: pythons(site), sdk: sdkFolders(r, site), optional: optional})
	}
	if exists(r, site+"/ctranslate2").Known() {
		for _, file := range matching(r, site+"/ctranslate2", "_ext.*.so") {
			add("ctranslate2", file, false)
		}
	}
	for _, provider := range []string{"rocm", "migraphx"} {
		// onnxruntime goes on with the processor where a provider cannot be loaded.
		if file := site + "/onnxruntime/capi/libonnxruntime_providers_" + provider + ".so"; exists(r, file).Known() {
			add("onnxruntime", file, true)
		}
	}
	return out
}

// pythons are where the program may be that has a folder of packages.
func pythons(site string) []string {
	lib := path.Dir(site)
	version, prefix := path.Base(lib), path.Dir(path.Dir(lib))
	if !strings.HasPrefix(version, "python3") {
		return nil
	}
	return slices.Compact([]string{path.Join(prefix, "bin", version), "/usr/bin/" + version})
}

// sdkFolders are the libraries of AMD's own wheels.
func sdkFolders(r host.Reader, site string) []string {
	var out []string
	if !exists(r, site+"/_rocm_sdk_core").Known() {
		return nil
	}
	for _, dir := range matching(r, site, "_rocm_sdk_*") {
		out = append(out, path.Join(dir, "lib"))
	}
	return out
}
