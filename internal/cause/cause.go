// Package cause is the catalogue of known causes: what stands between a user and a working GPU, by stable id.
package cause

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// A Cause is one thing that is known to go wrong.
type Cause struct {
	ID      string `yaml:"id"`
	Family  string `yaml:"family"`
	Title   string `yaml:"title"`
	Meaning string `yaml:"meaning"` // for a person who is not an expert
}

// data holds a file for each family.
//
//go:embed data/*.yaml
var data embed.FS

var catalogue = sync.OnceValues(func() ([]Cause, error) { return readAll(data) })

func readAll(files fs.FS) ([]Cause, error) {
	names, err := fs.Glob(files, "data/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the cause catalogue: %w", err)
		}
		all = append(append(all, text...), '\n')
	}
	return parse(all)
}

// All returns the catalogue in its own order.
func All() ([]Cause, error) {
	all, err := catalogue()
	return slices.Clone(all), err
}

// Lookup finds a cause by id.
func Lookup(id string) (Cause, bool) {
	all, _ := catalogue()
	i := slices.IndexFunc(all, func(c Cause) bool { return c.ID == id })
	if i < 0 {
		return Cause{}, false
	}
	return all[i], true
}

func parse(data []byte) ([]Cause, error) {
	var all []Cause
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the cause catalogue: %w", err)
	}
	seen := map[string]bool{}
	var errs []error
	for _, c := range all {
		if c.ID == "" || c.Family == "" || c.Title == "" || c.Meaning == "" || seen[c.ID] {
			errs = append(errs, fmt.Errorf("cause %q: every field must be set and the id be its own", c.ID))
		}
		seen[c.ID] = true
	}
	return all, errors.Join(errs...)
}
