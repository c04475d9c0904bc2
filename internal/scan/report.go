package scan

import (
	"slices"
	"strings"
)

// withoutClaimed leaves out archives of code that was split off, where it was counted
// with the library that it belongs to.
func (s *scanner) withoutClaimed(items []Item) []Item {
	return slices.DeleteFunc(items, func(i Item) bool { return slices.Contains(s.claimed, i.Path) && !s.asked(i.Path) })
}

// judgement judges what was found, one by one and then together.
func (s *scanner) judgement() Report {
	slices.SortFunc(s.items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	items, runtimes, wrappers := aside(s.withoutClaimed(s.items))
	items = s.databases(items)
	s.name(items)
	items = withoutTwins(items)
	for n := range items {
		items[n].judge(s.request.GPUs)
	}
	partsForOthers(items, s.request.GPUs)
	around{s.fsys, runtimes, s.request.Host}.judge(items)
	r := Report{GPUs: s.request.GPUs, Items: items, Files: s.files, Problems: s.problems}
	if h := s.request.Host; h != nil && len(r.GPUs) == 0 {
		r.NVIDIA = h.NVIDIA
	}
	r.Notes = slices.Concat(s.unjudged(runtimes, len(items)+len(wrappers) == 0), s.unjudged(wrappers, len(items) == 0), differences(items, s.request.GPUs))
	if r.NVIDIA != "" && slices.ContainsFunc(items, func(i Item) bool { return i.role == holdsCode }) {
		r.Notes = append(r.Notes, Note{What: "This machine has no GPU of AMD's, only " + r.NVIDIA + ": what is built for AMD's GPUs does not run on it. Install builds for CUDA."})
	}
	r.Advice = advise(items, s.request.GPUs)
	return r
}
