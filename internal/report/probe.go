package report

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
)

// ProbeText writes a probe for a person: what was probed, one line an operation,
// the gates that did not hold, causes and cures, and whether the GPU still
// answers.
func ProbeText(w io.Writer, r probe.Report, s Style) error {
	t := &textWriter{style: s, told: map[string]bool{}}
	t.line("", t.style.plain(probeHeadline(r)))
	t.blank()
	t.table(probeRows(r.Outcomes))
	t.gates(r)
	for _, f := range r.Findings {
		t.blank()
		t.finding(f)
	}
	t.blank()
	for _, sentence := range probeClosing(r) {
		t.line("", t.style.plain(sentence))
	}
	if _, err := io.WriteString(w, t.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// probeHeadline says what was probed; the effective gfx never stands without
// the real one.
func probeHeadline(r probe.Report) string {
	var parts []string
	g := r.GPU
	switch {
	case g.Effective == "" && g.Gfx == "":
		parts = append(parts, "no GPU")
	case g.Override != "" && g.Gfx != g.Effective:
		parts = append(parts, fmt.Sprintf("%s under %s (the card is %s)", g.Effective, g.Override, g.Gfx))
	case g.Name != "" && g.Name != g.Effective:
		parts = append(parts, g.Name, g.Effective)
	default:
		parts = append(parts, g.Effective)
	}
	if g.Runtime != "" {
		parts = append(parts, path.Base(filepath.ToSlash(g.Runtime)))
	}
	if r.Where != "" {
		parts = append(parts, r.Where)
	}
	return strings.Join(append(parts, plural(len(r.Outcomes), "task")), " · ")
}

// A probeRow is what one library did for one operation.
type probeRow struct {
	operation, library string
	outcomes           []probe.Outcome
}

func probeRows(outcomes []probe.Outcome) []probeRow {
	var rows []probeRow
	for _, o := range outcomes {
		i := slices.IndexFunc(rows, func(r probeRow) bool {
			return r.operation == o.Task.Operation && r.library == o.Task.Library
		})
		if i < 0 {
			i = len(rows)
			rows = append(rows, probeRow{operation: o.Task.Operation, library: o.Task.Library})
		}
		rows[i].outcomes = append(rows[i].outcomes, o)
	}
	return rows
}

// weight is the worst of the row.
func (r probeRow) weight() check.Verdict {
	worst := r.outcomes[0].Weight
	for _, o := range r.outcomes[1:] {
		if o.Weight.Worse(worst) {
			worst = o.Weight
		}
	}
	return worst
}

// words say what did not pass, then what did and how fast, then what was not
// asked.
func (r probeRow) words() string {
	var bad, good, unasked []string
	for _, o := range r.outcomes {
		switch o.Answer.Verdict {
		case operation.Pass:
			good = append(good, goodWords(o))
		case operation.Skipped:
			unasked = append(unasked, variant(o.Task.ID))
		default:
			words := badWords(o)
			if !slices.ContainsFunc(bad, func(b string) bool { return strings.HasSuffix(b, words) }) {
				bad = append(bad, r.prefix(o)+words)
			}
		}
	}
	if len(good) > 0 {
		bad = append(bad, strings.Join(good, ", ")+r.speed())
	}
	if len(unasked) > 0 {
		bad = append(bad, "not asked: "+strings.Join(unasked, ", "))
	}
	return strings.Join(bad, "; ")
}

// speed is the best that was seen.
func (r probeRow) speed() string {
	for _, speed := range []struct{ key, unit string }{{"gb_per_s", "GB/s"}, {"tflop_per_s", "TFLOP/s"}} {
		best := 0.0
		for _, o := range r.outcomes {
			best = max(best, o.Answer.Numbers[speed.key])
		}
		if best > 0 {
			return fmt.Sprintf(" · %.3g %s", best, speed.unit)
		}
	}
	return ""
}

// unasked reports that nothing of the row was asked.
func (r probeRow) unasked() bool {
	return !slices.ContainsFunc(r.outcomes, func(o probe.Outcome) bool { return o.Answer.Verdict != operation.Skipped })
}

// prefix names the task where the row has several that differ.
func (r probeRow) prefix(o probe.Outcome) string {
	v := o.Answer.Verdict
	alike := !slices.ContainsFunc(r.outcomes, func(other probe.Outcome) bool { return other.Answer.Verdict != v })
	if len(r.outcomes) == 1 || alike && v != operation.WrongResult {
		return ""
	}
	return variant(o.Task.ID) + ": "
}

// variant is what tells a task from others of its operation.
func variant(id string) string {
	if _, after, found := strings.Cut(id, "/"); found {
		return after
	}
	return id
}

func badWords(o probe.Outcome) string {
	a := o.Answer
	words := strings.ReplaceAll(string(a.Verdict), "-", " ")
	switch a.Verdict {
	case operation.WrongResult:
		if c, ok := a.Numbers["correlation"]; ok {
			return fmt.Sprintf("%s: correlation %.4g", words, c)
		}
		if d, ok := a.Numbers["max_abs_diff"]; ok {
			return fmt.Sprintf("%s: max diff %.4g", words, d)
		}
	case operation.NoLibrary:
		return a.Why
	case operation.Skipped:
		return "not asked: " + a.Why
	}
	if a.Why == "" {
		return words
	}
	return words + ": " + a.Why
}

// goodWords say how near the result was.
func goodWords(o probe.Outcome) string {
	d, compared := o.Answer.Numbers["max_abs_diff"]
	switch words := variant(o.Task.ID); {
	case !compared:
		return words
	case d == 0:
		return words + " exact"
	default:
		return fmt.Sprintf("%s max diff %.2g", words, d)
	}
}

// table writes a line for each row, and one for all those of which nothing was
// asked, with the reason of the first.
func (t *textWriter) table(rows []probeRow) {
	var left []string
	why := ""
	for _, row := range rows {
		if !row.unasked() {
			t.probed(row)
			continue
		}
		if why == "" {
			why = row.outcomes[0].Answer.Why
		}
		left = append(left, row.operation+" ("+row.library+")")
	}
	if len(left) > 0 {
		t.marked(check.Skipped, t.style.plain(fmt.Sprintf("not asked: %s: %s", strings.Join(left, ", "), why)))
	}
}

// marked writes a line behind a mark.
func (t *textWriter) marked(v check.Verdict, text string) {
	mark := t.style.mark(v)
	t.line("  "+mark+strings.Repeat(" ", t.style.pad()-lipgloss.Width(mark))+" ", text)
}

func (t *textWriter) probed(row probeRow) {
	mark := t.style.mark(row.weight())
	pad := strings.Repeat(" ", t.style.pad()-lipgloss.Width(mark))
	t.line(fmt.Sprintf("  %s%s %-10s %-11s ", mark, pad, row.operation, row.library), t.style.plain(row.words()))
}

// gates lists those that did not hold; of the others a line is enough.
func (t *textWriter) gates(r probe.Report) {
	t.blank()
	var held, unasked []string
	for _, g := range r.Gates {
		switch g.Verdict {
		case check.OK:
			held = append(held, g.ID)
		case check.Skipped:
			unasked = append(unasked, g.ID)
		default:
			t.marked(g.Verdict, t.style.plain(fmt.Sprintf("%s  %s: %s", g.ID, g.Title, g.Why)))
		}
	}
	if len(held) > 0 {
		t.marked(check.OK, "gates that hold: "+strings.Join(held, " "))
	}
	if len(unasked) > 0 {
		t.marked(check.Skipped, "gates that were not asked: "+strings.Join(unasked, " "))
	}
	for _, a := range r.Anomalies {
		t.marked(check.Warn, t.style.plain("anomaly: "+a))
	}
}

// probeClosing is the answer in a few sentences.
func probeClosing(r probe.Report) []string {
	var out []string
	if r.Health != nil && r.Health.Answers {
		out = append(out, "The GPU still answers.")
	} else if r.Health != nil {
		out = append(out, "The GPU does not answer any more: "+r.Health.Why+". A reset of the GPU, or a restart of the machine, is needed.")
	}
	if r.Left != "" {
		out = append(out, "Not removed: "+r.Left+".")
	}
	passed, tried := 0, 0
	for _, o := range r.Outcomes {
		if o.Weight != check.Skipped {
			tried++
		}
		if o.Weight == check.OK {
			passed++
		}
	}
	switch r.Verdict {
	case probe.Passed:
		out = append(out, fmt.Sprintf("All %d tasks passed.", passed))
	case probe.Partial:
		out = append(out, fmt.Sprintf("What could be tried passed: %d of %d tasks. The rest is marked above.", passed, len(r.Outcomes)))
	case probe.Broken:
		out = append(out, fmt.Sprintf("%d of %d tasks that were tried passed.", passed, tried))
		out = append(out, numericallyWrong(r)...)
	case probe.NoGPU:
		out = append(out, "There is no AMD GPU here to probe; rocsmith doctor says why.")
	case probe.NoLibrary:
		out = append(out, "There is no library here that could be probed.")
	case probe.NoStart:
		out = append(out, "Not judged: the probe cannot start here.")
	}
	return out
}

// numericallyWrong says so where a program would run and compute nonsense.
func numericallyWrong(r probe.Report) []string {
	var wrong []string
	for _, o := range r.Outcomes {
		if o.Answer.Verdict == operation.WrongResult && !slices.Contains(wrong, o.Task.Operation) {
			wrong = append(wrong, o.Task.Operation)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return []string{"This machine is numerically wrong: programs would run, and " + strings.Join(wrong, " and ") + " would give wrong numbers without a word."}
}
