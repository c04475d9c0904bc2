package cause

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
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
	var causes bytes.Buffer
	enc := json.NewEncoder(&causes)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.Causes); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, s := range c.Signatures {
		line, err := s.compact()
		if err != nil {
			t.Fatal(err)
		}
		lines.WriteString(line + "\n")
	}
	for name, want := range map[string]string{"data/causes.json": causes.String(), "data/signatures.txt": lines.String()} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is stale (%v): go test ./internal/cause -update", name, err)
		}
	}
}

// What is read of the embedded form is what was written into it.
func TestCompact(t *testing.T) {
	t.Parallel()
	got, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range written(t).Signatures {
		want.Source, want.Examples = nil, nil // not embedded
		if i >= len(got.Signatures) || !reflect.DeepEqual(got.Signatures[i], want) {
			t.Fatalf("signature %d: %+v", i, want)
		}
	}
	if _, err := parseCompact("a\x1fb\n"); err == nil {
		t.Error("half a line is read")
	}
	if _, err := (Signature{Name: "a", Says: "two\nlines"}).compact(); err == nil {
		t.Error("a text of two lines is written")
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
