// Package all is the one list of all rules about project files, and the page that is made from it.
package all

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/compose"
	"github.com/rocsmith/rocsmith/internal/lint/environ"
	"github.com/rocsmith/rocsmith/internal/lint/image"
	"github.com/rocsmith/rocsmith/internal/lint/project"
	"github.com/rocsmith/rocsmith/internal/lint/python"
)

// Rules returns every rule, in the order in which docs/rules.md names them.
func Rules() []lint.Rule {
	return slices.Concat(
		compose.Rules,
		image.Rules,
		python.Rules,
		environ.Rules,
		project.Rules,
	)
}
