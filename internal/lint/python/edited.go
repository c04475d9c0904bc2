package python

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// rewritten are the files, without their folders, whose contents a command
// changes: what an install reads of them is not what the project holds.
func rewritten(c shelltext.Command) []string {
	if len(c.Words) < 2 {
		return nil
	}
	var names []string
	for _, w := range c.Words[1:] {
		names = append(names, path.Base(w.Text))
	}
	switch c.Name() {
	case "tee":
		return names
	case "sed", "perl":
		if slices.ContainsFunc(c.Words, inPlace) {
			return names
		}
	case "cp", "mv":
		// A copy under its own name is the same list.
		to := names[len(names)-1]
		if !slices.Contains(names[:len(names)-1], to) {
			return []string{to}
		}
	}
	return nil
}

// inPlace tells -i, -i.bak, -Ei and --in-place.
func inPlace(w shelltext.Word) bool {
	flags, isShort := strings.CutPrefix(w.Text, "-")
	if strings.HasPrefix(flags, "-") {
		return strings.HasPrefix(flags, "-in-place")
	}
	return isShort && strings.Contains(flags, "i")
}
