package job_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

// TestEnvironmentsOfTheZoo keeps what every machine needs, and what is left as it is set
// there. Those with neither are not listed.
func TestEnvironmentsOfTheZoo(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	for _, a := range zoo(t) {
		e, err := job.Environment(a.reader, "test", stopped)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Settings)+len(e.Unchanged) == 0 {
			continue
		}
		shell := report.Bash
		if e.System == "windows" {
			shell = report.PowerShell
		}
		fmt.Fprintf(&all, "== %s\n", a.name)
		if err := report.WriteEnvironment(&all, e, shell); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "../../testdata/environments.txt", all.String())
}
