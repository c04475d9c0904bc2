package report

import (
	"fmt"
	"strings"
)

// Field writes a name and its value, wrapped below each other.
func Field(name, value string, s Style) string {
	t := &textWriter{style: s}
	if strings.HasPrefix(value, "pip install ") {
		// A command is never wrapped: it is there to be copied.
		return fmt.Sprintf("  %-12s %s\n", name, value)
	}
	t.line(fmt.Sprintf("  %-12s ", name), s.plain(value))
	return t.out.String()
}
