//go:build amd64 || arm64

package device

import (
	"fmt"
	"path/filepath"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/windows"
)

// system is the key of libraries.yaml.
const system = "windows"

// supported says why libraries cannot be loaded here, if so.
func supported() error { return nil }

// dlopen lets a library that is named with its folder find those that it needs
// beside it.
func dlopen(file string) (uintptr, error) {
	var flags uintptr
	if filepath.IsAbs(file) {
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	handle, err := windows.LoadLibraryEx(file, 0, flags)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return uintptr(handle), nil
}

func dlsym(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

func register(function any, address uintptr) { purego.RegisterFunc(function, address) }

// loadedFrom asks the system which file a handle stands for.
func loadedFrom(handle, _ uintptr, otherwise string) string {
	name := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetModuleFileName(windows.Handle(handle), &name[0], uint32(len(name)))
	if err != nil {
		return otherwise
	}
	return windows.UTF16ToString(name[:n])
}
