package all_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/all"
)

var update = flag.Bool("update", false, "write docs/rules.md anew")

const page = "../../../docs/rules.md"

func TestPageIsFresh(t *testing.T) {
	t.Parallel()
	want := all.Page(all.Rules())
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
		t.Error("docs/rules.md is stale; run go test ./internal/lint/all -update")
	}
}

// Every rule keeps what it promises, and no two have one id.
func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(all.Rules()); err != nil {
		t.Error(err)
	}
}
