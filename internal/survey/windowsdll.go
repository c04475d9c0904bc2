package survey

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// dllFolders looks for the DLLs of HIP wherever a program might load them from.
func dllFolders(r host.Reader, m *machine.Machine) machine.Fact[[]machine.DLLFolder] {
	system := below(windowsFolder(r, "SystemRoot", `C:\Windows`), "System32")
	driver, why := driverDLLs(r, system)
	if why != "" {
		return machine.Unknown[[]machine.DLLFolder](machine.Source(system), why)
	}
	found := []machine.DLLFolder{driver}
	for _, i := range m.ROCm.Value {
		f := machine.DLLFolder{Place: machine.PlaceSDK, Path: below(i.Path, "bin"), Owner: i.Path}
		switch i.How {
		case machine.HowWheels:
			f.Place = machine.PlaceWheels
		case machine.HowTorchWheel:
			f.Place, f.Path = machine.PlaceWheels, below(i.Path, "lib")
		}
		found = append(found, withDLLs(r, f))
	}
	return machine.Know(onPath(r, found), machine.Source(system))
}

// onPath notes which folders are on PATH, and adds those that were not found by
// other ways. Only folders of ROCm are looked at, and kept in a snapshot.
func onPath(r host.Reader, found []machine.DLLFolder) []machine.DLLFolder {
	value, _, err := r.Getenv("PATH")
	if err != nil {
		return found // it only adds to what is known
	}
	place := 0
	for dir := range strings.SplitSeq(value, ";") {
		dir = strings.TrimRight(strings.Trim(dir, `" `), `\/`)
		if !strings.Contains(strings.ToLower(dir), "rocm") || !isAbsolute("windows", dir) {
			continue
		}
		i := slices.IndexFunc(found, func(f machine.DLLFolder) bool { return machine.SamePath(f.Path, dir) })
		if i < 0 {
			f := withDLLs(r, machine.DLLFolder{Place: machine.PlacePath, Path: dir})
			if len(f.DLLs) == 0 {
				continue
			}
			i, found = len(found), append(found, f)
		}
		if found[i].OnPath == 0 {
			place++
			found[i].OnPath = place
		}
	}
	return found
}

// driverDLLs asks for the files by name: thousands of others lie beside them, and
// are nobody's business.
func driverDLLs(r host.Reader, system string) (f machine.DLLFolder, why string) {
	f = machine.DLLFolder{Place: machine.PlaceDriver, Path: system}
	for _, known := range rocm.DriverDLLs() {
		for _, name := range append([]string{known.DLL}, rocm.ComgrNames(known.Major)...) {
			v := fileVersion(r, below(system, name))
			switch {
			case v.Known():
				f.DLLs = append(f.DLLs, machine.DLL{Name: name, Version: v})
			case v.Unread() && exists(r, below(system, name)).Known():
				f.DLLs = append(f.DLLs, machine.DLL{Name: name, Version: v})
			case v.Unread():
				return f, v.Why
			}
		}
	}
	f.Listed = machine.Know(len(f.DLLs), machine.Source(system))
	return f, ""
}

// dllPrefixes begin the names of HIP's runtime, its compiler, and the libraries
// whose names changed between releases.
var dllPrefixes = []string{"amdhip64", "amd_comgr", "hiprtc", "rocblas", "hipblas", "libhipblas"}

// withDLLs lists the DLLs of HIP in a folder, with the versions of those that must
// fit together.
func withDLLs(r host.Reader, f machine.DLLFolder) machine.DLLFolder {
	names := list(r, f.Path)
	for _, name := range names.Value {
		lower := strings.ToLower(name)
		if !strings.HasSuffix(lower, ".dll") || !hasPrefix(dllPrefixes, lower) {
			continue
		}
		file := below(f.Path, name)
		d := machine.DLL{Name: name, Version: machine.Unknown[string](machine.Source(file), "nobody needs it")}
		if hasPrefix([]string{"amdhip64", "amd_comgr"}, lower) {
			d.Version = fileVersion(r, file)
		}
		f.DLLs = append(f.DLLs, d)
	}
	f.Listed = machine.Fact[int]{Value: len(f.DLLs), State: names.State, From: names.From, Why: names.Why}
	return f
}

func fileVersion(r host.Reader, file string) machine.Fact[string] {
	v, err := r.FileVersion(file)
	if err != nil {
		return failed[string](file, err)
	}
	return machine.Know(v, machine.Source(file))
}
