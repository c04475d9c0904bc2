package all_test

import (
	"flag"
	"os"
	"slices"
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

// What is shown as right names images that exist by the scheme of their publisher.
func TestGoodExamplesNameRealTags(t *testing.T) {
	t.Parallel()
	rules := all.Rules()
	i := slices.IndexFunc(rules, func(r lint.Rule) bool { return r.ID == "image/tag-scheme" })
	if i < 0 {
		t.Fatal("there is no rule image/tag-scheme")
	}
	for _, r := range rules {
		s, _ := lint.OnExample(r.Good.On)
		for _, f := range lint.Run(r.Good.Project(false), s, rules[i:i+1]).Found {
			if f.Rule.ID == rules[i].ID { // a suppression of another rule hides nothing here
				t.Errorf("%s: %s", r.ID, f.Message)
			}
		}
	}
}

// Every rule keeps what it promises, and no two have one id.
func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(all.Rules()); err != nil {
		t.Error(err)
	}
}

// Rules of several areas mend one file together: none breaks what another wants, and
// what they made of it once they leave alone.
func TestAllMendsTogetherComeToAnEnd(t *testing.T) {
	t.Parallel()
	rules := all.Rules()
	for _, r := range rules {
		for _, crlf := range []bool{false, true} {
			s, _ := lint.OnExample(r.Bad.On)
			s.Strict = true
			p := r.Bad.Project(crlf)
			before := lint.Run(p, s, rules).Found
			m := lint.MendAll(p, s, rules)
			for _, refused := range m.Refused {
				t.Errorf("%s: the mend of %s by %s is refused: %s", r.ID, refused.Found.Place(), refused.Found.Rule.ID, refused.Why)
			}
			for _, f := range m.Left.Found {
				if f.Mend != nil && f.By == nil {
					t.Errorf("%s: %s at %s is still to be mended: %s", r.ID, f.Rule.ID, f.Place(), f.Message)
				}
				if f.Verdict == "fail" && !slices.ContainsFunc(before, func(b lint.Found) bool { return b.Rule.ID == f.Rule.ID }) {
					t.Errorf("%s: mends made %s fail: %s", r.ID, f.Rule.ID, f.Message)
				}
			}
		}
	}
}
