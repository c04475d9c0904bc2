package job_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/programtest"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A lodged machine is one of the zoo whose user has a folder for rocsmith here.
type lodged struct {
	host.Reader
	state string
}

func (h lodged) Getenv(name string) (string, bool, error) {
	if name == "XDG_STATE_HOME" {
		return h.state, true, nil
	}
	return h.Reader.Getenv(name)
}

// machineOf is a machine of the zoo; after its name, one text of it may be replaced by
// another.
func machineOf(t *testing.T, name string) host.Reader {
	t.Helper()
	parts := strings.Split(name, "|")
	data, err := os.ReadFile(filepath.Join(zooDir, parts[0]+".snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) == 3 {
		data = bytes.ReplaceAll(data, []byte(parts[1]), []byte(parts[2]))
	}
	s, err := host.ParseSnapshot(data)
	if err != nil {
		t.Fatal(err)
	}
	return lodged{s, t.TempDir()}
}

// A ran is what became of a command, and what a person saw.
type ran struct {
	run    report.Run
	err    error
	said   string
	stdout string
}

func runOn(t *testing.T, machine string, q job.RunQuestion) ran {
	t.Helper()
	var out ran
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	text := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(r)
		text <- string(data)
	}()
	q.Streams = launch.Streams{Stdin: null, Stdout: w, Stderr: w}
	q.Environ = append([]string{"PATH=" + os.Getenv("PATH")}, q.Environ...)
	q.Say = func(line string) { out.said += line + "\n" }
	q.Catalogue = cause.Embedded
	out.run, out.err = job.Runner{Host: machineOf(t, machine), Version: "test", Now: stopped}.Run(q)
	_ = w.Close()
	out.stdout = <-text
	_ = r.Close()
	return out
}

func script(text string) job.RunQuestion { return job.RunQuestion{Argv: []string{"sh", "-c", text}} }

func TestRunGivesWhatEnvDecides(t *testing.T) {
	t.Parallel()
	q := script("echo ${HSA_OVERRIDE_GFX_VERSION-unset}")
	q.Environ = []string{"HSA_OVERRIDE_GFX_VERSION=gfx1100"}
	got := runOn(t, "override-invalid", q)
	if got.err != nil || got.stdout != "unset\n" || !strings.Contains(got.said, "it runs without HSA_OVERRIDE_GFX_VERSION") {
		t.Errorf("%+v", got)
	}
	q.Verbose = true
	if got := runOn(t, "override-invalid", q); !strings.Contains(got.said, "is not a version the runtime understands") {
		t.Errorf("%q", got.said)
	}
	if got := runOn(t, "miopen-healthy", q); got.stdout != "gfx1100\n" || got.said != "" {
		t.Errorf("a machine that needs nothing: %+v", got)
	}
}

// TestGPUsHiddenOnPurpose stay hidden: it is how people compute on the processor, and
// what rocsmith itself advises for it. Only who requires a GPU is stopped.
func TestGPUsHiddenOnPurpose(t *testing.T) {
	t.Parallel()
	const machine = `visible-cut-short|HIP_VISIBLE_DEVICES="0,3"|HIP_VISIBLE_DEVICES="-1"`
	q := script("echo ${HIP_VISIBLE_DEVICES-unset}")
	q.Environ = []string{"HIP_VISIBLE_DEVICES=-1"}
	if got := runOn(t, machine, q); got.err != nil || got.stdout != "-1\n" || !strings.Contains(got.said, "HIP_VISIBLE_DEVICES=-1 hides every GPU") {
		t.Errorf("%+v", got)
	}
	q.RequireGPU = true
	if got := runOn(t, machine, q); got.err == nil || got.stdout != "" {
		t.Errorf("%+v", got)
	}
	boxed := job.RunQuestion{Argv: []string{"train"}, Place: job.Container{Image: "img", Engine: "docker"}, Environ: append(toldEngine(t), "HIP_VISIBLE_DEVICES=-1")}
	if got := runOn(t, machine, boxed); got.err != nil || !strings.Contains(got.stdout, "\nHIP_VISIBLE_DEVICES\n") {
		t.Errorf("%+v", got)
	}
}

// TestGPUsHiddenTwice: what hides them behind another variable goes too, or is said.
func TestGPUsHiddenTwice(t *testing.T) {
	t.Parallel()
	const machine = "visible-disagree|CUDA_VISIBLE_DEVICES=\"1\"\nHIP_VISIBLE_DEVICES=\"0\"|CUDA_VISIBLE_DEVICES=\"%s\"\nHIP_VISIBLE_DEVICES=\"7\""
	for cuda, want := range map[string]string{"5": "unset unset\n", "0": "unset 0\n", "-1": ""} {
		q := script("echo ${HIP_VISIBLE_DEVICES-unset} ${CUDA_VISIBLE_DEVICES-unset}")
		q.RequireGPU = true
		q.Environ = []string{"HIP_VISIBLE_DEVICES=7", "CUDA_VISIBLE_DEVICES=" + cuda}
		if got := runOn(t, fmt.Sprintf(machine, cuda), q); got.stdout != want || (got.err == nil) != (want != "") {
			t.Errorf("CUDA_VISIBLE_DEVICES=%s: %q %v", cuda, got.stdout, got.err)
		}
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		machine string
		require bool
		starts  bool
		says    string
	}{
		{"host-not-in-group", true, false, "access/kfd"},
		{"host-not-in-group", false, true, "access/kfd"},
		{"intel-laptop", true, false, "there is no AMD GPU here"},
		{"intel-laptop", false, true, "there is no AMD GPU here"},
		{"miopen-healthy", true, true, ""},
		{"override-invalid", true, true, "it runs without HSA_OVERRIDE_GFX_VERSION"}, // cured by what it is given
	} {
		q := script("echo started")
		q.RequireGPU = tt.require
		got := runOn(t, tt.machine, q)
		var start *launch.StartError
		stopped := errors.As(got.err, &start) && start.Code == launch.ExitBefore
		if stopped == tt.starts || (got.stdout == "started\n") != tt.starts {
			t.Errorf("%s, %v: %v %q", tt.machine, tt.require, got.err, got.stdout)
		}
		text := got.said
		if got.err != nil {
			text = got.err.Error()
		}
		if !strings.Contains(text, tt.says) || tt.says == "" && text != "" || strings.Count(strings.TrimSpace(text), "\n") > 0 {
			t.Errorf("%s: %q", tt.machine, text)
		}
	}
}

func TestRunExplains(t *testing.T) {
	t.Parallel()
	got := runOn(t, "miopen-left-by-root", script(`echo 'MIOpen(HIP): Error [x] Internal error while accessing SQLite database: attempt to write a readonly database'; exit 1`))
	if got.err != nil || len(got.run.Explanation.Causes) == 0 {
		t.Fatalf("%+v", got)
	}
	if c := got.run.Explanation.Causes[0]; c.Cause.ID != "miopen-db-readonly" || len(c.ConfirmedBy) == 0 {
		t.Errorf("%s, confirmed by %v", c.Cause.ID, c.ConfirmedBy)
	}
	var text strings.Builder
	if err := report.RunText(&text, got.run, report.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sh ended with exit code 1", "This machine says the same", "cure", got.run.Case.Dir} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

// TestRunSaysThatItRanOnTheProcessor rests on the program's own words.
func TestRunSaysThatItRanOnTheProcessor(t *testing.T) {
	t.Parallel()
	words := script("echo 'UserWarning: FP16 is not supported on CPU; using FP32 instead'")
	if got := runOn(t, "miopen-healthy", words); !strings.Contains(got.run.Processor, "a line of Whisper says that it computes on the processor") {
		t.Errorf("%q", got.run.Processor)
	}
	if got := runOn(t, "intel-laptop", words); got.run.Processor != "" {
		t.Errorf("there is no GPU: %q", got.run.Processor)
	}
	if got := runOn(t, "miopen-healthy", script("true")); got.run.Processor != "" {
		t.Errorf("a command that needs none: %q", got.run.Processor)
	}
}

func TestRunInAPythonEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/bin", 0o700); err != nil {
		t.Fatal(err)
	}
	programtest.Write(t, dir+"/bin/python", "#!/bin/sh\necho \"$VIRTUAL_ENV ${PYTHONHOME-none}\"\n")
	place, err := job.InEnvironment(host.Live(), dir)
	if err != nil {
		t.Fatal(err)
	}
	got := runOn(t, "miopen-healthy", job.RunQuestion{Argv: []string{"python"}, Place: place, Environ: []string{"PYTHONHOME=/elsewhere"}})
	if got.err != nil || got.stdout != dir+" none\n" {
		t.Errorf("%q %v", got.stdout, got.err)
	}
	if _, err := job.InEnvironment(host.Live(), dir+"/bin"); err == nil {
		t.Error("a folder without Python was taken for an environment")
	}
	if err := errors.Join(os.Remove(dir+"/bin/python"), os.Symlink("/nosuch/python3.9", dir+"/bin/python")); err != nil {
		t.Fatal(err)
	}
	if _, err := job.InEnvironment(host.Live(), dir); err == nil || !strings.Contains(err.Error(), "/nosuch/python3.9, which is not there") {
		t.Errorf("an environment whose Python is gone: %v", err)
	}
}

func TestTraceIsKeptAndExplained(t *testing.T) {
	t.Parallel()
	q := script(`echo "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!" >"$AMD_LOG_LEVEL_FILE"`)
	q.Trace = true
	got := runOn(t, "miopen-healthy", q)
	if got.err != nil || got.run.End.Code != 0 || len(got.run.Explanation.Causes) == 0 {
		t.Fatalf("%+v", got)
	}
	if e := got.run.Explanation.Causes[0].Evidence; len(e) == 0 || e[0].File != "hip.log" {
		t.Errorf("%+v", e)
	}
}

// TestQuickLookAgrees: the look that decides whether a command has to wait sees the
// GPUs that the whole survey sees.
func TestQuickLookAgrees(t *testing.T) {
	t.Parallel()
	for _, a := range zoo(t) {
		quick, whole := survey.GPUs(a.reader), diagnose(t, a.reader).Machine
		if quick.GPUs.Unread() {
			continue
		}
		var x, y []string
		for _, g := range quick.AMDGPUs() {
			x = append(x, g.Address)
		}
		for _, g := range whole.AMDGPUs() {
			y = append(y, g.Address)
		}
		if !slices.Equal(x, y) {
			t.Errorf("%s: %v and %v", a.name, x, y)
		}
	}
}
