package launch

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Unchanged are the variables that somebody set, that a cure of what was found would
// change, and that no setting does: they leave a GPU, and may be there on purpose.
// Each has the value that it keeps.
func Unchanged(findings []check.Finding, settings []Setting, get Lookup) []Setting {
	var out []Setting
	for _, f := range findings {
		if f.Verdict != check.Fail && f.Verdict != check.Warn {
			continue
		}
		for _, r := range f.Remedies {
			for _, step := range r.Steps {
				same := func(s Setting) bool { return s.Name == step.Name }
				now, set := get(step.Name)
				if step.Kind != remedy.SetEnv || !set || now == step.Value && now != "" || slices.ContainsFunc(settings, same) || slices.ContainsFunc(out, same) {
					continue
				}
				out = append(out, Setting{Name: step.Name, Value: now, Why: f.Headline(), Check: f.Check, Subject: f.Subject})
			}
		}
	}
	return out
}
