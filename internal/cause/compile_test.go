package cause

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the embedded JSON from the YAML files")

// written is the catalogue as people write it.
func written(t *testing.T) Catalogue {
	t.Helper()
	c, err := Parse(os.DirFS("."), "data")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(c.Signatures, func(a, b Signature) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

// What is embedded is what is written.
func TestCompiled(t *testing.T) {
	t.Parallel()
	c := written(t)
	for name, table := range map[string]any{"data/causes.json": c.Causes, "data/signatures.json": c.Signatures} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(table); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is stale (%v): go test ./internal/cause -update", name, err)
		}
	}
}

// The page of all causes is what the catalogue says.
func TestDocument(t *testing.T) {
	t.Parallel()
	const page = "../../docs/causes.md"
	want := written(t).Markdown()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is stale (%v): go test ./internal/cause -update", page, err)
	}
}
