package launch

import (
	"slices"
	"strings"
)

// A Setting is one variable that a command needs, or must not have.
type Setting struct {
	Name  string
	Value string
	Unset bool
	// Prepend puts the value before what the variable holds, as one more folder of
	// a search path.
	Prepend bool
	Why     string // a sentence without its full stop
	// Check and Subject name the finding that it cures.
	Check, Subject string
	// Folder has to exist, and be the user's own, before a program looks for it. Make
	// is the line of a POSIX shell that makes it, and what comes with it.
	Folder, Make string
	// Shared is a folder that the value lies in, and that a container is given at the
	// same path, so that the value holds there too.
	Shared string
}

// Apply is an environment with some settings. Windows does not tell upper case
// from lower case in the names of variables.
func Apply(env []string, settings []Setting, system string) []string {
	out := slices.Clone(env)
	separator, same := ":", func(a, b string) bool { return a == b }
	if system == "windows" {
		separator, same = ";", strings.EqualFold
	}
	for _, s := range settings {
		value := s.Value
		out = slices.DeleteFunc(out, func(pair string) bool {
			name, old, _ := strings.Cut(pair, "=")
			if !same(name, s.Name) {
				return false
			}
			if s.Prepend && old != "" {
				value = s.Value + separator + old
			}
			return true
		})
		if !s.Unset {
			out = append(out, s.Name+"="+value)
		}
	}
	return out
}
