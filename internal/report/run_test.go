package report

import (
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/launch"
)

func TestRunText(t *testing.T) {
	t.Parallel()
	unseen := []string{"standard output went to a device, and was not looked at"}
	for name, tt := range map[string]struct {
		run  Run
		want []string // nothing at all where it is empty
	}{
		"ended well":              {Run{End: launch.End{Unseen: unseen}}, nil},
		"somebody ended it":       {Run{End: launch.End{Code: 130, Signal: "SIGINT", Interrupted: true, Unseen: unseen}}, nil},
		"ran on the processor":    {Run{Processor: "it ran on the processor"}, []string{"rocsmith: it ran on the processor"}},
		"not explained":           {Run{End: launch.End{Code: 3, Duration: 1500 * time.Millisecond, Unseen: unseen}}, []string{"sh ended with exit code 3 after 1.5s", "No line that was kept", "Not looked at: standard output"}},
		"killed":                  {Run{End: launch.End{Code: 139, Signal: "SIGSEGV", Core: true}}, []string{"sh was ended by SIGSEGV", "left a core dump"}},
		"a trace that shows some": {Run{Explanation: explain.Explanation{Verdict: explain.Failure}, Case: launch.Case{Dir: "/c"}}, []string{"The case is kept in /c"}},
	} {
		tt.run.Argv = []string{"sh"}
		var b strings.Builder
		if err := RunText(&b, tt.run, Style{}); err != nil {
			t.Fatal(err)
		}
		if len(tt.want) == 0 && b.Len() > 0 {
			t.Errorf("%s: %q", name, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if len(line) > 81 {
				t.Errorf("%s: wider than 80 columns: %q", name, line)
			}
		}
		for _, w := range tt.want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: %q is not in %q", name, w, b.String())
			}
		}
	}
}

func TestSettingLines(t *testing.T) {
	t.Parallel()
	settings := []launch.Setting{{Name: "A", Unset: true, Why: "so"}, {Name: "PATH", Value: "/x", Prepend: true, Why: "so"}, {Name: "B", Value: "1\x1b", Why: "because"}}
	short := SettingLines(settings, false)
	if len(short) != 1 || short[0] != `it runs without A, with /x first in PATH, with B=1\u001b (rocsmith env says why)` {
		t.Errorf("%q", short)
	}
	if long := SettingLines(settings, true); len(long) != 3 || !strings.HasSuffix(long[2], ": because") {
		t.Errorf("%q", long)
	}
}
