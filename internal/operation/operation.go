// Package operation names what programs do on a GPU, and what each such operation needs of a machine.
package operation

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// An Operation is one kind of work that a program may ask of a GPU.
type Operation struct {
	ID       string   `yaml:"id"`
	Title    string   `yaml:"title"`     // a verb phrase: "multiply matrices"
	Library  string   `yaml:"library"`   // who does it
	BuildsOn string   `yaml:"builds_on"` // another operation that must work first
	Needs    []string `yaml:"needs"`     // checks, or whole areas, that must hold
	// ShownBy are checks of which one good answer shows that there is something
	// here that does it; those of the operation below where it is empty.
	ShownBy []string `yaml:"shown_by"`
}

//go:embed data/operations.yaml
var data []byte

var known = sync.OnceValues(func() ([]Operation, error) { return parse(data) })

// All returns the operations, in the order of a table.
func All() []Operation { return slices.Clone(book()) }

// book panics on broken data, which is part of the program; a test reads it.
func book() []Operation {
	all, err := known()
	if err != nil {
		panic(err)
	}
	return all
}

// Lookup finds an operation.
func Lookup(id string) (Operation, bool) {
	all := book()
	i := slices.IndexFunc(all, func(o Operation) bool { return o.ID == id })
	if i < 0 {
		return Operation{}, false
	}
	return all[i], true
}

// AllNeeds are the checks and areas that must hold, those of the operations it
// builds on first.
func (o Operation) AllNeeds() []string {
	var needs []string
	if below, ok := Lookup(o.BuildsOn); ok {
		needs = below.AllNeeds()
	}
	for _, n := range o.Needs {
		if !slices.Contains(needs, n) {
			needs = append(needs, n)
		}
	}
	return needs
}

// AllShownBy are the checks of which one good answer shows that the operation has
// somebody to do it.
func (o Operation) AllShownBy() []string {
	if below, ok := Lookup(o.BuildsOn); ok && len(o.ShownBy) == 0 {
		return below.AllShownBy()
	}
	return o.ShownBy
}

// IDs are the names of all operations.
func IDs() []string {
	var ids []string
	for _, o := range book() {
		ids = append(ids, o.ID)
	}
	return ids
}

// Known returns an error that lists the names where one is not an operation.
func Known(ids []string) error {
	for _, id := range ids {
		if _, ok := Lookup(id); !ok {
			return fmt.Errorf("there is no operation %q; choose from %s", id, strings.Join(IDs(), ", "))
		}
	}
	return nil
}

// parse wants an operation to stand after the one that it builds on, which also
// rules out circles.
func parse(data []byte) ([]Operation, error) {
	var all []Operation
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the operations: %w", err)
	}
	earlier := map[string]bool{"": true}
	var errs []error
	for _, o := range all {
		switch {
		case o.ID == "" || o.Title == "" || o.Library == "":
			errs = append(errs, fmt.Errorf("operation %q: id, title and library must be set", o.ID))
		case earlier[o.ID]:
			errs = append(errs, fmt.Errorf("operation %q stands twice", o.ID))
		case !earlier[o.BuildsOn]:
			errs = append(errs, fmt.Errorf("operation %q builds on %q, which does not stand before it", o.ID, o.BuildsOn))
		}
		earlier[o.ID] = true
	}
	return all, errors.Join(errs...)
}
