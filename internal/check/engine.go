package check

import (
	"fmt"
	"slices"
)

// Run asks every check of a valid list and returns all findings, in the order
// of the list. A check whose prerequisites do not hold is skipped: the cause is
// reported, its symptoms are not.
func Run(checks []Check, in Input) []Finding {
	// What is not in the list was left out by the user, and blocks nothing.
	blocked := map[string]bool{}
	titles := map[string]string{}
	var all []Finding
	for _, c := range checks {
		titles[c.ID] = c.Title
		i := slices.IndexFunc(c.Needs, func(need string) bool { return blocked[need] })
		if i >= 0 {
			blocked[c.ID] = true
			all = append(all, afterwards(c, c.Needs[i], titles[c.Needs[i]]))
			continue
		}
		in.Found = all
		found := answer(c, in)
		// A question without meaning here stands in nobody's way.
		worst := Worst(found)
		blocked[c.ID] = worst == Fail || worst == Unknown
		all = append(all, found...)
	}
	return all
}

func afterwards(c Check, need, title string) Finding {
	return Finding{Check: c.ID, Verdict: Skipped, Message: fmt.Sprintf("Not asked: first this must hold: %s (%s).", title, need)}
}

func answer(c Check, in Input) []Finding {
	found := safely(c, in)
	if len(found) == 0 {
		found = []Finding{NotHere("", "this has no meaning on this machine")}
	}
	for i := range found {
		found[i].Check = c.ID
	}
	return found
}

// safely keeps one broken check from silencing all others.
func safely(c Check, in Input) (found []Finding) {
	defer func() {
		if r := recover(); r != nil {
			found = []Finding{{Verdict: Unknown, Message: fmt.Sprintf("Not judged: this check itself is broken. Please report it: %v.", r)}}
		}
	}()
	return c.Run(in)
}

// Worst returns the verdict that must be heard first. No findings, or only
// skipped ones, are Skipped.
func Worst(findings []Finding) Verdict {
	worst := Skipped
	for _, f := range findings {
		if f.Verdict.Worse(worst) {
			worst = f.Verdict
		}
	}
	return worst
}

// Overall is the verdict on the machine: where nothing was judged, nothing is
// known.
func Overall(findings []Finding) Verdict {
	if v := Worst(findings); v != Skipped {
		return v
	}
	return Unknown
}

// ByWeight returns the findings a person must hear, most decisive first: by
// verdict, then in the order of the list.
func ByWeight(findings []Finding) []Finding {
	out := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !f.Verdict.Worse(OK) })
	slices.SortStableFunc(out, func(a, b Finding) int { return b.Verdict.rank() - a.Verdict.rank() })
	return out
}
