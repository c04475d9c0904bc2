package job_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/rocsmith/rocsmith/internal/report"
)

// Whatever a machine holds, no report drives the terminal it is read on.
func TestReportsAreHarmless(t *testing.T) {
	t.Parallel()
	text := func(s report.Style) func(io.Writer, report.Diagnosis) error {
		return func(w io.Writer, d report.Diagnosis) error { return report.Text(w, d, s) }
	}
	writers := map[string]func(io.Writer, report.Diagnosis) error{
		"text": text(report.Style{Unicode: true, Verbose: true}), "plain": text(report.Style{}), "md": report.Markdown, "json": report.JSON,
	}
	seen := false
	for _, a := range zoo(t) {
		d := diagnose(t, a.reader)
		for name, write := range writers {
			var b bytes.Buffer
			if err := write(&b, d); err != nil {
				t.Fatal(err)
			}
			if i := strings.IndexFunc(b.String(), obeyed); i >= 0 {
				t.Errorf("%s, %s: a character that is obeyed: %q", a.name, name, b.String()[max(0, i-20):i+4])
			}
			seen = seen || strings.Contains(b.String(), `\u001b]0;owned\u0007`)
			if name == "json" && !json.Valid(b.Bytes()) {
				t.Errorf("%s: the JSON is none", a.name)
			}
		}
	}
	if !seen {
		t.Error("no machine of the zoo holds hostile text")
	}
}

func obeyed(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) }
