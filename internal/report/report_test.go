package report_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
)

func sample() report.Diagnosis {
	m := &machine.Machine{OS: "linux", Kernel: machine.Know("6.8.0", "f"), ROCm: machine.Know([]machine.Installation{}, "f")}
	m.Distro = machine.Know(machine.Distro{Name: "Ubuntu 24.04"}, "f")
	m.GPUs = machine.Know([]machine.GPU{{Vendor: machine.AMD, Name: "Radeon | <b> @ada", PCIID: "1002:1", Gfx: machine.Know("gfx1100", "f")}}, "f")
	return report.Diagnosis{
		Version: "1.2", Machine: m,
		Areas: []check.Area{{Name: "access", Voices: []string{"access/b"}}, {Name: "driver"}, {Name: "memory"}},
		Findings: []check.Finding{
			{Check: "access/a", Subject: "x", Verdict: check.OK, Message: "First good thing"},
			{Check: "access/b", Subject: "x", Verdict: check.OK, Message: "The voice of it"},
			{Check: "driver/w", Subject: "x", Verdict: check.Warn, Message: "A warning about things. Because " + strings.Repeat("it is long ", 30) + "so."},
			{
				Check: "driver/f", Subject: "y", Verdict: check.Fail, Cause: "some-cause", Message: "This is broken. And <why>.",
				Evidence: []machine.Evidence{
					{From: "/short", Text: "a line with ```fences``` in it"},
					{From: machine.Source("/a/very/long/path/that/needs/its/own/line/properties"), Text: strings.Repeat("word ", 40)},
				},
				Remedies: []remedy.Remedy{
					{ID: "r", Title: "Mend it", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Command, Text: "run this", Command: "sudo " + strings.Repeat("very-long-word ", 12)}}},
					{ID: "s", Title: "Leave it", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Manual, Text: "sleep"}}},
				},
			},
			{Check: "memory/u", Subject: "z", Verdict: check.Unknown, Message: "Not judged: this. It said no."},
		},
	}
}

func text(t *testing.T, s report.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, sample(), s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextSaysWhatMattersFirst(t *testing.T) {
	t.Parallel()
	got := text(t, report.Style{Unicode: true})
	order := []string{
		"Ubuntu 24.04 · kernel 6.8.0 · no ROCm installed here", "✓ access   The voice of it; first good thing", "✗ driver   This is broken", "– memory   Not judged: this",
		"✗ This is broken", "driver/f", "And <why>.", "/short", "cure   Mend it", "or     Leave it", "– Not judged: this", "! A warning about things", "First: mend it, then run rocsmith doctor again.",
		"1 failure, 1 warning, 2 fine, 1 not judged, 0 not asked",
	}
	rest := got
	for _, want := range order {
		i := strings.Index(rest, want)
		if i < 0 {
			t.Fatalf("%q is missing, or too early, in\n%s", want, got)
		}
		rest = rest[i+len(want):]
	}
}

func TestTextFitsTheScreen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{0, 40, 80, 100, 300} {
		limit := max(40, min(100, width))
		if width == 0 {
			limit = 80
		}
		for line := range strings.Lines(text(t, report.Style{Unicode: true, Width: width})) {
			line = strings.TrimRight(line, "\n")
			// A command is for copying, and a path stays whole.
			if strings.Contains(line, "sudo ") || strings.Contains(line, "/a/very/long/path") {
				continue
			}
			if lipgloss.Width(line) > limit {
				t.Errorf("width %d: a line of %d columns: %q", width, lipgloss.Width(line), line)
			}
		}
	}
}

func TestTextIsPlainWhereAsked(t *testing.T) {
	t.Parallel()
	plain := text(t, report.Style{})
	if i := strings.IndexFunc(plain, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("not ASCII at %q", plain[i:min(len(plain), i+20)])
	}
	for _, want := range []string{"FAIL driver", "ok   access", "--   memory", "FAIL This is broken", "warn A warning"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is missing in\n%s", want, plain)
		}
	}
	coloured := text(t, report.Style{Colour: true, Unicode: true})
	if !strings.Contains(coloured, "\x1b[") {
		t.Error("no colour on a terminal")
	}
	stripped := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(coloured, "")
	if want := text(t, report.Style{Unicode: true}); stripped != want {
		t.Errorf("colour changes the words:\n%s\n---\n%s", stripped, want)
	}
}

func TestMarkdownSurvivesATracker(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.Markdown(&b, sample()); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"### rocsmith doctor: fail", "**fail: This is broken** (`driver/f`, `some-cause`)", "And &lt;why&gt;.", `| Radeon \| &lt;b&gt; &#64;ada |`, "- run this: `sudo ", "| memory/u | z | unknown |", "First: mend it, then run rocsmith doctor again.", "1 failure, 1 warning"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "@ada") || strings.Contains(got, "<b>") || strings.Count(got, "```")%2 != 0 {
		t.Errorf("foreign text became markup:\n%s", got)
	}
}

func TestManyGPUsStayOnAScreen(t *testing.T) {
	t.Parallel()
	d := sample()
	d.Areas = []check.Area{{Name: "gpu"}}
	d.Findings = nil
	for range 32 {
		d.Findings = append(d.Findings, check.Finding{Check: "gpu/present", Verdict: check.OK, Message: "Instinct MI308X"})
	}
	var b bytes.Buffer
	if err := report.Text(&b, d, report.Style{Unicode: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "Instinct"); n != 4 || !strings.Contains(b.String(), "and 28 more") {
		t.Errorf("%d of 32 GPUs are listed:\n%s", n, b.String())
	}
}
