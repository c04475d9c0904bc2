package all

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
)

// Page writes docs/checks.md from the checks themselves.
func Page(checks []check.Check) string {
	var b strings.Builder
	b.WriteString("# Checks\n\n")
	b.WriteString("Made from the code by `go test ./internal/check/all -update`; a test fails when this page is stale.\n\n")
	fmt.Fprintf(&b, "%d checks, in the order in which they are asked: what makes other questions moot stands first. ", len(checks))
	b.WriteString("A check whose prerequisite does not hold is skipped, so that the cause is reported and its symptoms are not. ")
	b.WriteString("`rocsmith doctor --only GLOB` asks some of them, `--skip GLOB` leaves some out.\n\n")
	b.WriteString("| check | the good state | needs |\n|---|---|---|\n")
	for _, c := range checks {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", c.ID, anchor(c.ID), c.Title, ids(c.Needs))
	}
	for _, c := range checks {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n", c.ID, c.Title, c.Doc)
	}
	return b.String()
}

// anchor is what Markdown renderers make of a heading.
func anchor(id string) string { return strings.ReplaceAll(id, "/", "") }

func ids(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "`" + strings.Join(list, "`, `") + "`"
}
