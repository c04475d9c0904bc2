package survey

import (
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// pointers lists the folders of ROCm that variables name.
func (l *linker) pointers(m *machine.Machine) []machine.Pointer {
	var out []machine.Pointer
	for _, name := range []string{"ROCM_PATH", "ROCM_HOME", "HIP_PATH"} {
		if value, set := m.Variable(name); set {
			out = append(out, l.pointer(name, value)...)
		}
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "PATH"} {
		value, _, _ := l.r.Getenv(name) // what cannot be asked points nowhere
		for folder := range strings.SplitSeq(value, ":") {
			out = append(out, l.pointer(name, folder)...)
		}
	}
	return out
}

func (l *linker) pointer(name, folder string) []machine.Pointer {
	root := rocmRoot(folder)
	if root == "" {
		return nil
	}
	return []machine.Pointer{{Variable: name, Path: shown(folder), Real: shown(l.loader.Real(path.Clean(folder))), There: exists(l.r, root)}}
}

// rocmRoot is the part of a path up to a folder that is called after ROCm.
func rocmRoot(p string) string {
	if !path.IsAbs(p) {
		return ""
	}
	parts := strings.Split(path.Clean(p), "/")
	for i, part := range parts {
		if part == "rocm" || strings.HasPrefix(part, "rocm-") {
			return strings.Join(parts[:i+1], "/")
		}
	}
	return ""
}
