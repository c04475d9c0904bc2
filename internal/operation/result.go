package operation

import (
	"encoding/json"
	"fmt"
)

// ResultSchema is the number of the JSON format of a probe.
const ResultSchema = 1

// MaxResults bounds the report of a probe that is read back.
const MaxResults = 16 << 20 // bytes

// Results are what a probe showed, read back from its JSON.
type Results struct {
	Gfx     string // effective, of the GPU that was probed; "" where there was none
	Results []Result
}

// A Result is what came of one task.
type Result struct {
	Task      string  `json:"op"`
	Operation string  `json:"operation"`
	Library   string  `json:"library"`
	Verdict   Verdict `json:"verdict"`
	Why       string  `json:"why"`
}

// ParseResults reads what rocsmith probe --format json wrote. What does not look
// like it is an error: a result that was misread must not pass for a good one.
func ParseResults(data []byte) (Results, error) {
	if len(data) > MaxResults {
		return Results{}, fmt.Errorf("the report of the probe is larger than %d MiB", MaxResults>>20)
	}
	var in struct {
		Schema  int    `json:"schema"`
		Verdict string `json:"verdict"`
		GPU     struct {
			EffectiveGfx string `json:"effective_gfx"`
		} `json:"gpu"`
		Operations []Result `json:"operations"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Results{}, fmt.Errorf("read the report of a probe: %w", err)
	}
	if in.Schema != ResultSchema || in.Verdict == "" || len(in.Operations) == 0 {
		return Results{}, fmt.Errorf("this is not what rocsmith probe --format json writes (schema %d)", ResultSchema)
	}
	for _, r := range in.Operations {
		if _, known := Lookup(r.Operation); !known || r.Task == "" || r.Verdict == "" {
			return Results{}, fmt.Errorf("the report of a probe: the result of %q names no operation that is known, or no verdict", r.Task)
		}
	}
	return Results{Gfx: in.GPU.EffectiveGfx, Results: in.Operations}, nil
}
