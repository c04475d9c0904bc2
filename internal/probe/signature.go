package probe

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// A signature is a text by which a library gives the reason away.
type signature struct {
	Says    []string          `yaml:"says"`    // all of it in one line
	Verdict operation.Verdict `yaml:"verdict"` // of a process that died with it; "" where it does not decide
	Cause   string            `yaml:"cause"`
	Source  string            `yaml:"source"` // where the words were read
}

//go:embed data/signatures.yaml
var signatureData []byte

var signatures = sync.OnceValues(func() ([]signature, error) { return parseSignatures(signatureData) })

func parseSignatures(data []byte) ([]signature, error) {
	var all []signature
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the signatures of a probe: %w", err)
	}
	var errs []error
	for _, s := range all {
		if _, known := cause.Lookup(s.Cause); !known || len(s.Says) == 0 || s.Source == "" {
			errs = append(errs, fmt.Errorf("the signature %q of a probe: a known cause, words and a source must be set", s.Says))
		}
	}
	return all, errors.Join(errs...)
}

// signatureIn finds the first signature in a text, and the line that holds it.
// The data is part of the program; a test reads it.
func signatureIn(text string) (signature, string, bool) {
	all, err := signatures()
	if err != nil {
		panic(err)
	}
	for _, s := range all {
		for line := range strings.Lines(text) {
			if containsAll(line, s.Says) {
				return s, shorten(strings.TrimSpace(line), 500), true
			}
		}
	}
	return signature{}, "", false
}

func containsAll(line string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(line, p) {
			return false
		}
	}
	return true
}

// CauseInWords names the cause that a library's own words give away, or "".
func CauseInWords(text string) string {
	s, _, _ := signatureIn(text)
	return s.Cause
}
