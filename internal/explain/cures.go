package explain

import (
	"maps"
	"slices"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// typed is the placeholder for a gfx that stands in something to type, where words of
// a sentence would be wrong.
const typed = "gfx_typed"

// unnamed are the words for what a log does not tell. A cure for a cause uses no other placeholders.
var unnamed = cure.Values{
	"gfx":      "your GPU's gfx",
	typed:      "GFX",
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
		if len(s.Remedies) == 0 {
			made, err := Remedies(s.Cause, m, j.surroundings.GPUs, s.Values)
			if err != nil {
				return err
			}
			s.Remedies = made
		}
		s.Fix = m.OS != "windows" && slices.ContainsFunc(s.Remedies, remedy.Remedy.Applies)
	}
	return nil
}

// Remedies makes the cures that the catalogue names for a cause concrete, with what a log told of it.
func Remedies(c cause.Cause, m *machine.Machine, gpus []string, told map[string]string) ([]remedy.Remedy, error) {
	values := maps.Clone(unnamed)
	if len(gpus) > 0 {
		values["gfx"], values[typed] = gpus[0], gpus[0]
	}
	if gfx := told["gfx"]; gfx != "" {
		values[typed] = gfx
	}
	for name, value := range told {
		if _, known := values[name]; known {
			values[name] = value
		}
	}
	var out []remedy.Remedy
	for i, id := range c.Cures {
		made, err := cure.Make(m, id, values)
		if err != nil {
			return nil, err
		}
		// What costs a login or a restart is done only where nothing is better: no
		// check has seen this fault.
		made.Apply = made.Apply && (i == 0 || made.Risk == remedy.Safe)
		out = append(out, made)
	}
	return out, nil
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
