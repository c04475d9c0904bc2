package explain

import (
	"maps"
	"slices"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// unnamed are the words for what a log does not tell. A cure for a cause uses no other placeholders.
var unnamed = cure.Values{
	"gfx":      "your GPU's gfx",
	"library":  "the library",
	"path":     "the path in the message",
	"module":   "the package",
	"version":  "the version",
	"symbol":   "the symbol",
	"firmware": "the firmware file",
	"kernel":   "your kernel",
	"variable": "the variable",
	"value":    "its value",
}

// cures adds to each suspect the cures that the catalogue names, unless the machine's own findings brought better ones.
func (j *judge) cures(list []Suspect) error {
	m := j.surroundings.machine()
	for i := range list {
		s := &list[i]
		if len(s.Remedies) > 0 {
			continue
		}
		values := maps.Clone(unnamed)
		if len(j.surroundings.GPUs) > 0 {
			values["gfx"] = j.surroundings.GPUs[0]
		}
		for name, value := range s.Values {
			if _, known := values[name]; known {
				values[name] = value
			}
		}
		for _, id := range s.Cause.Cures {
			made, err := cure.Make(m, id, values)
			if err != nil {
				return err
			}
			s.Remedies = append(s.Remedies, made)
		}
	}
	return nil
}

// machine is as much of a machine as a log tells: cures read differently on Windows and in containers.
func (s Surroundings) machine() *machine.Machine {
	if s.Examined != nil {
		return s.Examined
	}
	m, log := &machine.Machine{OS: "linux"}, machine.Source("the log")
	switch {
	case slices.Contains(s.Platform, cause.PlatformWindows):
		m.OS = "windows"
		m.Distro = machine.Know(machine.Distro{ID: "windows"}, log)
	case slices.Contains(s.Platform, cause.PlatformKubernetes):
		m.Container = machine.Know(machine.Container{Kind: "kubernetes"}, log)
	case slices.Contains(s.Platform, cause.PlatformContainer):
		m.Container = machine.Know(machine.Container{Kind: "docker"}, log)
	}
	return m
}
