package explain

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// written is the catalogue with its examples, which are not embedded.
func written(t testing.TB) cause.Catalogue {
	t.Helper()
	c, err := cause.Parse(os.DirFS("../cause"), "data")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func explained(t testing.TB, c cause.Catalogue, text string, s Surroundings) Explanation {
	t.Helper()
	m, err := newMatcher(c)
	if err != nil {
		t.Fatal(err)
	}
	return explainedBy(t, m, c, text, s)
}

// explainedBy spares the making of a matcher, for thousands of texts.
func explainedBy(t testing.TB, m *matcher, c cause.Catalogue, text string, s Surroundings) Explanation {
	t.Helper()
	log, err := m.read(context.Background(), []Input{{"log", strings.NewReader(text)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Judge(log, c, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Each example is a line that its signature knows; one that decides, or nearly, names its cause first.
func TestExamples(t *testing.T) {
	t.Parallel()
	c := written(t)
	m, err := newMatcher(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range c.Signatures {
		if s.Like == "" && len(s.Examples) == 0 {
			t.Errorf("%s has no example", s.Name)
		}
		for _, example := range s.Examples {
			if _, _, _, ok := m.try(i, example); !ok {
				t.Errorf("%s does not know its example %q", s.Name, example)
				continue
			}
			e := explainedBy(t, m, c, example, Surroundings{})
			one, _ := c.Cause(s.Cause)
			switch {
			case one.Family == cause.Benign && len(s.When.With) == 0:
				if e.Verdict != Benign {
					t.Errorf("%s: the harmless %q is a %s", s.Name, example, e.Verdict)
				}
			case s.Cause != "" && reflect.ValueOf(s.When).IsZero() && (s.Strength == cause.Decisive || s.Strength == cause.Strong):
				if len(e.Causes) == 0 || e.Causes[0].Cause.ID != s.Cause {
					t.Errorf("%s: %q is explained by %s, not %s", s.Name, example, ids(e), s.Cause)
				}
			}
		}
	}
}

func ids(e Explanation) []string {
	var out []string
	for _, s := range e.Causes {
		out = append(out, s.Cause.ID)
	}
	return out
}

// Every cause can be found in a log, is said in whole sentences, and has a cure.
func TestCausesAreWhole(t *testing.T) {
	t.Parallel()
	c := written(t)
	for _, one := range c.Causes {
		examples := 0
		for _, s := range c.Signatures {
			if s.Cause == one.ID {
				examples += len(s.Examples)
			}
		}
		if examples < 2 {
			t.Errorf("%s has %d example lines, and needs two", one.ID, examples)
		}
		if one.Family != cause.Benign && (len(one.Cures) == 0 || one.Decide == "") {
			t.Errorf("%s needs a cure, and a command that decides", one.ID)
		}
		if len(one.Sources) == 0 {
			t.Errorf("%s has no source", one.ID)
		}
	}
	// The cures exist, and ask for nothing that a log cannot tell.
	for _, one := range c.Causes {
		j := judge{catalogue: c}
		if err := j.cures([]Suspect{{Cause: one}}); err != nil {
			t.Errorf("%s: %v", one.ID, err)
		}
	}
}
