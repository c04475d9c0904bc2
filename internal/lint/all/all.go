// Package all is the one list of all rules about project files.
package all

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/project"
)

// Rules returns every rule, in the order in which docs/rules.md names them.
func Rules() []lint.Rule {
	return slices.Concat(project.Rules)
}
