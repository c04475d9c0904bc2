package cli_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/cli"
	"github.com/rocsmith/rocsmith/internal/host"
)

// TestReadmeShowsWhatIsPrinted holds the first thing that people read to what they
// get, but for how long it took.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.ReplaceAll(string(data), "\r\n", "\n") // git on Windows may write it so
	_, rest, _ := strings.Cut(readme, "$ rocsmith doctor --example whisper-container\n")
	shown, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("README.md does not show the example")
	}
	var out bytes.Buffer
	app := cli.App{
		Version: "test", Stdout: &out, Stderr: &out, Host: host.Live(), Now: func() time.Time { return time.Unix(0, 0) },
		Getenv: func(name string) string { return map[string]string{"LANG": "C.UTF-8"}[name] },
	}
	if code := app.Run([]string{"doctor", "--example", "whisper-container"}); code != 1 {
		t.Errorf("exit %d", code)
	}
	took := regexp.MustCompile(` +\d+ ms\n`)
	if got, want := took.ReplaceAllString(out.String(), "\n"), took.ReplaceAllString(shown, "\n"); got != want {
		t.Errorf("README.md shows\n%s\nand doctor prints\n%s", want, got)
	}
}
