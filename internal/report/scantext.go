package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
)

// ScanText writes the report of a scan for a person, on one screen where it can: what
// was looked at, a line for each package or file, and what to do.
func ScanText(w io.Writer, target string, r scan.Report, s Style) error {
	t := &textWriter{style: s, told: map[string]bool{}}
	groups := groupItems(r.Items)
	head := fmt.Sprintf("%s: %s, %d with GPU code", target, plural(r.Files, "file"), withCode(r))
	if len(r.GPUs) > 0 {
		head += ", for " + strings.Join(gpuNames(r.GPUs), " and ")
	}
	t.line("", t.style.plain(head))
	t.blank()
	t.groups(target, groups, r)
	t.problems(r.Problems)
	if len(groups)+len(r.Problems) > 0 {
		t.blank()
	}
	t.line("", t.style.plain(scanClosing(r)))
	for _, n := range r.Notes {
		t.line("", t.style.plain(noted(n)))
	}
	t.advice(r.Advice)
	if _, err := io.WriteString(w, t.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func withCode(r scan.Report) int {
	n := 0
	for _, i := range r.Items {
		if i.HoldsCode() {
			n++
		}
	}
	return n
}

// Of what runs, and of what is wrong with files, so many lines are shown; all of it
// is in the JSON.
const (
	mostRunning  = 8
	mostProblems = 8
)

// groups writes a line for each group; what does not run comes first. Those with the
// same targets follow each other, and the targets are written once.
func (t *textWriter) groups(target string, groups []scanGroup, r scan.Report) {
	width := 0
	var failing, running []scanGroup
	for _, g := range groups {
		width = max(width, lipgloss.Width(t.style.plain(shortName(target, g.name))))
		if scanMark(g, r) == check.OK {
			running = append(running, g)
		} else {
			failing = append(failing, g)
		}
	}
	slices.SortStableFunc(failing, func(a, b scanGroup) int { return strings.Compare(t.targets(a), t.targets(b)) })
	for n, g := range failing {
		t.scanned(target, g, r, width)
		if n+1 == len(failing) || t.targets(failing[n+1]) != t.targets(g) {
			t.below(t.targets(g))
		}
	}
	for n, g := range running {
		if n == mostRunning && len(running) > mostRunning+1 && len(r.GPUs) > 0 {
			t.line("  "+t.pad(check.OK), fmt.Sprintf("and %d more that run", len(running)-n))
			return
		}
		t.scanned(target, g, r, width)
		if len(r.GPUs) == 0 {
			t.below(t.targets(g))
		}
	}
}

// below writes a line under a group, where there is something to write.
func (t *textWriter) below(text string) {
	if text != "" {
		t.line("      ", text)
	}
}

// targets are those of a group in a line.
func (t *textWriter) targets(g scanGroup) string {
	return t.style.plain(t.fit(g.targets(), t.style.columns()-len("      ")))
}

func (t *textWriter) pad(v check.Verdict) string {
	mark := t.style.mark(v)
	return mark + strings.Repeat(" ", t.style.pad()-lipgloss.Width(mark)) + " "
}

// scanMark weighs a group for all GPUs.
func scanMark(g scanGroup, r scan.Report) check.Verdict {
	out := check.OK
	for _, gpu := range gpuNames(r.GPUs) {
		switch v := g.worst(gpu); {
		case v.Result == scan.Override && out == check.OK:
			out = check.Warn
		case v.Result == "" || v.Result.Runs() || v.Result == scan.Override:
		default:
			return check.Fail
		}
	}
	if r.NVIDIA != "" && !g.isCUDA() && len(g.targets()) > 0 {
		return check.Fail
	}
	return out
}

// scanned writes the name of a group and its answer, in one line where they fit.
func (t *textWriter) scanned(target string, g scanGroup, r scan.Report, width int) {
	prefix := "  " + t.pad(scanMark(g, r))
	if len(r.GPUs) == 0 && r.NVIDIA == "" {
		prefix = "  " + t.style.plain("·") + " "
	}
	name := t.style.plain(shortName(target, g.name))
	answer := t.style.plain(scanAnswer(g, r))
	indent := lipgloss.Width(prefix) + width + 2
	if room := t.style.columns() - indent; answer != "" && room >= lipgloss.Width(answer) {
		t.line(prefix+name+strings.Repeat(" ", width-lipgloss.Width(name)+2), answer)
	} else {
		t.line(prefix, name)
		t.below(answer)
	}
}

// scanAnswer is what is said of a group: for one GPU the answer alone, for several
// with their names.
func scanAnswer(g scanGroup, r scan.Report) string {
	var parts []string
	for _, gpu := range r.GPUs {
		answer := g.answer(gpu)
		if len(r.GPUs) > 1 && !strings.Contains(answer, gpu.String()) {
			answer = gpu.String() + ": " + answer
		}
		parts = append(parts, answer)
	}
	return strings.Join(parts, "; ")
}

// answer is a few words where they say it, and the sentence of a file else.
func (g scanGroup) answer(gpu rocm.TargetID) string {
	v := g.worst(gpu.String())
	count := ""
	if n, all := g.lacking(gpu.String()); n > 0 && n < all {
		count = fmt.Sprintf(" in %d of %s", n, plural(all, "file"))
	}
	switch {
	case g.isCUDA():
		return "built for CUDA: no code for AMD's GPUs"
	case v.Result == scan.NotNeeded && len(g.items) > 1:
		return "no GPU code needed"
	case v.Result == scan.NotNeeded:
		return strings.TrimSuffix(v.Why, ".")
	case v.Result.Runs() && g.slower(gpu.String()):
		return g.by(v.Result, gpu) + ", fallback kernels only: slower, not broken"
	case v.Result.Runs():
		return g.by(v.Result, gpu)
	case v.Result == scan.None && len(g.targets()) > 0 && !g.holdsFor(gpu.Processor):
		return "no " + gpu.Processor + count
	case v.Result == scan.Override:
		_, value, _ := strings.Cut(v.Why, "HSA_OVERRIDE_GFX_VERSION=")
		value, _, _ = strings.Cut(value, ",")
		return "no " + gpu.Processor + count + "; code of its family may run under HSA_OVERRIDE_GFX_VERSION=" + value + ", which AMD does not support"
	}
	return strings.TrimSuffix(v.Why, ".")
}

// by says by which code a group runs.
func (g scanGroup) by(r scan.Result, gpu rocm.TargetID) string {
	switch r {
	case scan.Generic:
		return "through " + rocm.FamilyOf(gpu.Processor)
	case scan.SPIRV:
		return "SPIR-V, compiled when it is first loaded"
	}
	return string(r)
}

func (t *textWriter) problems(list []scan.Problem) {
	for n, p := range list {
		if n == mostProblems && len(list) > mostProblems+1 {
			t.line("  "+t.pad(check.Unknown), fmt.Sprintf("and %d more that could not be read in full; --format json names them", len(list)-n))
			return
		}
		t.line("  "+t.pad(check.Unknown), t.style.plain(p.Path+": "+p.What))
	}
}

// fit writes targets as people do, "gfx900 906 90a 1030", as many as fit into a
// line.
func (t *textWriter) fit(targets []string, width int) string {
	text := ""
	for n, target := range targets {
		word := target
		if rest, ok := strings.CutPrefix(target, "gfx"); ok && n > 0 && !strings.HasSuffix(rest, "generic") {
			word = rest
		}
		more := fmt.Sprintf(" … %d more", len(targets)-n)
		if n > 0 && lipgloss.Width(text)+1+len(word)+lipgloss.Width(more) > width {
			return text + more
		}
		text = strings.TrimSpace(text + " " + word)
	}
	return text
}

// shortName leaves out what was asked for, and of a long path the beginning.
func shortName(target, name string) string {
	const most = 44
	if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(target, "/")); ok && len(rest) > 1 && (rest[0] == '/' || rest[0] == '!') {
		name = rest[1:]
	}
	if len(name) <= most {
		return name
	}
	tail := name[len(name)-most:]
	if i := strings.IndexAny(tail, "/!"); i >= 0 {
		return "…" + tail[i:]
	}
	return name
}

// advice writes what to install instead, the commands apart so that they can be
// pasted.
func (t *textWriter) advice(list []scan.Advice) {
	if len(list) > 0 {
		t.blank()
	}
	for _, a := range list {
		t.line("", t.style.plain(advised(a)))
		if a.Command != "" {
			t.out.WriteString("    " + t.style.plain(a.Command) + "\n") // a command that is broken into lines cannot be pasted
		}
	}
}

func advised(a scan.Advice) string {
	const most = 6
	var names []string
	for _, name := range a.Names {
		names = append(names, path.Base(name)) // the table above has the whole path
	}
	if len(names) > most {
		names = append(append([]string{}, names[:most]...), fmt.Sprintf("%d more", len(a.Names)-most))
	}
	text := listed(names) + ": " + a.Says
	if a.Command != "" {
		return text + ":"
	}
	return text + "."
}

func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func noted(n scan.Note) string {
	if n.Path == "" || strings.Contains(n.What, n.Path[strings.LastIndexAny(n.Path, "/!")+1:]) {
		return n.What
	}
	return n.Path + ": " + n.What
}

// scanClosing says the answer in a sentence.
func scanClosing(r scan.Report) string {
	gpus := listed(gpuNames(r.GPUs))
	switch r.Overall() {
	case scan.NoGPUCode:
		if len(r.Items) > 0 {
			return "Nothing in it needs GPU code of its own."
		}
		if len(r.Notes) > 0 {
			return "There is nothing in it to judge."
		}
		return "There is no GPU code in it."
	case scan.Unknown:
		return "Not judged: what is named above could not be read or trusted, and may hold the code."
	case scan.Runs:
		if len(r.GPUs) == 0 {
			return fmt.Sprintf("%s with GPU code. Name a GPU, as in --gpu gfx1100, to learn whether it runs there.", plural(withCode(r), "file"))
		}
		return "All of it holds code that runs on " + gpus + "."
	case scan.Partial:
		return fmt.Sprintf("Some of it does not run on %s.", cmp.Or(listed(failingGPUs(r)), "this machine"))
	}
	return fmt.Sprintf("It does not run on %s.", cmp.Or(gpus, "this machine"))
}

// failingGPUs are those on which something does not run.
func failingGPUs(r scan.Report) []string {
	return slices.DeleteFunc(gpuNames(r.GPUs), func(gpu string) bool {
		return !slices.ContainsFunc(r.Items, func(i scan.Item) bool { return !i.Verdicts[gpu].Result.Runs() })
	})
}
