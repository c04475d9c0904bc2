// Package all is the one list of all rules about project files.
package all

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/compose"
	"github.com/rocsmith/rocsmith/internal/lint/devcontainer"
	"github.com/rocsmith/rocsmith/internal/lint/environ"
	"github.com/rocsmith/rocsmith/internal/lint/image"
	"github.com/rocsmith/rocsmith/internal/lint/kubernetes"
	"github.com/rocsmith/rocsmith/internal/lint/project"
	"github.com/rocsmith/rocsmith/internal/lint/python"
	"github.com/rocsmith/rocsmith/internal/lint/quadlet"
	"github.com/rocsmith/rocsmith/internal/lint/script"
)

// Rules returns every rule, in the order in which docs/rules.md names them.
func Rules() []lint.Rule {
	return slices.Concat(
		compose.Rules,
		image.Rules,
		python.Rules,
		environ.Rules,
		script.Rules,
		kubernetes.Rules,
		quadlet.Rules,
		devcontainer.Rules,
		project.Rules,
	)
}
