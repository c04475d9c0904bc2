package survey

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/linkage"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// hipDLLs begin the names of libraries that belong to HIP, in lower case.
var hipDLLs = []string{"amdhip64", "amd_comgr", "hiprtc", "rocblas", "hipblas", "libhipblas", "miopen", "rocsolver", "rocsparse", "rocrand", "rocfft"}

// importedOnWindows asks what Windows would load with some programs, and with the
// modules of packages that are built for HIP.
func importedOnWindows(r host.Reader, m *machine.Machine, programs []string) machine.Fact[machine.Linkage] {
	var out machine.Linkage
	for _, p := range programs {
		path, _, _ := r.Getenv("PATH") // what cannot be asked is taken for unset
		settings := linkage.WindowsSettings{Path: strings.Split(path, ";"), WorkDir: folderOf(p)}
		out.Files = append(out.Files, loadedOnWindows(r, m, settings, machine.Linked{Path: p, Software: p[strings.LastIndexAny(p, `\/`)+1:]}))
	}
	for _, e := range m.Python.Value {
		for _, p := range e.Watched {
			if p.Build.Value.Kind != rocm.BuildROCm {
				continue
			}
			for _, file := range hipModules(r, p) {
				if len(out.Files) < mostLinked {
					out.Files = append(out.Files, imported(r, m, e, p, file))
				}
			}
		}
	}
	if len(out.Files) == 0 {
		return machine.Fact[machine.Linkage]{}
	}
	return machine.Know(out, "the files themselves, as Windows would load them for Python")
}

// hipModules are the DLLs of a package that give away that it is built for HIP.
func hipModules(r host.Reader, p machine.PythonPackage) []string {
	row, _, _ := rocm.PythonPackageOf(p.Name)
	b := buildReader{r: r, files: files{r}, site: folderOf(p.Path), row: row, listed: map[string][]string{}}
	var out []string
	for _, pattern := range slices.Concat(row.Files[rocm.BuildROCm], row.Binaries) {
		if strings.HasSuffix(pattern, ".dll") || strings.HasSuffix(pattern, ".pyd") {
			out = append(out, b.matches(pattern)...)
		}
	}
	return out
}

// imported loads one module as Python does: beside it, in the folders that its
// package adds, beside the interpreter and in System32, and not in PATH.
func imported(r host.Reader, m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage, file string) machine.Linked {
	site := folderOf(p.Path)
	settings := linkage.WindowsSettings{Order: linkage.FlagsOrder, Application: e.Prefix}
	row, _, _ := rocm.PythonPackageOf(p.Name)
	for _, folder := range row.DLLFolders {
		settings.Added = append(settings.Added, files{r}.join(site, folder))
	}
	return loadedOnWindows(r, m, settings, machine.Linked{Path: file, Software: p.Name + " " + p.Version, Root: e.Prefix})
}

// loadedOnWindows completes what is known of one file.
func loadedOnWindows(r host.Reader, m *machine.Machine, settings linkage.WindowsSettings, out machine.Linked) machine.Linked {
	tree, err := linkage.NewWindowsLoader(host.Files(r), settings).Load(out.Path)
	if err != nil {
		out.Unseen = reason(err)
		return out
	}
	for _, lib := range tree.Libraries[1:] {
		if hasPrefix(hipDLLs, strings.ToLower(lib.Name)) {
			out.Gets = append(out.Gets, machine.LinkedLibrary{Name: shown(lib.Name), Path: host.PathOf(m.OS, lib.Path), How: lib.How})
		}
	}
	for _, missing := range tree.Missing {
		if !missing.Delayed {
			out.Missing = append(out.Missing, missingDLL(m, missing))
		}
	}
	return out
}

func missingDLL(m *machine.Machine, missing linkage.Missing) machine.MissingLibrary {
	out := machine.MissingLibrary{Name: shown(missing.Name)}
	for _, p := range missing.Chain {
		out.Chain = append(out.Chain, host.PathOf(m.OS, shown(p)))
	}
	for _, p := range missing.Searched {
		out.Searched = append(out.Searched, host.PathOf(m.OS, shown(p)))
	}
	for _, folder := range m.Windows.Folders.Value {
		for _, dll := range folder.DLLs {
			if strings.EqualFold(dll.Name, missing.Name) {
				out.Beside = append(out.Beside, folder.Path+`\`+dll.Name)
			}
		}
	}
	return out
}
