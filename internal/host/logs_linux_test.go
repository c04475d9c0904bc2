package host

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tools that keep logs are found by their names; what they print to either stream is the log, and what they say
// when they fail is the error.
func TestOpenLog(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	tool := func(name, script string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenLog(context.Background(), LogSource{Container: "web"}); err == nil || !strings.Contains(err.Error(), "docker is not installed here") {
		t.Errorf("without an engine: %v", err)
	}
	tool("docker", `echo "Error: No such container: $4" >&2; exit 1`)
	tool("podman", `echo "to stdout of $4"; echo "to stderr" >&2`)
	tool("kubectl", `i=0; while [ $i -lt 2000 ]; do echo "$*"; i=$((i+1)); done`)
	tool("journalctl", `exit 0`)
	for source, want := range map[LogSource]string{
		{Container: "web"}:   "to stdout of web\nto stderr\n",
		{Pod: "ns/worker-0"}: strings.Repeat("logs --all-containers --timestamps --namespace=ns -- worker-0\n", 2000),
		{Journal: true}:      "",
	} {
		r, err := OpenLog(context.Background(), source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", source, len(got), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "podman")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(context.Background(), LogSource{Container: "web"}); err == nil || !strings.Contains(err.Error(), "No such container: web") {
		t.Errorf("an unknown container: %v", err)
	}
}
