package job_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/example"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before you accept it")

const (
	zooDir    = "../../testdata/machines"
	goldenDir = "../../testdata/golden"
)

// An animal is one machine of the zoo.
type animal struct {
	name   string
	reader host.Reader
}

// zoo returns the machines of testdata and the embedded examples.
func zoo(t testing.TB) []animal {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(zooDir, "*.snapshot"))
	if err != nil || len(files) < 20 {
		t.Fatalf("the zoo has %d machines (%v)", len(files), err)
	}
	var all []animal
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := host.ParseSnapshot(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, animal{strings.TrimSuffix(filepath.Base(file), ".snapshot"), s})
	}
	for _, name := range example.Names() {
		r, err := example.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, animal{"example-" + name, r})
	}
	return all
}

// stopped is a clock that does not run.
func stopped() time.Time { return time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC) }

func diagnose(t testing.TB, r host.Reader) report.Diagnosis {
	t.Helper()
	d, err := job.Diagnose(r, "test", job.Question{}, stopped)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestZooIsGolden(t *testing.T) {
	t.Parallel()
	for _, a := range zoo(t) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			d := diagnose(t, a.reader)
			m, err := json.MarshalIndent(d.Machine, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, a.name+".machine.json", string(m)+"\n")
			compare(t, a.name+".findings.txt", transcript(d))
		})
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join(goldenDir, name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs; run go test ./internal/job -update and read the difference\n--- got\n%s", name, got)
	}
}

// transcript writes all findings so that a difference reads like a change of
// mind.
func transcript(d report.Diagnosis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict: %s\n", d.Verdict())
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "\n%s %s [%s]", f.Verdict, f.Check, f.Subject)
		if f.Cause != "" {
			fmt.Fprintf(&b, " %s", f.Cause)
		}
		fmt.Fprintf(&b, "\n  %s\n", f.Message)
		if f.Verdict == check.OK || f.Verdict == check.Skipped {
			continue
		}
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "  evidence %s: %s\n", e.From, e.Text)
		}
		for _, r := range f.Remedies {
			fmt.Fprintf(&b, "  cure %s (%s): %s\n", r.ID, r.Risk, r.Title)
			for _, s := range r.Steps {
				fmt.Fprintf(&b, "    %s: %s\n", s.Kind, s.Text)
				if s.Command != "" {
					fmt.Fprintf(&b, "      %s\n", s.Command)
				}
			}
		}
	}
	// A golden file is read on a terminal.
	return strings.ReplaceAll(b.String(), "\x1b", `\x1b`)
}

func TestGoldenFilesHaveMachines(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, a := range zoo(t) {
		known[a.name] = true
	}
	files, err := filepath.Glob(filepath.Join(goldenDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".machine.json"), ".findings.txt")
		if !known[name] {
			t.Errorf("%s is the golden file of no machine", file)
		}
	}
}
