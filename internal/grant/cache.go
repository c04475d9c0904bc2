package grant

import (
	_ "embed"
	"fmt"
	"path"
	"sync"

	"go.yaml.in/yaml/v3"
)

// A Cache is a folder that programs on the GPU write to and want to find again.
type Cache struct {
	Name     string `yaml:"name"`     // of the folder that rocsmith keeps for it
	Variable string `yaml:"variable"` // that names it to the program
	Default  string `yaml:"default"`  // below the home directory, where the variable is not set
	// Versioned caches hold compiled code, which another version of the software
	// must not find.
	Versioned  bool   `yaml:"versioned"`
	Why        string `yaml:"why"`
	Source     string `yaml:"source"`
	Confidence string `yaml:"confidence"`
}

// Below is the folder of the cache in the folder that rocsmith keeps caches in,
// for one version of the software.
func (c Cache) Below(base, version string) string {
	if !c.Versioned {
		version = "shared"
	}
	return path.Join(base, version, c.Name)
}

//go:embed data/caches.yaml
var cacheTable []byte

var knownCaches = sync.OnceValue(func() []Cache {
	var list []Cache
	if err := yaml.Unmarshal(cacheTable, &list); err != nil {
		panic(fmt.Sprintf("the embedded table of caches: %v", err)) // a test reads it
	}
	return list
})

func caches() []Cache { return knownCaches() }
