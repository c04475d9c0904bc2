package job_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/job"
)

// A program that somebody asks about is judged like the software that is found.
func TestProgramIsAskedAbout(t *testing.T) {
	t.Parallel()
	const file = "/opt/rocm-7.2.0/lib/librocblas.so.5"
	for _, a := range zoo(t) {
		if a.name != "runtime-healthy" {
			continue
		}
		d, err := job.Diagnose(a.reader, "test", job.Question{Programs: []string{file}}, stopped)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Findings {
			if f.Check == "runtime/libraries" && f.Subject == file && f.Verdict == check.OK && strings.Contains(f.Message, "Its HIP runtime is /opt/rocm-7.2.0/lib/libamdhip64.so.7") {
				return
			}
		}
		t.Errorf("nothing is said of it: %+v", d.Findings)
	}
}
