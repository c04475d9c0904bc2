package cli_test

import (
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
	app := cli.App{
		Version: "test", Stdin: open("in", input), Stdout: open("out", ""), Stderr: open("err", ""),
		Getenv: func(string) string { return "" }, Environ: func() []string { return []string{"PATH=/usr/bin:/bin", "HSA_OVERRIDE_GFX_VERSION=10.3.0"} },
		Host: p, Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) },
	}
	if got := app.Run(append([]string{"run"}, args...)); got != wantExit {
		t.Errorf("rocsmith run %s: exit %d, want %d", strings.Join(args, " "), got, wantExit)
	}
	out, _ := os.ReadFile(filepath.Join(dir, "out"))
	errs, _ := os.ReadFile(filepath.Join(dir, "err"))
	return string(out), string(errs)
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
