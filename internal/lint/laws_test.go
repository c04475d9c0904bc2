package lint_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	good := instead("toy/one", "one", "1")
	if err := lint.Laws([]lint.Rule{good}); err != nil {
		t.Errorf("a good rule is refused: %v", err)
	}
	for want, change := range map[string]func(*lint.Rule){
		"not area/name":          func(r *lint.Rule) { r.ID = "Toy" },
		"must be set":            func(r *lint.Rule) { r.Why = "" },
		"full stop":              func(r *lint.Rule) { r.Title += "." },
		"no bad or no good":      func(r *lint.Rule) { r.Good.Files = nil },
		"does not break it":      func(r *lint.Rule) { r.Bad = r.Good },
		"the good example break": func(r *lint.Rule) { r.Good = r.Bad },
		"the mend makes of":      func(r *lint.Rule) { r.Good.Files = map[string]string{"compose.yml": "a: 2\n"} },
		"no example machine":     func(r *lint.Rule) { r.Bad.On = "moon" },
		"nothing that helps":     func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Mend = nil }) },
		"no cause":               func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Cause = "bad-luck" }) },
		"no such line":           func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Line = 7 }) },
		"not a sentence":         func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Message = "No" }) },
		"its verdict is":         func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Verdict = check.OK }) },
		"overlap or are outside": func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Mend.Edits[0].End = 99 }) },
		"is refused":             func(r *lint.Rule) { r.Run = reports(func(f *lint.Finding) { f.Mend.Edits[0].New = "[" }) },
	} {
		r := instead("toy/one", "one", "1")
		change(&r)
		if err := lint.Laws([]lint.Rule{r}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := lint.Laws([]lint.Rule{good, good}); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("two rules of one id: %v", err)
	}
}

// reports is what instead reports, changed.
func reports(change func(*lint.Finding)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		for _, f := range p.Of(lint.Compose) {
			if !strings.Contains(string(f.Data), "one") {
				continue
			}
			found := lint.Finding{
				File: f, Line: 1, Verdict: check.Fail, Message: "No.",
				Mend: &lint.Mend{Title: "Write 1", Edits: []lint.Edit{{File: f, Start: 3, End: 6, New: "1"}}},
			}
			change(&found)
			p.Report(found)
		}
	}
}
