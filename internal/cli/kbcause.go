package cli

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// lookCause shows one cause, or all of them in a list.
func lookCause(args []string) ([]entry, error) {
	c, err := cause.Embedded()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		var entries []entry
		for _, one := range c.Causes {
			entries = append(entries, entry{one.ID, []field{{"does", one.Title}}})
		}
		return entries, nil
	}
	one, ok := c.Cause(args[0])
	if !ok {
		return nil, fmt.Errorf("there is no cause %q; rocsmith kb cause lists them", args[0])
	}
	fields := []field{
		{"title", one.Title}, {"family", one.Family}, {"meaning", one.Meaning}, {"folklore", one.Folklore}, {"decide", one.Decide},
		{"confirmed by", strings.Join(one.Confirm, ", ")}, {"cures", strings.Join(one.Cures, ", ")},
	}
	for _, s := range c.Signatures {
		if s.Cause == one.ID {
			fields = append(fields, field{string(s.Strength), formOf(c, s)})
		}
	}
	for _, s := range one.Sources {
		fields = append(fields, field{"source", s.Text + " (" + s.Confidence + ")"})
	}
	return []entry{{one.ID, fields}}, nil
}

// formOf shows what a line must look like.
func formOf(c cause.Catalogue, s cause.Signature) string {
	forms := append(append([]string{}, s.Text...), s.Match...)
	if s.Like != "" {
		for _, other := range c.Signatures {
			if other.Name == s.Like {
				forms = append(append([]string{}, other.Text...), other.Match...)
			}
		}
	}
	return strings.Join(forms, " | ")
}
