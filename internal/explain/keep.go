package explain

import (
	"cmp"
	"slices"
)

// Of one signature, some first and some last lines are kept, so that a log that says the same in a million ways does
// not fill the memory.
const (
	keepFirst = 3
	keepLast  = 12
	keepMost  = 20_000 // lines that are told apart by their words
)

// A keeper collects what was found, in the order of the log.
type keeper struct {
	kept  map[keptLine]*kept
	order []*kept
}

type keptLine struct {
	input int
	key   uint64
}

type kept struct {
	input              int
	first, last, count int64
	matches            []Match
}

func newKeeper() *keeper { return &keeper{kept: map[keptLine]*kept{}} }

func (k *keeper) add(input int, l line) {
	at := keptLine{input, l.key}
	if old := k.kept[at]; old != nil {
		old.last = l.number
		old.count++
		if len(old.matches) == 0 {
			old.matches = l.matches
		}
		return
	}
	one := &kept{input: input, first: l.number, last: l.number, count: 1, matches: l.matches}
	if len(k.kept) < keepMost {
		k.kept[at] = one
	}
	k.order = append(k.order, one)
	if len(k.order) > 2*keepMost {
		k.prune()
	}
}

// prune keeps the first and last lines of each signature.
func (k *keeper) prune() {
	total, seen := map[string]int{}, map[string]int{}
	for _, one := range k.order {
		for _, m := range one.matches {
			total[m.Signature.Name]++
		}
	}
	k.order = slices.DeleteFunc(k.order, func(one *kept) bool {
		keep := false
		for _, m := range one.matches {
			seen[m.Signature.Name]++
			n := seen[m.Signature.Name]
			keep = keep || n <= keepFirst || n > total[m.Signature.Name]-keepLast
		}
		return !keep
	})
}

// matches returns what was kept, by input and line.
func (k *keeper) matches() []Match {
	k.prune()
	var out []Match
	for _, one := range k.order {
		for _, m := range one.matches {
			m.Input, m.Line, m.Last, m.Count = one.input, one.first, one.last, int(one.count)
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int { return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Line, b.Line)) })
	return out
}
