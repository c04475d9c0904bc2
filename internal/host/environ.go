package host

import (
	"cmp"
	"slices"
	"strings"
)

// environWith picks the variables whose names begin with a prefix out of a list
// of name=value, sorted by name.
func environWith(prefix string, environ []string) []Variable {
	var found []Variable
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		// Windows keeps the directory of each drive in variables without a name.
		if ok && name != "" && strings.HasPrefix(name, prefix) {
			found = append(found, Variable{Name: name, Value: value})
		}
	}
	slices.SortFunc(found, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	return found
}
