package operation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Service is a part of an application, and the operations that it needs.
type Service struct {
	Name  string
	Needs []string // ids of operations
}

// Limits of a table of services.
const (
	MaxServices = 64 << 10 // bytes
	mostNeeds   = 1000     // rows, and operations of one row
)

// ParseServices reads a table of services, "name: [gemm, conv2d]" a line, as
// YAML or JSON. An operation that nobody knows is an error: a service whose
// needs were misread must not pass for one that is served.
func ParseServices(data []byte) ([]Service, error) {
	if len(data) > MaxServices {
		return nil, fmt.Errorf("the table of services is larger than %d KiB", MaxServices>>10)
	}
	var table yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&table); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the table of services is empty")
	case err != nil:
		return nil, fmt.Errorf("read the table of services: %w", err)
	}
	if len(table.Content) != 1 || table.Content[0].Kind != yaml.MappingNode || len(table.Content[0].Content) == 0 {
		return nil, errors.New(`the table of services holds no rows of the form "name: [gemm, conv2d]"`)
	}
	rows := table.Content[0].Content
	if len(rows) > 2*mostNeeds {
		return nil, fmt.Errorf("the table of services has more than %d rows", mostNeeds)
	}
	services := make([]Service, 0, len(rows)/2)
	for i := 0; i+1 < len(rows); i += 2 {
		s, err := parseService(rows[i], rows[i+1])
		if err != nil {
			return nil, fmt.Errorf("line %d of the table of services: %w", rows[i].Line, err)
		}
		if slices.ContainsFunc(services, func(o Service) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("line %d of the table of services: %q stands twice", rows[i].Line, s.Name)
		}
		services = append(services, s)
	}
	return services, nil
}

func parseService(key, value *yaml.Node) (Service, error) {
	s := Service{Name: strings.TrimSpace(key.Value)}
	if key.Kind != yaml.ScalarNode || s.Name == "" {
		return s, errors.New("the name of a service is missing")
	}
	switch value.Kind {
	case yaml.ScalarNode:
		s.Needs = strings.FieldsFunc(value.Value, func(c rune) bool { return c == ',' || c == ' ' })
	case yaml.SequenceNode:
		for _, n := range value.Content {
			s.Needs = append(s.Needs, n.Value)
		}
	default:
		return s, fmt.Errorf("the operations of %q are not a list", s.Name)
	}
	if len(s.Needs) == 0 || len(s.Needs) > mostNeeds {
		return s, fmt.Errorf("%q names no operations, or too many", s.Name)
	}
	if err := Known(s.Needs); err != nil {
		return s, fmt.Errorf("%q: %w", s.Name, err)
	}
	return s, nil
}
