package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/programtest"
)

// toldEngine puts an engine first in PATH that prints what it is told to run.
func toldEngine(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	text := `#!/bin/sh
case "$1" in
context) echo unix:///nosuch ;;
info) echo '{"ServerVersion":"28.0"}' ;;
image) echo '{"Id":"sha256:abcdef"}' ;;
run) printf '%s\n' "$@" ;;
esac
`
	programtest.Write(t, filepath.Join(dir, "docker"), text)
	return []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
}

// TestTraceInAContainer: the layers write into files of the case there too, and not
// among the command's own lines.
func TestTraceInAContainer(t *testing.T) {
	t.Parallel()
	q := job.RunQuestion{Argv: []string{"train"}, Place: job.Container{Image: "img", Engine: "docker"}, Trace: true, Environ: toldEngine(t)}
	got := runOn(t, "miopen-healthy", q)
	if got.err != nil || got.run.Case.Dir == "" {
		t.Fatalf("%+v", got)
	}
	dir := got.run.Case.Dir
	for _, want := range []string{"\nAMD_LOG_LEVEL=3\n", "\nAMD_LOG_LEVEL_FILE=" + dir + "/hip.log\n", "\ntype=bind,source=" + dir + ",target=" + dir + "\n"} {
		if strings.Count(got.stdout, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, got.stdout)
		}
	}
}
