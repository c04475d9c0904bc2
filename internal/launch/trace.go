package launch

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// A layer is one variable that makes a layer of ROCm write down what it does.
type layer struct {
	Variable   string `yaml:"variable"`
	Value      string `yaml:"value"`
	Meaning    string `yaml:"meaning"`
	Stderr     bool   `yaml:"stderr"` // it knows no file
	Source     string `yaml:"source"`
	Confidence string `yaml:"confidence"`
}

//go:embed data/trace.yaml
var traceTable []byte

var layers = table[layer](&traceTable)

// Trace are the variables that make the layers write into a folder. A value that
// somebody chose stays.
func Trace(folder string, get Lookup) []Setting {
	var out []Setting
	for _, l := range layers() {
		if _, set := get(l.Variable); set {
			continue
		}
		s := Setting{Name: l.Variable, Value: strings.ReplaceAll(l.Value, "{folder}", folder), Why: l.Meaning, Check: "--trace"}
		if s.Value != l.Value {
			s.Shared = folder
		}
		out = append(out, s)
	}
	return out
}

// Words are what a program says when it computes on the processor.
type words struct {
	Text       string `yaml:"text"`
	Who        string `yaml:"who"`
	Source     string `yaml:"source"`
	Confidence string `yaml:"confidence"`
}

//go:embed data/processor.yaml
var processorTable []byte

var processorWords = table[words](&processorTable)

// OnProcessor finds the line in which a program says that it computes on the
// processor, and which program that is.
func OnProcessor(text []byte) (who, line string, ok bool) {
	lower := lowered(text)
	for _, w := range processorWords() {
		at := bytes.Index(lower, []byte(strings.ToLower(w.Text)))
		if at < 0 {
			continue
		}
		begin := bytes.LastIndexByte(text[:at], '\n') + 1
		rest, _, _ := bytes.Cut(text[begin:], []byte{'\n'})
		const most = 300
		return w.Who, strings.TrimSpace(string(rest[:min(len(rest), most)])), true
	}
	return "", "", false
}

// lowered is a text in lower case, byte for byte as long as it was: bytes that are
// no characters, and some that are, would change the place of what follows them.
func lowered(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}

// table reads an embedded table when it is first needed.
func table[T any](data *[]byte) func() []T {
	return sync.OnceValue(func() []T {
		var list []T
		if err := yaml.Unmarshal(*data, &list); err != nil {
			panic(fmt.Sprintf("an embedded table: %v", err)) // a test reads it
		}
		return list
	})
}
