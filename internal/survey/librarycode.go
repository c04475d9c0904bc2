package survey

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// firstOfLibrary is how much of a library is looked at, two or more of its parts:
// all parts of a library of ROCm are compiled for one list of GPUs.
const firstOfLibrary = 64

// codeLibraries reads for which GPUs the installed libraries of ROCm hold code.
// Where there is no GPU to hold code for, nothing is asked. They are looked for by
// name: to list the folder of all libraries takes longer than to read these.
func codeLibraries(r host.Reader, m *machine.Machine) machine.Fact[[]machine.CodeLibrary] {
	if len(effectiveTargets(m)) == 0 || !m.ROCm.Known() {
		return machine.Fact[[]machine.CodeLibrary]{}
	}
	var found []machine.CodeLibrary
	for _, i := range m.ROCm.Value {
		if i.How == machine.HowWheels || i.How == machine.HowTorchWheel {
			continue // those are the business of the packages that use them
		}
		for _, lib := range rocm.CodeLibraries() {
			for _, major := range lib.Majors {
				file := path.Join(libraryFolder(i), fmt.Sprintf("%s.so.%d", lib.File, major))
				if code := libraryCode(r, file); code.Unread() && code.Why != "" || code.Known() {
					found = append(found, machine.CodeLibrary{Library: lib.Name, Path: file, Owner: i.Path, Code: code})
				}
			}
		}
	}
	if len(found) == 0 {
		return machine.Fact[[]machine.CodeLibrary]{}
	}
	return machine.Know(found, m.ROCm.From)
}

// libraryCode reads one library. It has no reason where the library is not there, or
// was not recorded, or holds no code in itself.
func libraryCode(r host.Reader, file string) machine.Fact[machine.PythonCode] {
	code, err := codeIn(r, file, firstOfLibrary)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, host.ErrNotRecorded):
		return machine.Fact[machine.PythonCode]{}
	case err != nil:
		return machine.Unknown[machine.PythonCode](machine.Source(file), reason(err))
	case len(code.Targets) == 0:
		return machine.Fact[machine.PythonCode]{}
	}
	return machine.Know(code, machine.Source(file))
}
