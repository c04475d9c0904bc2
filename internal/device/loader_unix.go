//go:build (linux || darwin) && (amd64 || arm64)

package device

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/ebitengine/purego"
)

// system is the key of libraries.yaml. darwin has no such GPUs, and builds so
// that the code can be worked on there.
const system = "linux"

// supported says why libraries cannot be loaded here, if so.
func supported() error { return nil }

// dlopen binds all at once and for everybody, as the loader does for a program
// that is linked with the library the way distributions link.
func dlopen(file string) (uintptr, error) {
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func dlsym(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }

func register(function any, address uintptr) { purego.RegisterFunc(function, address) }

// loadedFrom asks the kernel which file an address came from.
func loadedFrom(_, address uintptr, otherwise string) string {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return otherwise
	}
	defer maps.Close()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x", &from, &to); n != 2 || address < from || address >= to {
			continue
		}
		if at := strings.Index(lines.Text(), "/"); at >= 0 {
			return lines.Text()[at:]
		}
	}
	return otherwise
}
