package rocm

import (
	"embed"
	"encoding/json"
	"fmt"
)

// The tables are written as YAML, for people, and embedded as JSON, which is read several times faster: a doctor that
// reads its books for longer than it looks at the patient is too slow. Those that are needed nearly always are Go data
// (tables.go), which need not be read at all. A test writes both and fails when they are stale.
//
//go:embed data/*.json
var data embed.FS

// load reads an embedded table. The tables are part of the program, so a broken one is a bug and panics; a test loads
// them all.
func load[T any](name string) T {
	var table T
	text, err := data.ReadFile("data/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &table)
	}
	if err != nil {
		panic(fmt.Sprintf("rocm: embedded table %s: %v", name, err))
	}
	return table
}

// words is a list that may be written as a single string.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(w))
}
