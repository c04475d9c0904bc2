package scan

import (
	"fmt"
	"path"
	"slices"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// database is one of MIOpen's: settings or compiled kernels for one GPU, as its
// name says. A program runs without it.
func database(f codeobj.File) Item {
	i := Item{Path: f.Path, Kind: string(f.Kind), role: tuning}
	if t, ok := codeobj.ParseMIOpenName(path.Base(f.Path)); ok {
		i.Targets = []Target{{Target: t.Processor, Count: 1}}
	}
	return i
}

// databases makes one item of the databases in one folder, unless somebody asked
// about a single one.
func (s *scanner) databases(items []Item) []Item {
	var out []Item
	folders := map[string]int{}
	for _, i := range items {
		if i.role != tuning || s.asked(i.Path) {
			out = append(out, i)
			continue
		}
		dir := path.Dir(i.Path)
		at, seen := folders[dir]
		if !seen {
			at = len(out)
			folders[dir] = at
			out = append(out, Item{Path: dir, Kind: i.Kind, role: tuning})
		}
		for _, t := range i.Targets {
			out[at].count(t)
		}
	}
	return out
}

// count adds to what an item has for a target.
func (i *Item) count(t Target) {
	at := slices.IndexFunc(i.Targets, func(o Target) bool { return o.Target == t.Target })
	if at >= 0 {
		have := &i.Targets[at]
		have.Count += t.Count
		have.CodeObject, have.Compressed = max(have.CodeObject, t.CodeObject), have.Compressed || t.Compressed
		return
	}
	i.Targets = append(i.Targets, t)
	slices.SortFunc(i.Targets, func(a, b Target) int { return CompareTargets(a.Target, b.Target) })
}

// tuned is the verdict on tuning data: it decides how long the first use takes.
func (i *Item) tuned(gpu rocm.TargetID) Verdict {
	if slices.ContainsFunc(i.Targets, func(t Target) bool { return t.Target == gpu.Processor }) {
		return Verdict{NotNeeded, fmt.Sprintf("It is tuning data, and has some for %s, so that the first use of an operation is quick.", gpu.Processor)}
	}
	return Verdict{NotNeeded, fmt.Sprintf("It is tuning data, and has none for %s: the first use of each operation is slow, and nothing fails.", gpu.Processor)}
}
