package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	groupByName = "# Speech recognition.\nservices:\n  whisper:\n    image: example/whisper:1.2.3\n\n" +
		"    devices: [/dev/kfd, /dev/dri]   # all of it\n    group_add:\n      - render   # for the GPU\n"
	healthy = "../example/machines/healthy.snapshot"
)

// compose writes a compose file below the home of the patient.
func (p patient) compose(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(p.home, "project", "compose.yml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return file
}

// says wants the file to hold a text, and its rights to be what they were.
func says(t *testing.T, file, want string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || string(data) != want {
		t.Errorf("%s holds %q (%v), want %q", file, data, err, want)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%s has other rights: %v, %v", file, info, err)
	}
}

func TestLintFixAndUndo(t *testing.T) {
	t.Parallel()
	p := admit(t)
	file := p.compose(t, groupByName)
	args := []string{"lint", "--for", healthy, file}
	if said := p.call(t, 1, args...); !strings.Contains(said, "compose/group-name") || !strings.Contains(said, "mends 1 of them") {
		t.Errorf("lint says:\n%s", said)
	}
	fix := slices.Concat(args, []string{"--fix"})
	if said := p.call(t, 3, fix...); !strings.Contains(said, "- - render # for the GPU") || !strings.Contains(said, "+ - 110 # for the GPU") || !strings.Contains(said, "nobody can be asked here") {
		t.Errorf("without a terminal it says:\n%s", said)
	}
	says(t, file, groupByName)
	if _, err := os.Stat(filepath.Join(p.home, ".local")); !os.IsNotExist(err) {
		t.Error("a run that changed nothing left a journal")
	}
	mended := strings.Replace(groupByName, "- render ", "- 110 ", 1)
	if said := p.call(t, 0, slices.Concat(fix, []string{"--yes"})...); !strings.Contains(said, "compose/group-name: was fail, now ok") || !strings.Contains(said, "rocsmith undo 2026-11-15-1") {
		t.Errorf("lint --fix says:\n%s", said)
	}
	says(t, file, mended)
	if said := p.call(t, 0, slices.Concat(fix, []string{"--yes"})...); !strings.Contains(said, "There is nothing to mend") {
		t.Errorf("a second run says:\n%s", said)
	}
	says(t, file, mended)
	if list := p.call(t, 0, "undo", "--list"); strings.Count(list, "2026-11-15-") != 1 {
		t.Errorf("the journal holds:\n%s", list)
	}
	p.call(t, 0, "undo", "--last", "--yes")
	says(t, file, groupByName)
}

// What cannot be written is said, and nothing is written.
func TestLintFixRefusesASecondName(t *testing.T) {
	t.Parallel()
	p := admit(t)
	file := p.compose(t, groupByName)
	if err := os.Link(file, filepath.Join(p.home, "twin.txt")); err != nil {
		t.Skip(err)
	}
	if said := p.call(t, 3, "lint", "--fix", "--yes", "--for", healthy, file); !strings.Contains(said, "not mended: ") || !strings.Contains(said, "hard links") {
		t.Errorf("it says:\n%s", said)
	}
	says(t, file, groupByName)
}

// A file that lint cannot read is not written, whatever else is in it.
func TestLintFixLeavesBrokenFilesAlone(t *testing.T) {
	t.Parallel()
	p := admit(t)
	broken := groupByName + "  x: [\n"
	file := p.compose(t, broken)
	if said := p.call(t, 2, "lint", "--fix", "--yes", "--for", healthy, file); !strings.Contains(said, "Not judged") || !strings.Contains(said, "nothing to mend") {
		t.Errorf("it says:\n%s", said)
	}
	says(t, file, broken)
}
