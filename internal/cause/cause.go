// Package cause is the catalogue of known causes: what stands between a user and a working GPU, by stable id, and the
// lines of logs that give each of them away.
package cause

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// A Cause is one thing that is known to go wrong.
type Cause struct {
	ID        string     `yaml:"id" json:"id"`
	Family    string     `yaml:"family" json:"family"`
	Title     string     `yaml:"title" json:"title"`
	Meaning   string     `yaml:"meaning" json:"meaning"`               // for a person who is not an expert
	Platforms []Platform `yaml:"platforms" json:"platforms,omitempty"` // where it can happen at all; none is everywhere
	Decide    string     `yaml:"decide" json:"decide,omitempty"`       // the one command that tells it from its neighbours
	Confirm   []string   `yaml:"confirm" json:"confirm,omitempty"`     // checks whose failure confirms it
	Refute    []string   `yaml:"refute" json:"refute,omitempty"`       // checks that are ok only where it is not the cause
	Cures     []string   `yaml:"cures" json:"cures,omitempty"`         // named in internal/cure, the best first
	Folklore  string     `yaml:"folklore" json:"folklore,omitempty"`   // what people advise, and what speaks against it
	Sources   []Source   `yaml:"sources" json:"sources,omitempty"`

	Signatures []Signature `yaml:"signatures" json:"-"` // in a file of their own: the doctor needs none
}

// A Source says where something was read, and how far it can be trusted.
type Source struct {
	Text       string `yaml:"text" json:"text"`
	Confidence string `yaml:"confidence" json:"confidence"`
}

// Benign is the family of what looks like a failure and is none.
const Benign = "benign"

// The catalogue is written as YAML, files by family and by program, and embedded in forms that are read faster.
var (
	//go:embed data/causes.json
	causeData []byte
	//go:embed data/signatures.txt
	signatureData string
)

var causes = sync.OnceValues(func() ([]Cause, error) {
	var all []Cause
	if err := json.Unmarshal(causeData, &all); err != nil {
		return nil, fmt.Errorf("read the cause catalogue: %w", err)
	}
	return all, nil
})

// All returns the causes in the order of their families.
func All() ([]Cause, error) {
	all, err := causes()
	return slices.Clone(all), err
}

// Lookup finds a cause by id.
func Lookup(id string) (Cause, bool) {
	all, _ := causes()
	return find(all, id)
}

func find(all []Cause, id string) (Cause, bool) {
	i := slices.IndexFunc(all, func(c Cause) bool { return c.ID == id })
	if i < 0 {
		return Cause{}, false
	}
	return all[i], true
}

// A Catalogue is what is known of causes and of their lines in logs.
type Catalogue struct {
	Causes     []Cause
	Signatures []Signature
}

// Embedded returns the catalogue that rocsmith carries.
func Embedded() (Catalogue, error) {
	all, err := causes()
	if err != nil {
		return Catalogue{}, err
	}
	signatures, err := parseCompact(signatureData)
	return Catalogue{Causes: slices.Clone(all), Signatures: signatures}, err
}

// Cause finds a cause by id.
func (c Catalogue) Cause(id string) (Cause, bool) { return find(c.Causes, id) }

// Plus returns the catalogue with another laid over it: a cause or signature of the same name is replaced.
func (c Catalogue) Plus(more Catalogue) Catalogue {
	out := Catalogue{Causes: slices.Clone(c.Causes), Signatures: slices.Clone(c.Signatures)}
	replaced := map[string]bool{}
	for _, m := range more.Causes {
		replaced[m.ID] = true
		if i := slices.IndexFunc(out.Causes, func(c Cause) bool { return c.ID == m.ID }); i >= 0 {
			out.Causes[i] = m
		} else {
			out.Causes = append(out.Causes, m)
		}
	}
	out.Signatures = slices.DeleteFunc(out.Signatures, func(s Signature) bool {
		return replaced[s.Cause] || slices.ContainsFunc(more.Signatures, func(m Signature) bool { return m.Name == s.Name })
	})
	out.Signatures = append(out.Signatures, more.Signatures...)
	slices.SortStableFunc(out.Signatures, func(a, b Signature) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
