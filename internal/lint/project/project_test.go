package project_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/project"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(project.Rules); err != nil {
		t.Error(err)
	}
}
