package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rocsmith/rocsmith/internal/job"
)

// putProgram writes a file that is going to be executed. A process that another test
// starts meanwhile must not hold it open for writing, or it cannot be (ETXTBSY).
func putProgram(t *testing.T, file, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

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
	putProgram(t, filepath.Join(dir, "docker"), text)
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
