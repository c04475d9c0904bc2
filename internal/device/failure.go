package device

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// A callError is a library's "no".
type callError struct {
	table string // of codes.yaml
	call  string // "hipMalloc"
	code  int32
	text  string // the library's own words
}

func (e *callError) Error() string {
	if e.text == "" {
		return fmt.Sprintf("%s returned %d", e.call, e.code)
	}
	return fmt.Sprintf("%s returned %d: %s", e.call, e.code, e.text)
}

// A verdictError is an error whose verdict is known where it arises.
type verdictError struct {
	verdict operation.Verdict
	why     string
}

func (e *verdictError) Error() string { return e.why }

func refuse(v operation.Verdict, format string, args ...any) error {
	return &verdictError{v, fmt.Sprintf(format, args...)}
}

// verdict says what an error means.
func verdict(err error) operation.Verdict {
	var known *verdictError
	if errors.As(err, &known) {
		return known.verdict
	}
	var call *callError
	if errors.As(err, &call) {
		if v, ok := codes()[call.table].Codes[call.code]; ok {
			return v
		}
	}
	return operation.Failed
}

// A codeTable is what the codes of one library say.
type codeTable struct {
	Source string                      `yaml:"source"`
	Codes  map[int32]operation.Verdict `yaml:"codes"`
}

//go:embed data/codes.yaml
var codeData []byte

var codes = sync.OnceValue(func() map[string]codeTable { return mustParse[map[string]codeTable](codeData) })

// mustParse reads embedded data; a test reads all of it.
func mustParse[T any](data []byte) T {
	var v T
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&v); err != nil {
		panic(fmt.Errorf("read the embedded data: %w", err))
	}
	return v
}
