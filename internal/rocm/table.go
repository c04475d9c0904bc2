package rocm

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed data/*.yaml
var data embed.FS

// load parses an embedded table. The tables are part of the program, so a broken one is a bug and panics; a test
// loads them all.
func load[T any](name string) T {
	table, err := decode[T](name)
	if err != nil {
		panic(fmt.Sprintf("rocm: embedded table %s: %v", name, err))
	}
	return table
}

func decode[T any](name string) (T, error) {
	var table T
	text, err := data.ReadFile("data/" + name)
	if err != nil {
		return table, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true) // a misspelt key would otherwise be a fact silently lost
	err = decoder.Decode(&table)
	return table, err
}

// row is one row of a table: its fields and its citation.
type row[T any] struct {
	Fields     T          `yaml:",inline"`
	Source     words      `yaml:"src"`
	Confidence Confidence `yaml:"conf"`
	Verified   *bool
}

// words is a list that may be written as a single string.
type words []string

func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = words{node.Value}
		return nil
	}
	return node.Decode((*[]string)(w))
}

// sources maps the short keys that rows cite to the full text.
type sources map[string]string

func (s sources) provenance(keys []string, confidence Confidence, verified *bool) (Provenance, error) {
	switch confidence {
	case Documented, SourceCode, Community:
	default:
		return Provenance{}, fmt.Errorf("confidence %q is none of ours", confidence)
	}
	if len(keys) == 0 {
		return Provenance{}, errors.New("no source")
	}
	texts := make([]string, len(keys))
	for i, key := range keys {
		text, ok := s[key]
		if !ok {
			return Provenance{}, fmt.Errorf("source %q is not in the list of sources", key)
		}
		texts[i] = text
	}
	return Provenance{
		Source:     strings.Join(texts, "; "),
		Confidence: confidence,
		Unverified: verified != nil && !*verified,
	}, nil
}

// cited is a pointer to a row type that embeds Provenance.
type cited[T any] interface {
	*T
	cite(Provenance)
}

// rows gives each row its provenance.
func rows[T any, P cited[T]](s sources, raw []row[T]) []T {
	out := make([]T, len(raw))
	for i, r := range raw {
		out[i] = oneRow[T, P](s, r)
	}
	return out
}

func oneRow[T any, P cited[T]](s sources, r row[T]) T {
	provenance, err := s.provenance(r.Source, r.Confidence, r.Verified)
	if err != nil {
		// Not %+v: a row prints as its provenance, which is what it lacks here.
		panic(fmt.Sprintf("rocm: embedded row %#v: %v", r.Fields, err))
	}
	P(&r.Fields).cite(provenance)
	return r.Fields
}
