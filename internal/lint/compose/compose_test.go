package compose

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

func TestRules(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(Rules); err != nil {
		t.Error(err)
	}
}
