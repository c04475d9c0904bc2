package cause

import "testing"

func TestCatalogueLoads(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Errorf("only %d causes", len(all))
	}
	for _, c := range all {
		if got, ok := Lookup(c.ID); !ok || got != c {
			t.Errorf("Lookup(%q) = %v, %v", c.ID, got, ok)
		}
	}
	if _, ok := Lookup("no-such-cause"); ok {
		t.Error("an unknown id was found")
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no list":     "a: 1",
		"missing":     "- {id: a, family: f, title: t}",
		"same id":     "- {id: a, family: f, title: t, meaning: m}\n- {id: a, family: f, title: t, meaning: m}",
		"not yaml":    "- {",
		"empty title": "- {id: a, family: f, title: '', meaning: m}",
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
