package report

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/rocsmith/rocsmith/internal/check"
)

// A Style says what the reader's terminal can show. The zero value is plain
// ASCII without colour, right for a pipe.
type Style struct {
	Colour  bool
	Unicode bool
	Width   int  // columns; 0 means 80
	Verbose bool // list every finding
}

// Columns that text is wrapped to: never wider than reads well.
func (s Style) columns() int {
	const usual, widest = 80, 100
	if s.Width <= 0 {
		return usual
	}
	return max(40, min(s.Width, widest))
}

// mark shows a verdict. Colour only repeats what the mark says.
func (s Style) mark(v check.Verdict) string {
	signs := map[check.Verdict][2]string{
		check.OK: {"✓", "ok"}, check.Warn: {"!", "warn"}, check.Fail: {"✗", "FAIL"},
		check.Unknown: {"–", "--"}, check.Skipped: {"–", "--"},
	}
	sign := signs[v][1]
	if s.Unicode {
		sign = signs[v][0]
	}
	return s.paint(v, sign)
}

// pad is the column that marks take.
func (s Style) pad() int {
	if s.Unicode {
		return 1
	}
	return len("FAIL")
}

var colours = map[check.Verdict]string{check.OK: "2", check.Warn: "3", check.Fail: "1", check.Unknown: "8", check.Skipped: "8"}

func (s Style) paint(v check.Verdict, text string) string {
	if !s.Colour {
		return text
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colours[v])).Render(text)
}

func (s Style) bold(text string) string {
	if !s.Colour {
		return text
	}
	return lipgloss.NewStyle().Bold(true).Render(text)
}

func (s Style) faint(text string) string {
	if !s.Colour {
		return text
	}
	return lipgloss.NewStyle().Faint(true).Render(text)
}

// plain makes foreign text harmless, and replaces the few signs that are not
// ASCII where the terminal wants it.
func (s Style) plain(text string) string {
	text = harmless(text)
	if s.Unicode {
		return text
	}
	return asciiTwins.Replace(text)
}

var asciiTwins = strings.NewReplacer("·", "-", "…", "...", "–", "-", "→", "->", "×", "x", "“", `"`, "”", `"`)

// Wrap breaks text at spaces, for a column of a table.
func Wrap(text string, width int) []string { return wrap(text, width) }

// wrap breaks text at spaces. A word longer than a line stays whole: a path or a
// command must survive being copied.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case lipgloss.Width(line)+1+lipgloss.Width(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
