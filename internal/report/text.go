package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Text writes the report for a person: what was looked at, one line a group,
// what matters, and what to do first.
func Text(w io.Writer, d Diagnosis, s Style) error {
	t := &textWriter{style: s, told: map[string]bool{}}
	t.line("", t.style.plain(headline(d.Machine)))
	t.blank()
	for _, area := range d.Areas {
		t.group(d, area)
	}
	if s.Verbose {
		t.blank()
		t.everything(d.Findings)
	}
	for _, f := range check.ByWeight(d.Findings) {
		t.blank()
		t.finding(f)
	}
	t.blank()
	t.closing(d)
	if _, err := io.WriteString(w, t.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// headline says what was looked at.
func headline(m *machine.Machine) string {
	var parts []string
	parts = append(parts, where(m))
	switch {
	case m.Kernel.Known() && m.OS == "windows":
		parts = append(parts, "build "+m.Kernel.Value)
	case m.Kernel.Known():
		parts = append(parts, "kernel "+m.Kernel.Value)
	}
	switch {
	case m.OS == "windows":
		parts = append(parts, onWindows(m)...)
	case m.ROCm.Unread():
		parts = append(parts, "ROCm not looked for")
	case len(m.ROCm.Value) == 0:
		parts = append(parts, "no ROCm installed here")
	default:
		parts = append(parts, versions(m.ROCm.Value)...)
	}
	return strings.Join(parts, " · ")
}

// onWindows names the HIP SDKs, and what wheels bring.
func onWindows(m *machine.Machine) []string {
	var parts, sdks []string
	for _, i := range m.HIPSDKs() {
		sdks = append(sdks, cmp.Or(i.Version, i.Path))
	}
	switch n := len(sdks); {
	case m.ROCm.Unread():
	case n == 0:
		parts = append(parts, "no HIP SDK installed here")
	case n == 1:
		parts = append(parts, "HIP SDK "+sdks[0])
	default:
		parts = append(parts, "HIP SDK "+strings.Join(sdks[:n-1], ", ")+" and "+sdks[n-1])
	}
	for _, i := range m.ROCm.Value {
		if i.How != machine.HowHIPSDK {
			parts = append(parts, "ROCm "+i.Version+" in wheels")
		}
	}
	return parts
}

func versions(list []machine.Installation) []string {
	var out []string
	for _, i := range list {
		what := "ROCm "
		if i.How == machine.HowTorchWheel {
			what = "torch with ROCm "
		}
		out = append(out, what+i.Version)
	}
	return out
}

func where(m *machine.Machine) string {
	name := "Unknown system"
	if m.Distro.Known() {
		name = m.Distro.Value.Name
	}
	switch c := m.Container.Value; {
	case m.Container.Known() && c.Kind == "wsl2":
		return name + " in WSL2"
	case m.Container.Known() && c.Rootless && c.Kind == "lxc":
		return name + " in an unprivileged lxc container"
	case m.Container.Known() && c.Rootless:
		return fmt.Sprintf("%s in a rootless %s container", name, c.Kind)
	case m.Container.Known():
		return fmt.Sprintf("%s in a %s container", name, c.Kind)
	case m.Hypervisor.Known():
		return name + " in a virtual machine"
	}
	return name
}

type textWriter struct {
	style Style
	out   strings.Builder
	told  map[string]bool // cures that were shown with their steps
}

func (t *textWriter) blank() { t.out.WriteByte('\n') }

// line writes text behind a prefix, wrapped so that following lines align.
func (t *textWriter) line(prefix, text string) {
	indent := strings.Repeat(" ", lipgloss.Width(prefix))
	for i, l := range wrap(text, t.style.columns()-len(indent)) {
		if i == 0 {
			t.out.WriteString(prefix)
		} else {
			t.out.WriteString(indent)
		}
		t.out.WriteString(l)
		t.blank()
	}
}

// group writes one line for an area, with the worst mark.
func (t *textWriter) group(d Diagnosis, area check.Area) {
	findings := d.inArea(area.Name)
	if len(findings) == 0 {
		return
	}
	worst := check.Worst(findings)
	if area.Quiet && worst == check.Skipped {
		return
	}
	if area.Each {
		t.each(area, findings)
		return
	}
	prefix := t.groupPrefix(worst, area.Name)
	for i, text := range t.summary(area, findings, worst, lipgloss.Width(prefix)) {
		if i > 0 {
			prefix = strings.Repeat(" ", lipgloss.Width(prefix))
		}
		t.line(prefix, t.style.plain(text))
	}
}

func (t *textWriter) groupPrefix(v check.Verdict, name string) string {
	mark := t.style.mark(v)
	return fmt.Sprintf("  %s%s %-9s", mark, strings.Repeat(" ", t.style.pad()-lipgloss.Width(mark)), name)
}

// each writes one line for each answer.
func (t *textWriter) each(area check.Area, findings []check.Finding) {
	name := area.Name
	for _, f := range findings {
		if f.Verdict == check.Skipped {
			continue
		}
		t.line(t.groupPrefix(f.Verdict, name), t.style.plain(f.Headline()))
		name = ""
	}
}

// summary says an area in a line: the headline of what is wrong, or as many good
// ones as fit. GPUs are listed one by one.
func (t *textWriter) summary(area check.Area, findings []check.Finding, worst check.Verdict, used int) []string {
	if gpus := headlines(findings, "gpu/present", check.OK); len(gpus) > 0 {
		return shorten(gpus)
	}
	if worst != check.OK {
		return headlines(findings, "", worst)[:1]
	}
	var good []string
	for _, id := range area.Voices {
		good = append(good, headlines(findings, id, check.OK)...)
	}
	line := ""
	for _, h := range append(good, headlines(findings, "", check.OK)...) {
		switch {
		case strings.Contains(line, h):
		case line == "":
			line = h
		case used+lipgloss.Width(line+"; "+h) <= t.style.columns():
			line += "; " + lowerFirst(h)
		}
	}
	return []string{line}
}

// headlines of the findings with a verdict, of one check or of all.
func headlines(findings []check.Finding, id string, v check.Verdict) []string {
	var out []string
	for _, f := range findings {
		if f.Verdict == v && (id == "" || f.Check == id) {
			out = append(out, f.Headline())
		}
	}
	return out
}

// shorten keeps a server with dozens of partitions on a screen.
func shorten(gpus []string) []string {
	const most = 4
	if len(gpus) <= most+1 {
		return gpus
	}
	return append(gpus[:most:most], fmt.Sprintf("and %d more", len(gpus)-most))
}

// everything lists all findings, a line each.
func (t *textWriter) everything(findings []check.Finding) {
	width := 0
	for _, f := range findings {
		width = max(width, len(f.Check))
	}
	for _, f := range findings {
		mark := t.style.mark(f.Verdict)
		prefix := fmt.Sprintf("  %s%s %-*s  ", mark, strings.Repeat(" ", t.style.pad()-lipgloss.Width(mark)), width, f.Check)
		t.line(prefix, t.style.plain(f.Headline()))
	}
}

func (t *textWriter) finding(f check.Finding) {
	mark := t.style.mark(f.Verdict)
	t.heading(mark+" ", t.style.plain(f.Headline()), f.Check)
	if rest := f.Explanation(); rest != "" {
		t.line("  ", t.style.plain(rest))
	}
	if len(f.Evidence) > 0 {
		t.blank()
		t.evidence(f.Evidence)
	}
	if len(f.Remedies) > 0 {
		t.blank()
		for i, r := range f.Remedies {
			t.remedy(i, r)
		}
	}
}

// heading puts the id of the check at the right edge, where there is room.
func (t *textWriter) heading(prefix, text, id string) {
	lines := wrap(text, t.style.columns()-lipgloss.Width(prefix))
	for i, l := range lines {
		lead := prefix
		if i > 0 {
			lead = strings.Repeat(" ", lipgloss.Width(prefix))
		}
		shown := t.style.bold(l)
		if gap := t.style.columns() - lipgloss.Width(lead) - lipgloss.Width(l) - lipgloss.Width(id); i == len(lines)-1 && gap >= 2 {
			shown += strings.Repeat(" ", gap) + t.style.faint(id)
		} else if i == len(lines)-1 {
			shown += "\n" + strings.Repeat(" ", lipgloss.Width(prefix)) + t.style.faint(id)
		}
		t.out.WriteString(lead + shown + "\n")
	}
}

func (t *textWriter) evidence(list []machine.Evidence) {
	const longest = 34
	width := 0
	for _, e := range list {
		if n := lipgloss.Width(t.style.plain(string(e.From))); n <= longest {
			width = max(width, n)
		}
	}
	for _, e := range list {
		from := t.style.plain(string(e.From))
		if lipgloss.Width(from) > longest {
			t.out.WriteString("      " + from + "\n")
			t.line("        ", t.style.plain(e.Text))
			continue
		}
		t.line(fmt.Sprintf("      %-*s  ", width, from), t.style.plain(e.Text))
	}
}

func (t *textWriter) remedy(i int, r remedy.Remedy) {
	prefix := "  cure   "
	if i > 0 {
		prefix = "  or     "
	}
	// Two findings may have one cure, which need not be read twice.
	key := fmt.Sprintf("%+v", r)
	if t.told[key] {
		t.line(prefix, t.style.plain(r.Title+", as above"))
		return
	}
	t.told[key] = true
	t.line(prefix, t.style.plain(r.Title))
	for _, step := range r.Steps {
		t.line("         "+t.style.plain("· "), t.style.plain(stepText(step)))
		// A command is never wrapped: it is there to be copied.
		for _, copied := range []string{step.Content, step.Command} {
			for line := range strings.Lines(copied) {
				t.out.WriteString("             " + t.style.plain(strings.TrimSuffix(line, "\n")) + "\n")
			}
		}
	}
}

// stepText says a step with the file it concerns.
func stepText(s remedy.Step) string {
	if s.Path == "" || strings.Contains(s.Text, s.Path) || strings.Contains(s.Command, s.Path) {
		return s.Text
	}
	return s.Text + ", in " + s.Path
}

func (t *textWriter) closing(d Diagnosis) {
	if first := d.first(); first != "" {
		t.line("", t.style.plain(first))
	}
	count := d.tally().String()
	if !t.style.Verbose {
		count += " (-v lists all)"
	}
	took := fmt.Sprintf("%d ms", d.Took.Milliseconds())
	if gap := t.style.columns() - len(count) - len(took); gap >= 2 {
		t.out.WriteString(count + strings.Repeat(" ", gap) + t.style.faint(took) + "\n")
		return
	}
	t.line("", count)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	// "PCIe" and "HSA_OVERRIDE…" keep their capitals.
	if len(s) > 1 && strings.ToUpper(s[1:2]) == s[1:2] {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
