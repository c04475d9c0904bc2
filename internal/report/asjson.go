package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// asJSON writes a report for programs, without what would rule the terminal of a person who reads it.
func asJSON(w io.Writer, value any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	if _, err := w.Write(harmlessJSON(text.Bytes())); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	return nil
}
