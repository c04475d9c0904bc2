package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/tomltext"
	"github.com/rocsmith/rocsmith/internal/yamltext"
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
	case PyProject:
		return wellFormedTOML(data)
	}
	return nil
}

func wellFormedTOML(data []byte) error {
	_, err := tomltext.Parse(string(data))
	var syntax *tomltext.Error
	if errors.As(err, &syntax) {
		return &SyntaxError{syntax.Line, "this cannot be read as TOML: " + syntax.What}
	}
	return err
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
	_, err := yamltext.Parse(data)
	var syntax *yamltext.Error
	if !errors.As(err, &syntax) {
		return err
	}
	line := syntax.Line
	if first := firstBad(data); first > 0 {
		line = first
	}
	what := syntax.Reason
	if text := (&File{Data: data}).line(line); strings.Contains(text[:len(text)-len(strings.TrimLeft(text, " \t"))], "\t") {
		what = "a tab stands before the text of this line, where only blanks may" // the parser speaks of tokens
	}
	return &SyntaxError{line, "this cannot be read as YAML: " + what}
}

// firstBad is the line after the longest beginning of a text that is YAML. The
// parser may name the line at which a block began that did not go on as it
// should, and that may be the first one of the file. Long files keep its word.
func firstBad(data []byte) int {
	const most, tries = 64 << 10, 400
	if len(data) > most {
		return 0
	}
	end := len(bytes.TrimRight(data, "\n"))
	for range tries {
		end = bytes.LastIndexByte(data[:end], '\n')
		if end < 0 {
			return 1
		}
		if _, err := yamltext.Parse(data[:end+1]); err == nil {
			return lineAt(data, end+1)
		}
	}
	return 0
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
	if key, at, twice := givenTwice(StripJSONC(data)); twice {
		return &SyntaxError{lineAt(data, at), fmt.Sprintf("the key %q is there twice", key)}
	}
	return nil
}

// givenTwice finds a key that an object of a JSON text has already. Editors take the
// last one, and other programs the first.
func givenTwice(text []byte) (key string, at int, twice bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var open []map[string]bool // of the objects around a place; nil for lists
	wantsKey := false
	for {
		token, err := dec.Token()
		if err != nil {
			return "", 0, false
		}
		inObject := len(open) > 0 && open[len(open)-1] != nil
		name, isString := token.(string)
		switch {
		case token == json.Delim('{'):
			open, wantsKey = append(open, map[string]bool{}), true
			continue
		case token == json.Delim('['):
			open = append(open, nil)
		case token == json.Delim('}') || token == json.Delim(']'):
			open = open[:len(open)-1]
		case inObject && wantsKey && isString:
			if open[len(open)-1][name] {
				return name, int(dec.InputOffset()) - 1, true
			}
			open[len(open)-1][name] = true
			wantsKey = false
			continue
		}
		wantsKey = len(open) > 0 && open[len(open)-1] != nil
	}
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
