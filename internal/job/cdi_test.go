package job_test

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/cdi"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/example"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

// described is an example machine with a specification in /etc/cdi.
type described struct {
	host.Reader
	text []byte
}

func (d described) ReadFile(name string) ([]byte, error) {
	if name == cdi.DefaultFile {
		return d.text, nil
	}
	return d.Reader.ReadFile(name)
}

func (d described) ReadDir(name string) ([]host.Entry, error) {
	if name == "/etc/cdi" {
		return []host.Entry{{Name: "amd.json"}}, nil
	}
	return d.Reader.ReadDir(name)
}

func (d described) Lstat(name string) (host.Stat, error) {
	if name == "/etc/cdi" {
		return host.Stat{Mode: fs.ModeDir | 0o755}, nil
	}
	return d.Reader.Lstat(name)
}

func open(t *testing.T, name string) host.Reader {
	t.Helper()
	r, err := example.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A specification of one machine is fine there, and stale on another.
func TestCDIOfOneMachineOnAnother(t *testing.T) {
	t.Parallel()
	text, err := job.GenerateCDI(open(t, "dual-gpu"), cdi.Wish{Cards: true}, cdi.DefaultFile)
	if err != nil {
		t.Fatal(err)
	}
	s := schema(t)
	for name, want := range map[string]check.Verdict{"dual-gpu": check.OK, "healthy": check.Fail} {
		d := job.CheckCDI(described{open(t, name), text}, "test", cdi.Dirs, time.Now)
		if d.Verdict() != want || !slices.ContainsFunc(d.Findings, func(f check.Finding) bool { return f.Area() == "cdi" && f.Verdict == want }) {
			t.Errorf("%s: %s, want %s: %+v", name, d.Verdict(), want, d.Findings)
		}
		var b bytes.Buffer
		if err := errors.Join(report.JSON(&b, d), validate(t, s, b.String())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		b.Reset()
		if err := report.Text(&b, d, report.Style{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if want == check.Fail && !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "then run rocsmith cdi check again") {
			t.Errorf("what comes next is not said:\n%s", b.String())
		}
	}
}
