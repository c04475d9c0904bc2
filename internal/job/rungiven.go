package job

import (
	"fmt"
	"slices"
	"strings"
)

// givenVariables are those that somebody wants a container to have: NAME=VALUE, or
// NAME alone for what is set here, whose value then stands in no list of processes.
func givenVariables(given, environ []string) ([]string, error) {
	for _, v := range given {
		name, _, valued := strings.Cut(v, "=")
		switch {
		case name == "" || strings.ContainsAny(name, " \t\n") || strings.ContainsRune(v, 0):
			return nil, fmt.Errorf("--env takes NAME or NAME=VALUE, and got %q", v)
		case !valued && !slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, name+"=") }):
			return nil, fmt.Errorf("--env %s: it is not set here, so there is nothing to pass on", name)
		}
	}
	return given, nil
}
