package all_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check/all"
)

var update = flag.Bool("update", false, "write docs/checks.md anew")

const page = "../../../docs/checks.md"

func TestPageIsFresh(t *testing.T) {
	t.Parallel()
	want := all.Page(all.Checks())
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Error("docs/checks.md is stale; run go test ./internal/check/all -update")
	}
}

// Areas speak through checks that exist, and each check has an area to speak in.
func TestAreasFitTheChecks(t *testing.T) {
	t.Parallel()
	areas := map[string]bool{}
	known := map[string]bool{}
	for _, c := range all.Checks() {
		known[c.ID] = true
	}
	for _, a := range all.Areas() {
		areas[a.Name] = true
		for _, id := range a.Voices {
			if !known[id] {
				t.Errorf("area %s speaks through %s, which does not exist", a.Name, id)
			}
		}
	}
	for _, c := range all.Checks() {
		if !areas[c.Area()] {
			t.Errorf("%s belongs to no area", c.ID)
		}
	}
}
