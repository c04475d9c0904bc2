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
	out := bases(c.Writes)
	if len(c.Words) < 2 {
		return out
	}
	names := bases(c.Words[1:])
	switch c.Name() {
	case "tee":
		out = append(out, names...)
	case "sed", "perl":
		if slices.ContainsFunc(c.Words, inPlace) {
			out = append(out, names...)
		}
	case "cp", "mv":
		// A copy under its own name is the same list.
		to := names[len(names)-1]
		if !slices.Contains(names[:len(names)-1], to) {
			out = append(out, to)
		}
	}
	return out
}

func bases(words []shelltext.Word) []string {
	var out []string
	for _, w := range words {
		out = append(out, path.Base(w.Text))
	}
	return out
}

// inPlace tells -i, -i.bak, -Ei and --in-place.
func inPlace(w shelltext.Word) bool {
	flags, isShort := strings.CutPrefix(w.Text, "-")
	if strings.HasPrefix(flags, "-") {
		return strings.HasPrefix(flags, "-in-place")
	}
	return isShort && strings.Contains(flags, "i")
}
