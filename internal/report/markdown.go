package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Markdown writes the report to be pasted into an issue.
func Markdown(w io.Writer, d Diagnosis) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n%s\n\n", cmp.Or(d.Again, "rocsmith doctor"), d.Verdict(), cell(headline(d.Machine)))
	gpuTable(&b, d.Machine)
	for _, f := range check.ByWeight(d.Findings) {
		findingMarkdown(&b, f)
	}
	if first := d.first(); first != "" {
		b.WriteString(escape(first) + "\n\n")
	}
	b.WriteString(d.tally().String() + "\n\n")
	rest(&b, d)
	fmt.Fprintf(&b, "\n<sub>rocsmith %s</sub>\n", cell(d.Version))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}

func gpuTable(b *strings.Builder, m *machine.Machine) {
	if len(m.GPUs.Value) == 0 {
		return
	}
	b.WriteString("| GPU | PCI id | gfx | effective gfx | render node |\n|---|---|---|---|---|\n")
	for _, g := range m.GPUs.Value {
		gfx := g.Gfx.Value
		if gfx != "" && g.Gfx.Why != "" {
			gfx += " (" + g.Gfx.Why + ")"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(g.Label()), g.PCIID, dash(gfx), dash(m.EffectiveGfx(g)), dash(g.RenderNode.Value))
	}
	b.WriteByte('\n')
}

func findingMarkdown(b *strings.Builder, f check.Finding) {
	fmt.Fprintf(b, "**%s: %s** (`%s`", f.Verdict, escape(f.Headline()), f.Check)
	if f.Cause != "" {
		fmt.Fprintf(b, ", `%s`", f.Cause)
	}
	b.WriteString(")\n\n")
	if text := f.Explanation(); text != "" {
		b.WriteString(escape(text) + "\n\n")
	}
	if len(f.Evidence) > 0 {
		b.WriteString("```\n")
		for _, e := range f.Evidence {
			fmt.Fprintf(b, "%s: %s\n", fence(string(e.From)), fence(e.Text))
		}
		b.WriteString("```\n\n")
	}
	remediesMarkdown(b, f.Remedies)
}

func remediesMarkdown(b *strings.Builder, list []remedy.Remedy) {
	for i, r := range list {
		lead := "Cure"
		if i > 0 {
			lead = "Or"
		}
		fmt.Fprintf(b, "%s: %s\n\n", lead, escape(r.Title))
		for _, s := range r.Steps {
			fmt.Fprintf(b, "- %s", escape(stepText(s)))
			for _, copied := range []string{s.Content, s.Command} {
				if copied != "" {
					fmt.Fprintf(b, ": `%s`", strings.ReplaceAll(harmless(copied), "`", ""))
				}
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
}

func rest(b *strings.Builder, d Diagnosis) {
	b.WriteString("<details><summary>All checks</summary>\n\n| check | subject | verdict | |\n|---|---|---|---|\n")
	for _, f := range d.Findings {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", f.Check, cell(f.Subject), f.Verdict, cell(f.Headline()))
	}
	b.WriteString("\n</details>\n")
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return cell(s)
}

// escape keeps text from turning into markup: names in angle brackets vanish on
// most sites, and an at sign calls somebody.
var escaper = strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "|", `\|`, "@", "&#64;", "`", "'", "[", `\[`, "]", `\]`, "!", `\!`)

func escape(s string) string { return escaper.Replace(harmless(oneLine(s))) }

func cell(s string) string { return escape(s) }

func fence(s string) string { return strings.ReplaceAll(harmless(oneLine(s)), "```", "'''") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
