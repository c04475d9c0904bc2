package report

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/scan"
)

// A scanGroup is what belongs together: the files of a package, or one file.
type scanGroup struct {
	name  string
	items []scan.Item
}

func groupItems(items []scan.Item) []scanGroup {
	var out []scanGroup
	at := map[string]int{}
	for _, i := range items {
		name := i.Package
		if name == "" {
			name = i.Path
		}
		n, seen := at[name]
		if !seen {
			n = len(out)
			at[name] = n
			out = append(out, scanGroup{name: name})
		}
		out[n].items = append(out[n].items, i)
	}
	return out
}

// targets are the processors that all files of a group are built for together, in
// the order of their names.
func (g scanGroup) targets() []string {
	var out []string
	seen := map[string]bool{}
	alone := !slices.ContainsFunc(g.items, scan.Item.HoldsCode)
	for _, i := range g.items {
		if !i.HoldsCode() && !alone { // tuning data
			continue
		}
		for _, t := range i.Targets {
			if !seen[t.Target] {
				seen[t.Target] = true
				out = append(out, t.Target)
			}
		}
	}
	slices.SortFunc(out, scan.CompareTargets)
	return out
}

// The order in which answers of several files make the answer of their package:
// what does not run first, and what needs no code last.
var gravity = []scan.Result{scan.None, scan.Unreadable, scan.NoRuntime, scan.Override, scan.SPIRV, scan.Generic, scan.Exact, scan.NotNeeded}

// worst is the answer of a group for a GPU.
func (g scanGroup) worst(gpu string) scan.Verdict {
	var out scan.Verdict
	rank := len(gravity)
	for _, i := range g.items {
		if v, judged := i.Verdicts[gpu]; judged {
			if n := slices.Index(gravity, v.Result); n < rank {
				out, rank = v, n
			}
		}
	}
	return out
}

// lacking counts the files with code that do not run on a GPU, among all with code.
func (g scanGroup) lacking(gpu string) (n, all int) {
	for _, i := range g.items {
		if !i.HoldsCode() {
			continue
		}
		all++
		if v, judged := i.Verdicts[gpu]; judged && !v.Result.Runs() {
			n++
		}
	}
	return n, all
}

// holdsFor reports whether some file of a group has code for a processor, whatever
// its settings.
func (g scanGroup) holdsFor(processor string) bool {
	return slices.ContainsFunc(g.targets(), func(t string) bool {
		name, _, _ := strings.Cut(t, ":")
		return name == processor
	})
}

// isCUDA reports a group without AMD's code.
func (g scanGroup) isCUDA() bool {
	return !slices.ContainsFunc(g.items, func(i scan.Item) bool { return i.Kind != "cuda" })
}

// slower reports a folder that holds only fallback kernels for a GPU.
func (g scanGroup) slower(gpu string) bool {
	return slices.ContainsFunc(g.items, func(i scan.Item) bool { return strings.Contains(i.Verdicts[gpu].Why, "fallback code") })
}
