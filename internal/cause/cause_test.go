package cause

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCatalogueLoads(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Errorf("only %d causes", len(all))
	}
	for _, c := range all {
		if got, ok := Lookup(c.ID); !ok || !reflect.DeepEqual(got, c) {
			t.Errorf("Lookup(%q) = %v, %v", c.ID, got, ok)
		}
	}
	if _, ok := Lookup("no-such-cause"); ok {
		t.Error("an unknown id was found")
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const sound = "causes: [{id: a, family: f, title: t, meaning: m, signatures: ["
	for name, text := range map[string]string{
		"no mapping":     "- 1",
		"missing":        "causes: [{id: a, family: f, title: t}]",
		"same id":        "causes: [{id: a, family: f, title: t, meaning: m}, {id: a, family: f, title: t, meaning: m}]",
		"not yaml":       "causes: {",
		"unknown key":    "causes: [{id: a, family: f, title: t, meaning: m, mening: m}]",
		"no name":        sound + "{text: [abcdefgh], strength: weak}]}]",
		"no strength":    sound + "{name: n, text: [abcdefgh]}]}]",
		"no text":        sound + "{name: n, strength: weak}]}]",
		"short text":     sound + "{name: n, text: [abc], strength: weak}]}]",
		"all lines":      sound + "{name: n, match: ['.*'], strength: weak}]}]",
		"broken pattern": sound + "{name: n, match: ['abcdefgh('], strength: weak}]}]",
		"any case":       sound + "{name: n, match: ['(?i)abcdefgh'], strength: weak}]}]",
		"lost reference": sound + "{name: n, like: other, strength: weak}]}]",
		"same name":      sound + "{name: n, text: [abcdefgh], strength: weak}, {name: n, text: [abcdefgh], strength: weak}]}]",
	} {
		c, err := Parse(fstest.MapFS{"d/x.yaml": {Data: []byte(text)}}, "d")
		if err == nil {
			err = c.Validate()
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAnchors(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]string{
		`rocBLAS error: Cannot read "?([^"]*)`:                            {"rocBLAS error: Cannot read "},
		`(amdhip64|rocblas)\.dll not found`:                               {"amdhip64.dll not found", "rocblas.dll not found"},
		`\bNumba needs NumPy ([\d.]+) or (less|greater)`:                  {"Numba needs NumPy "},
		`skipped device 1002:[0-9a-f]{4}, PCI rejects atomics( \d+<\d+)?`: {"skipped device 1002:"},
		`GPU [hH]ang detected`:                                            {"GPU Hang detected", "GPU hang detected"},
	} {
		if got, err := anchorsOf(pattern); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", pattern, got, err, want)
		}
	}
	if _, err := anchorsOf(`x?|abcdefgh`); err == nil {
		t.Error("a pattern that matches everything has an anchor")
	}
}

// A catalogue of one's own adds causes, and replaces those of the same id with their signatures.
func TestPlus(t *testing.T) {
	t.Parallel()
	base, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	first := base.Causes[0]
	mine := Catalogue{
		Causes:     []Cause{{ID: first.ID, Family: first.Family, Title: "Mine", Meaning: "m"}, {ID: "new", Family: "f", Title: "t", Meaning: "m"}},
		Signatures: []Signature{{Name: "mine", Cause: "new", Text: []string{"abcdefgh"}, Strength: Decisive}},
	}
	sum := base.Plus(mine)
	if c, _ := sum.Cause(first.ID); c.Title != "Mine" || len(sum.Causes) != len(base.Causes)+1 {
		t.Errorf("%+v of %d", c, len(sum.Causes))
	}
	for _, s := range sum.Signatures {
		if s.Cause == first.ID {
			t.Errorf("the signature %s of a replaced cause is left", s.Name)
		}
	}
	if c, _ := base.Cause(first.ID); strings.Contains(c.Title, "Mine") {
		t.Error("the base was changed")
	}
}
