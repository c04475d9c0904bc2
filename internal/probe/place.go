package probe

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
)

// A Place is where children run.
type Place struct {
	Name  string // in a sentence; "" for this machine as it is
	Start func() (Launch, error)
	Close func() error // removes what was put there
}

// Here runs the child on this machine. Libraries in the folders come before
// those of the system.
func Here(program string, folders []string) Place {
	argv := []string{program}
	for _, f := range folders {
		argv = append(argv, "--library-path", f)
	}
	return Place{
		Start: func() (Launch, error) { return Launch{Argv: argv}, nil },
		Close: func() error { return nil },
	}
}

// InEnvironment runs the child with the libraries that a Python environment
// brings along.
func InEnvironment(r host.Reader, program, dir string) (Place, error) {
	folders, err := LibrariesOf(r, dir)
	if err != nil {
		return Place{}, err
	}
	p := Here(program, folders)
	p.Name = "the libraries of " + dir
	return p, nil
}

// LibrariesOf finds the folders of ROCm's libraries in a Python environment:
// those inside of torch, and those of AMD's own wheels.
func LibrariesOf(r host.Reader, dir string) ([]string, error) {
	var out []string
	for _, site := range sitePackages(r, dir) {
		entries, err := r.ReadDir(site)
		if err != nil {
			continue
		}
		for _, e := range entries {
			lower := strings.ToLower(e.Name)
			if lower != "torch" && !strings.HasPrefix(lower, "_rocm_sdk_") {
				continue
			}
			for _, sub := range []string{"lib", "bin"} { // Windows has its DLLs in bin
				if folder := path.Join(site, e.Name, sub); holdsROCm(r, folder) {
					out = append(out, folder)
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no libraries of ROCm: neither a torch that brings them nor AMD's wheels (_rocm_sdk_core) are in it", dir)
	}
	slices.Sort(out)
	return out, nil
}

// sitePackages are the places where an environment keeps its packages, on Linux
// and on Windows.
func sitePackages(r host.Reader, dir string) []string {
	out := []string{path.Join(dir, "Lib", "site-packages")}
	for _, lib := range []string{"lib", "lib64"} {
		entries, _ := r.ReadDir(path.Join(dir, lib)) // what is not there holds nothing
		for _, e := range entries {
			if strings.HasPrefix(e.Name, "python3") {
				out = append(out, path.Join(dir, lib, e.Name, "site-packages"))
			}
		}
	}
	return out
}

// holdsROCm looks for a library that a probe would load: torch has a lib folder
// whatever it is built for.
func holdsROCm(r host.Reader, folder string) bool {
	entries, err := r.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e host.Entry) bool {
		name := strings.ToLower(e.Name)
		return slices.ContainsFunc([]string{"amdhip64", "rocblas", "hipblaslt", "miopen", "hiprtc"}, func(library string) bool {
			return strings.HasPrefix(strings.TrimPrefix(name, "lib"), library)
		})
	})
}
