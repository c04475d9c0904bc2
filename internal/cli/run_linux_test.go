package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/cli"
)

// run runs rocsmith run on the patient, with files for its streams.
func (p patient) run(t *testing.T, wantExit int, input string, args ...string) (stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	open := func(name, text string) *os.File {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	p.runWith(t, wantExit, open("in", input), open("out", ""), open("err", ""), args...)
	out, _ := os.ReadFile(filepath.Join(dir, "out"))
	errs, _ := os.ReadFile(filepath.Join(dir, "err"))
	return string(out), string(errs)
}

// runWith runs it with these streams.
func (p patient) runWith(t *testing.T, wantExit int, stdin, stdout, stderr *os.File, args ...string) {
	t.Helper()
	app := cli.App{
		Version: "test", Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Getenv: func(string) string { return "" }, Environ: func() []string { return []string{"PATH=/usr/bin:/bin", "HSA_OVERRIDE_GFX_VERSION=10.3.0"} },
		Host: p, Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) },
	}
	if got := app.Run(append([]string{"run"}, args...)); got != wantExit {
		t.Errorf("rocsmith run %s: exit %d, want %d", strings.Join(args, " "), got, wantExit)
	}
}

const dies = `cat; if test -e again; then echo "${HSA_OVERRIDE_GFX_VERSION-unset}"; exit 0; fi; touch again; echo "HSA_OVERRIDE_GFX_VERSION 10.3.0 is invalid" >&2; exit 1`

// TestRetryWithFix: the cure is applied through the journal, the input is read
// again, and the second end is the end.
func TestRetryWithFix(t *testing.T) {
	t.Parallel()
	p := admit(t)
	script := "cd " + p.home + "; " + dies
	out, said := p.run(t, 0, "input\n", "--retry-with-fix", "--", "sh", "-c", script)
	if out != "input\ninput\nunset\n" {
		t.Errorf("it wrote %q and said\n%s", out, said)
	}
	for _, want := range []string{"hsa-override-wrong", "it runs without HSA_OVERRIDE_GFX_VERSION", "done (rocsmith undo ", "the command is run again"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if data, err := os.ReadFile(p.bashrc()); err != nil || string(data) == rc {
		t.Errorf(".bashrc holds %q (%v)", data, err)
	}
	p.call(t, 0, "undo", "--last", "--yes")
	p.holds(t, rc)
}

// TestRunChangesNothingUnasked: without the flag nothing is cured and nothing is run
// twice.
func TestRunChangesNothingUnasked(t *testing.T) {
	t.Parallel()
	p := admit(t)
	out, said := p.run(t, 1, "input\n", "--", "sh", "-c", "cd "+p.home+"; "+dies)
	if out != "input\n" || strings.Contains(said, "run again") {
		t.Errorf("it wrote %q and said\n%s", out, said)
	}
	p.holds(t, rc)
}

// TestRunKeepsTheCodeWhereNobodyHears: a report that cannot be written leaves the
// exit code to the command.
func TestRunKeepsTheCodeWhereNobodyHears(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no device that is full: %v", err)
	}
	defer func() { _ = full.Close() }()
	admit(t).runWith(t, 3, full, full, full, "--", "sh", "-c", "exit 3")
}

// TestRetryLeavesTheInputAlone: a loop that reads the same file goes on with its
// next line, and a second run begins where the first did.
func TestRetryLeavesTheInputAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script     string
		runs, exit int
	}{
		"nothing to cure": {"exit 4", 1, 4},
		"cured":           {strings.TrimPrefix(dies, "cat; "), 2, 0},
	} {
		p := admit(t)
		file := filepath.Join(p.home, "list")
		if err := os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		out, err := os.Create(filepath.Join(p.home, "out"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(in, make([]byte, len("one\n"))); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = out.Close() }()
		p.runWith(t, tt.exit, in, out, out, "--retry-with-fix", "--", "sh", "-c", "cd "+p.home+`; read -r x; echo "$x"; `+tt.script)
		rest, err := io.ReadAll(in)
		if err != nil || string(rest) != "three\n" {
			t.Errorf("%s: left to read: %q (%v)", name, rest, err)
		}
		if wrote, err := os.ReadFile(out.Name()); err != nil || strings.Count(string(wrote), "two\n") != tt.runs {
			t.Errorf("%s: %v\n%s", name, err, wrote)
		}
	}
}
