package check

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Selection says which checks a person asked for, by glob patterns on ids.
type Selection struct {
	Only []string // none means all
	Skip []string
}

// Apply returns the checks to run, prerequisites of wanted checks included, and
// whether a check's findings were asked for. A pattern that matches nothing is
// an error: a typing slip must not pass for a clean bill of health.
func (s Selection) Apply(checks []Check) (run []Check, wanted func(id string) bool, err error) {
	for _, p := range slices.Concat(s.Only, s.Skip) {
		if err := mustMatch(p, checks); err != nil {
			return nil, nil, err
		}
	}
	wanted = func(id string) bool {
		return (len(s.Only) == 0 || matchAny(s.Only, id)) && !matchAny(s.Skip, id)
	}
	need := map[string]bool{}
	for _, c := range slices.Backward(checks) {
		if need[c.ID] = need[c.ID] || wanted(c.ID); need[c.ID] {
			for _, n := range c.Needs {
				need[n] = true
			}
		}
	}
	run = slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return !need[c.ID] || matchAny(s.Skip, c.ID) })
	if !slices.ContainsFunc(run, func(c Check) bool { return wanted(c.ID) }) {
		return nil, nil, fmt.Errorf("nothing is left to check: --skip removes all that --only selects")
	}
	return run, wanted, nil
}

func mustMatch(pattern string, checks []Check) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if slices.ContainsFunc(checks, func(c Check) bool { return match(pattern, c.ID) }) {
		return nil
	}
	return fmt.Errorf("no check matches %q; rocsmith doctor --list-checks names them all", pattern)
}

func matchAny(patterns []string, id string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, id) })
}

// match compares a pattern without a slash with the area alone, so that
// "access" means all of access. Patterns were tried by mustMatch before.
func match(pattern, id string) bool {
	if !strings.Contains(pattern, "/") {
		id = Check{ID: id}.Area()
	}
	ok, _ := path.Match(pattern, id)
	return ok
}
