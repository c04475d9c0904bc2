package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/explain"
)

// ExplainText writes an explanation for a person: what was read, what it is, the lines it rests on, what decides, and
// the cure.
func ExplainText(w io.Writer, log explain.Log, e explain.Explanation, s Style) error {
	t := &textWriter{style: s, told: map[string]bool{}}
	t.line("", t.style.plain(readLine(log)))
	independent, others := problems(e.Causes)
	for i, c := range independent {
		if i > 0 { // the first is to be cured first: of the others, the best cure is enough to read
			c.Cause.Folklore, c.Remedies = "", c.Remedies[:min(1, len(c.Remedies))]
		}
		t.blank()
		t.suspect(log, c)
	}
	if len(independent) > 0 && independent[0].Confidence == explain.Certain {
		others = slices.DeleteFunc(others, func(c explain.Suspect) bool { return c.Confidence == explain.Possible })
	}
	t.alternatives(others)
	t.notes("Harmless", e.Harmless)
	if e.Verdict != explain.Failure {
		t.blank()
		t.line("", t.style.plain(verdictLine(e)))
	}
	if e.Verdict == explain.Unknown {
		t.notes("Recognised", e.Recognised)
	}
	if _, err := io.WriteString(w, t.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func readLine(log explain.Log) string {
	text := fmt.Sprintf("%s: %s", strings.Join(log.Names, ", "), thousands(log.Lines, "line"))
	if len(log.Binary) > 0 {
		text += "; " + strings.Join(log.Binary, ", ") + " is no text, or not only"
	}
	return text
}

func thousands(n int64, word string) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + word
	}
	return digits + " " + word + "s"
}

func verdictLine(e explain.Explanation) string {
	if e.Verdict == explain.Benign {
		return "Nothing is broken: all that looks like an error in it is harmless."
	}
	return "Unknown: no line of it is known to be the mark of a failure, which does not mean that there is none. " +
		"rocsmith doctor judges the machine itself; rocsmith explain --format md makes a report to paste."
}

// problems tells what is wrong besides each other from other readings of the same lines.
func problems(causes []explain.Suspect) (independent, others []explain.Suspect) {
	for i, c := range causes {
		shared := slices.ContainsFunc(independent, func(o explain.Suspect) bool {
			return slices.ContainsFunc(c.Evidence, func(e explain.Evidence) bool { return slices.Contains(o.Evidence, e) })
		})
		switch {
		case i == 0 || !shared && c.Confidence != explain.Possible:
			independent = append(independent, c)
		case causes[0].Confidence != explain.Certain || c.Confidence != explain.Possible: // what is certain needs no guesses beside it
			others = append(others, c)
		}
	}
	return independent, others
}

func (t *textWriter) suspect(log explain.Log, c explain.Suspect) {
	verdict := check.Fail
	if c.Confidence == explain.Possible {
		verdict = check.Warn
	}
	t.heading(t.style.mark(verdict)+" ", t.style.plain(c.Cause.Title), c.Cause.ID+" "+t.style.plain("·")+" "+string(c.Confidence))
	for _, e := range c.Evidence {
		t.quoted(log, e)
	}
	t.line("  ", t.style.plain(whole(c)))
	if c.Cause.Folklore != "" {
		t.line("  ", t.style.plain(c.Cause.Folklore))
	}
	if c.Release != "" {
		t.line("  ", t.style.plain(c.Release))
	}
	if len(c.ConfirmedBy) > 0 {
		t.line("  ", t.style.plain("This machine says the same: "+strings.Join(c.ConfirmedBy, ", ")+"."))
	}
	if len(c.Contradicts) > 0 {
		t.line("  ", t.style.plain("This machine says otherwise: "+strings.Join(c.Contradicts, ", ")+" found nothing wrong, now."))
	}
	t.blank()
	if c.Confidence != explain.Certain && len(c.ConfirmedBy) == 0 && c.Cause.Decide != "" {
		t.out.WriteString("  decide " + t.style.plain(c.Cause.Decide) + "\n")
	}
	for i, r := range c.Remedies {
		t.remedy(i, r)
	}
	if c.Fix {
		t.line("  apply  ", "rocsmith fix "+c.Cause.ID+", on the machine that wrote the log; rocsmith undo takes it back")
	}
}

// whole is what the line means, and what the cause is, where that says more.
func whole(c explain.Suspect) string {
	if c.Why == c.Cause.Meaning {
		return c.Why
	}
	return c.Why + " " + c.Cause.Meaning
}

// quoted shows a line of a log as it is.
func (t *textWriter) quoted(log explain.Log, e explain.Evidence) {
	place := "line " + strings.TrimSuffix(thousands(e.Line, ""), "s")
	if len(log.Names) > 1 {
		place = e.File + ", " + place
	}
	text := e.Text
	if e.Count > 1 {
		text += fmt.Sprintf("  (%d times)", e.Count)
	}
	t.line("  "+t.style.plain(strings.TrimSpace(place))+"  ", t.style.plain(text))
}

func (t *textWriter) alternatives(list []explain.Suspect) {
	for i, c := range list {
		if i == 0 {
			t.blank()
			t.line("", t.style.plain("It may also be:"))
		}
		t.line("  "+t.style.plain("· "), t.style.plain(fmt.Sprintf("%s (%s, %s)", c.Cause.Title, c.Cause.ID, c.Confidence)))
		if c.Cause.Decide != "" {
			t.out.WriteString("      decide " + t.style.plain(c.Cause.Decide) + "\n")
		}
	}
}

func (t *textWriter) notes(lead string, list []explain.Note) {
	const most = 5
	for i, n := range list {
		if i == 0 {
			t.blank()
		}
		if i == most {
			t.line("", t.style.plain(fmt.Sprintf("%s: and %d more.", lead, len(list)-most)))
			return
		}
		text := n.Text
		if len([]rune(text)) > 100 {
			text = string([]rune(text)[:97]) + "…"
		}
		times := ""
		if n.Count > 1 {
			times = fmt.Sprintf(" (%d times)", n.Count)
		}
		t.line("", t.style.plain(fmt.Sprintf("%s: \"%s\"%s: %s", lead, text, times, cmp.Or(n.Says, "it is known, and says nothing of the cause."))))
	}
}

// ExplainMarkdown writes an explanation to be pasted into an issue.
func ExplainMarkdown(w io.Writer, version string, log explain.Log, e explain.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### rocsmith explain: %s\n\n%s\n\n", e.Verdict, escape(readLine(log)))
	for _, c := range e.Causes {
		fmt.Fprintf(&b, "**%s** (`%s`, %s)\n\n%s\n\n", escape(c.Cause.Title), c.Cause.ID, c.Confidence, escape(whole(c)))
		linesMarkdown(&b, c.Evidence)
		if c.Release != "" {
			b.WriteString(escape(c.Release) + "\n\n")
		}
		if len(c.ConfirmedBy) > 0 {
			fmt.Fprintf(&b, "Confirmed by: %s\n\n", escape(strings.Join(c.ConfirmedBy, ", ")))
		}
		if c.Cause.Decide != "" && c.Confidence != explain.Certain {
			fmt.Fprintf(&b, "Decide: `%s`\n\n", strings.ReplaceAll(c.Cause.Decide, "`", ""))
		}
		remediesMarkdown(&b, c.Remedies)
	}
	for lead, notes := range map[string][]explain.Note{"Harmless": e.Harmless} {
		for _, n := range notes {
			fmt.Fprintf(&b, "%s: `%s` %s\n\n", lead, strings.ReplaceAll(harmless(n.Text), "`", ""), escape(n.Says))
		}
	}
	if e.Verdict != explain.Failure {
		b.WriteString(escape(verdictLine(e)) + "\n\n")
	}
	for _, n := range e.Recognised {
		fmt.Fprintf(&b, "Recognised: `%s`\n\n", strings.ReplaceAll(harmless(n.Text), "`", ""))
	}
	fmt.Fprintf(&b, "<sub>rocsmith %s</sub>\n", cell(version))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}

func linesMarkdown(b *strings.Builder, list []explain.Evidence) {
	if len(list) == 0 {
		return
	}
	b.WriteString("```\n")
	for _, e := range list {
		fmt.Fprintf(b, "%s:%d: %s\n", fence(e.File), e.Line, fence(e.Text))
	}
	b.WriteString("```\n\n")
}
