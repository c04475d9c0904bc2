package cause

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown writes the catalogue as docs/causes.md.
func (c Catalogue) Markdown() string {
	var b strings.Builder
	b.WriteString("# Causes\n\nWhat can be wrong, by stable id: the vocabulary of `doctor` and `explain`. Made from `internal/cause/data` by\n" +
		"`go test ./internal/cause -update`; edit it there.\n")
	var families []string
	for _, one := range c.Causes {
		if !slices.Contains(families, one.Family) {
			families = append(families, one.Family)
		}
	}
	for _, family := range families {
		fmt.Fprintf(&b, "\n## %s\n", family)
		for _, one := range c.Causes {
			if one.Family == family {
				c.describe(&b, one)
			}
		}
	}
	return b.String()
}

func (c Catalogue) describe(b *strings.Builder, one Cause) {
	fmt.Fprintf(b, "\n### %s\n\n**%s.** %s\n", one.ID, one.Title, one.Meaning)
	if one.Folklore != "" {
		fmt.Fprintf(b, "\n%s\n", one.Folklore)
	}
	var rows []string
	if one.Decide != "" {
		rows = append(rows, "decide: `"+one.Decide+"`")
	}
	if len(one.Confirm) > 0 {
		rows = append(rows, "confirmed by: "+strings.Join(one.Confirm, ", "))
	}
	for _, s := range c.Signatures {
		if s.Cause == one.ID {
			rows = append(rows, s.row())
		}
	}
	for _, s := range one.Sources {
		rows = append(rows, "source: "+s.Text+" ("+s.Confidence+")")
	}
	b.WriteByte('\n')
	for _, row := range rows {
		fmt.Fprintf(b, "- %s\n", row)
	}
}

// row shows a signature by an example: a pattern says less to a reader.
func (s Signature) row() string {
	text := "where `" + s.Like + "` matches"
	if s.Like == "" && len(s.Examples) > 0 {
		text = "`" + strings.ReplaceAll(s.Examples[0], "`", "'") + "`"
	}
	return string(s.Strength) + ": " + text
}
