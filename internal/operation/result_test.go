package operation

import (
	"strings"
	"testing"
)

const goodResults = `{"schema":1,"verdict":"fail","gpu":{"effective_gfx":"gfx1030"},"operations":[{"op":"gemm/fp32","operation":"gemm","library":"rocBLAS","verdict":"no-kernel","why":"x"}]}`

func TestParseResults(t *testing.T) {
	t.Parallel()
	got, err := ParseResults([]byte(goodResults))
	want := Result{Task: "gemm/fp32", Operation: "gemm", Library: "rocBLAS", Verdict: NoKernel, Why: "x"}
	if err != nil || got.Gfx != "gfx1030" || len(got.Results) != 1 || got.Results[0] != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for text, says := range map[string]string{
		"":  "read the report",
		"x": "read the report",
		strings.Replace(goodResults, `"schema":1`, `"schema":2`, 1):            "not what rocsmith probe",
		`{"schema":1,"verdict":"ok","machine":{},"findings":[]}`:               "not what rocsmith probe",
		strings.Replace(goodResults, `"gemm"`, `"gem"`, 1):                     "names no operation",
		strings.Replace(goodResults, `"verdict":"no-kernel"`, `"verd":"x"`, 1): "or no verdict",
		strings.Repeat(" ", MaxResults+1):                                      "larger than",
	} {
		if _, err := ParseResults([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: %v, want %q", text, err, says)
		}
	}
}

func FuzzParseResults(f *testing.F) {
	f.Add([]byte(goodResults))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ParseResults(data)
		if err != nil {
			return
		}
		for _, r := range got.Results {
			if _, known := Lookup(r.Operation); !known || r.Verdict == "" {
				t.Errorf("%q was accepted as %+v", data, r)
			}
		}
	})
}
