package job

import (
	"slices"
	"strings"
	"testing"
)

func TestGivenVariables(t *testing.T) {
	t.Parallel()
	environ := []string{"HF_TOKEN=secret", "EMPTY="}
	for _, good := range [][]string{nil, {"HF_TOKEN"}, {"EMPTY"}, {"A=1", "B=", "C=x=y", "HF_TOKEN=other"}} {
		if got, err := givenVariables(good, environ); err != nil || !slices.Equal(got, good) {
			t.Errorf("%q: %q, %v", good, got, err)
		}
	}
	for given, says := range map[string]string{"": "takes NAME", "=1": "takes NAME", "A B=1": "takes NAME", "HF_TOKE": "it is not set here", "A\x00=1": "takes NAME"} {
		if _, err := givenVariables([]string{given}, environ); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", given, err)
		}
	}
}
