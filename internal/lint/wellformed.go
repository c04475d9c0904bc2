package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
)

// A SyntaxError is a line at which a file stops being what it should be.
type SyntaxError struct {
	Line int // 0 where it is not known
	What string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.What
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.What)
}

// WellFormed says whether a file of a kind can be parsed; the error is a
// *SyntaxError. Formats that lint reads line by line are always.
func WellFormed(kind Kind, data []byte) error {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return &SyntaxError{lineAt(data, i), "a zero byte stands here: this is no UTF-8 text"}
	}
	switch kind {
	case Compose, Kubernetes:
		return wellFormedYAML(data)
	case DevContainer:
		return wellFormedJSONC(data)
	case Dockerfile:
		return wellFormedDockerfile(data)
	}
	return nil
}

func wellFormedDockerfile(data []byte) error {
	_, err := dockerfile.Parse(data)
	var syntax *dockerfile.SyntaxError
	if errors.As(err, &syntax) {
		return &SyntaxError{syntax.Line, "docker cannot build this: " + syntax.What}
	}
	return err
}

func wellFormedYAML(data []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return yamlError(err)
		}
		if err := uniqueKeys(&doc); err != nil {
			return err
		}
	}
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)`) })

func yamlError(err error) error {
	m := yamlLine().FindStringSubmatch(strings.Join(strings.Fields(err.Error()), " "))
	line, _ := strconv.Atoi(m[1]) // 0 where it is not said
	return &SyntaxError{line, "this is not YAML: " + m[2]}
}

// uniqueKeys wants no key twice in a mapping: programs disagree on which one
// counts, and compose refuses the file.
func uniqueKeys(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]int, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				continue
			}
			if first, twice := seen[key.Value]; twice {
				return &SyntaxError{key.Line, fmt.Sprintf("the key %q stands in line %d already", key.Value, first)}
			}
			seen[key.Value] = key.Line
		}
	}
	for _, c := range n.Content {
		if err := uniqueKeys(c); err != nil {
			return err
		}
	}
	return nil
}

func wellFormedJSONC(data []byte) error {
	var value any
	err := json.Unmarshal(StripJSONC(data), &value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &SyntaxError{lineAt(data, int(syntax.Offset)-1), "this is not JSON: " + syntax.Error()}
	case err != nil:
		return &SyntaxError{0, "this is not JSON: " + err.Error()}
	}
	return nil
}

// StripJSONC makes JSON of JSON with comments and trailing commas. Blanks take the
// place of what goes, so that every position stays what it was.
func StripJSONC(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1 // the last one with nothing but blanks behind it
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			comma, i = -1, endOfString(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blank(out, i, endOfComment(out, i))
		case c == ',':
			comma, i = i, i+1
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
			comma, i = -1, i+1
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		default:
			comma, i = -1, i+1
		}
	}
	return out
}

func endOfString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(text))
}

func endOfComment(text []byte, i int) int {
	end, more := "\n", 0
	if text[i+1] == '*' {
		end, more = "*/", 2
	}
	n := bytes.Index(text[i+2:], []byte(end))
	if n < 0 {
		return len(text)
	}
	return i + 2 + n + more
}

func blank(text []byte, from, to int) int {
	for i := from; i < to; i++ {
		if text[i] != '\n' && text[i] != '\r' {
			text[i] = ' '
		}
	}
	return to
}

// lineAt counts lines from 1.
func lineAt(data []byte, offset int) int {
	return bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n")) + 1
}
