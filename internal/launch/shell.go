package launch

import (
	"path/filepath"
	"strings"
)

// isPrompt tells of a command that is a shell for somebody to type at. bash controls
// the jobs of the terminal that its errors go to, so that must be the real one; and
// whoever sits there sees why something failed.
func isPrompt(argv []string) bool {
	name := strings.TrimPrefix(filepath.Base(argv[0]), "-")
	if name != "bash" && name != "rbash" && name != "sh" {
		return false
	}
	for _, arg := range argv[1:] {
		short := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--")
		if !strings.HasPrefix(arg, "-") || short && strings.ContainsAny(arg, "cs") { // a script, by name, in a word or from standard input
			return false
		}
	}
	return true
}
